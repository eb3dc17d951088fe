import type { AnswerError, Choice, HubAnswer } from '../../hub/answer.ts';
import type { Session } from '../../hub/codec.ts';
import { isObject, type JsonObject, type JsonValue } from '../../hub/content/json.ts';
import { standardBase64 } from '../../hub/content/media.ts';
import { plainType } from '../../hub/content/media-type.ts';
import type { Part, TextPart } from '../../hub/part.ts';
import type { Figures } from '../../meter/usage-report.ts';
import { findNumber, findText, listObjects, objectText } from '../fields.ts';
import { type CandidateContent, decodeFinish, withPart } from '../finish.ts';
import { citeText, decodeSearch, decodeSupports, type Support } from '../grounding.ts';
import { decodeLogprobs } from '../logprobs.ts';
import { thoughtSignature } from '../signature.ts';
import { decodeUsage } from '../usage.ts';
import { PAYLOADS } from '../wire.ts';
import { isServerTool } from './parts.ts';
import { serverTool } from './server-tool.ts';

export function decodeAnswer(body: JsonObject, session: Session, figures?: Figures): HubAnswer | AnswerError {
  const error = decodeError(body);
  if (error !== undefined) return error;
  const candidates = listObjects(body.candidates);
  const choices: Choice[] = [];
  for (const candidate of candidates) {
    const choice = decodeCandidate(candidate, session);
    if ('status' in choice) return choice;
    choices.push(choice);
  }
  return {
    id: findText(body.responseId),
    choices: choices.length === 0 ? [emptyChoice(body.promptFeedback)] : choices,
    usage: decodeUsage(figures),
    serviceTier: undefined,
  };
}

/** Google's error object, in place of an answer or a chunk. */
export function decodeError(body: JsonObject): AnswerError | undefined {
  const { error } = body;
  if (!isObject(error)) return undefined;
  const code = findNumber(error.code) ?? 0;
  return {
    status: code >= 400 && code <= 599 ? code : 500,
    code: undefined,
    type: findText(error.status),
    message: findText(error.message) ?? 'The vendor reported an error.',
  };
}

/** A candidate that failed and has no content (rule C-52). */
export function failure(reason: string | undefined, message: string | undefined): AnswerError {
  const text = `The vendor ended the answer with ${reason ?? 'no reason'}.`;
  return { status: 502, code: undefined, type: reason, message: message ?? text };
}

function decodeCandidate(candidate: JsonObject, session: Session): Choice | AnswerError {
  const given = isObject(candidate.content) ? listObjects(candidate.content.parts) : [];
  const supports = decodeSupports(candidate.groundingMetadata);
  const parts = given.flatMap((part, index) => {
    const decoded = decodeAnswerPart(part, session);
    if (decoded === undefined) return [];
    return [decoded.kind === 'text' ? withCitations(decoded, supports, index) : decoded];
  });
  const reason = findText(candidate.finishReason);
  const message = findText(candidate.finishMessage);
  const finish = decodeFinish(reason, message, classifyContent(parts));
  if (finish === undefined) return failure(reason, message);
  const logprobs = decodeLogprobs(candidate.logprobsResult);
  const search = decodeSearch(candidate.groundingMetadata);
  const all = search === undefined ? parts : [search, ...parts];
  return { parts: all, finish, ...(logprobs === undefined ? {} : { logprobs }) };
}

function classifyContent(parts: readonly Part[]): CandidateContent {
  return parts.reduce(withPart, 'nothing' as CandidateContent);
}

function withCitations(part: TextPart, supports: readonly Support[], index: number): TextPart {
  const own = supports.filter((support) => support.partIndex === index);
  return own.length === 0 ? part : { ...part, citations: citeText(part.text, own) };
}

/** A part of a vendor's answer; `undefined` if it is empty or unknown. */
export function decodeAnswerPart(part: JsonObject, session: Session): Part | undefined {
  const payload = PAYLOADS.find((name) => part[name] !== undefined);
  const signature = findText(part.thoughtSignature);
  const { issuer } = session.target;
  if (payload === undefined || payload === 'text') {
    const text = findText(part.text) ?? '';
    if (part.thought === true) return decodeThought(text, signature, issuer);
    if (signature === undefined) return text === '' ? undefined : { kind: 'text', text };
    return { kind: 'text', text, signatures: [thoughtSignature(signature, 'text', issuer)] };
  }
  if (isServerTool(payload)) return serverTool(part, payload);
  const value = part[payload];
  if (!isObject(value)) return undefined;
  if (payload === 'functionCall') return decodeCall(value, signature, issuer);
  // Sketches for an image are thoughts, not the answer.
  return payload === 'inlineData' && part.thought !== true ? decodePicture(value) : undefined;
}

function decodeThought(text: string, signature: string | undefined, issuer: string): Part | undefined {
  if (signature === undefined) return text === '' ? undefined : { kind: 'reasoning', text };
  return { kind: 'reasoning', text, signature: thoughtSignature(signature, 'reasoning', issuer) };
}

function decodeCall(value: JsonObject, signature: string | undefined, issuer: string): Part | undefined {
  const name = findText(value.name) ?? '';
  if (name === '') return undefined;
  return {
    kind: 'tool-call',
    id: findText(value.id) ?? '',
    name,
    arguments: objectText(value.args) ?? '{}',
    custom: false,
    ...(signature === undefined ? {} : { signatures: [thoughtSignature(signature, 'call', issuer)] }),
  };
}

function decodePicture(value: JsonObject): Part | undefined {
  const mime = plainType(findText(value.mimeType) ?? '');
  const data = findText(value.data);
  if (data === undefined || mime === undefined) return undefined;
  const source = { kind: 'bytes', mime, base64: standardBase64(data) } as const;
  return { kind: mime.startsWith('audio/') ? 'audio' : 'image', source };
}

/** A blocked prompt has no candidates, but an answer must have one (rule C-52). */
export function emptyChoice(feedback: JsonValue | undefined): Choice {
  const reason = isObject(feedback) ? findText(feedback.blockReason) : undefined;
  if (reason === undefined) return { parts: [], finish: { reason: 'stop' } };
  const message = isObject(feedback) ? findText(feedback.blockReasonMessage) : undefined;
  return { parts: [], finish: { reason: 'filter', message: message ?? reason } };
}
