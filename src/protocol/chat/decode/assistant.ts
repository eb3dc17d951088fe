import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  RawJson,
  writeJson,
} from '../../hub/content/json.ts';
import { findAddress } from '../../hub/content/media.ts';
import { unwrapSignatures } from '../../hub/envelope.ts';
import type { Citation, Part, ReasoningPart, ToolCallPart } from '../../hub/part.ts';
import type { Signature } from '../../hub/signature.ts';
import { findFilledText, listObjects, objectOrEmpty } from '../fields.ts';
import { decodeDetail, joinDetails } from '../reasoning-details.ts';
import { decodeText } from './parts.ts';

/** How an assistant's message is read: a vendor's answer leniently, a client's history strictly. */
export interface AssistantReader {
  /** The issuer of the signatures. `undefined`: they come from a client, and name their issuer themselves. */
  readonly issuer: string | undefined;
  /** The id for a call in the old style, which has none. */
  readonly functionCallId: string;
  /** Gets the path of something that the hub cannot represent. A client's reader throws. */
  readonly unsupported: (path: string) => void;
}

/** The parts of an assistant's message, in their most likely order. */
export function decodeAssistant(message: JsonObject, path: string, reader: AssistantReader): readonly Part[] {
  const parts = decodeWithoutCalls(message, path, reader);
  const calls = decodeCalls(message, path, reader);
  const [first, ...rest] = calls;
  const signatures =
    signatureList(message.extra_content, first === undefined ? 'text' : 'call', reader.issuer) ?? [];
  const ofText = signatures.filter(({ place }) => place === 'text');
  const ofCall = signatures.filter(({ place }) => place !== 'text');
  const signed = ofText.length === 0 ? parts : signLastText(parts, ofText);
  if (first === undefined) return signed;
  // Some versions of Google's compatible endpoint sign the message as a whole: that is the signature of its
  // first call.
  const isSigned = ofCall.length > 0 && first.signatures === undefined;
  return [...signed, isSigned ? { ...first, signatures: ofCall } : first, ...rest];
}

function decodeWithoutCalls(message: JsonObject, path: string, reader: AssistantReader): readonly Part[] {
  const content = decodeContent(message.content, `${path}.content`, reader);
  const texts = cite(content, message.annotations);
  const transcript = findFilledText(objectOrEmpty(message.audio).transcript);
  const refusal = findFilledText(message.refusal);
  return [
    ...decodeReasoning(message, reader),
    ...(texts.length === 0 && transcript !== undefined
      ? [{ kind: 'text', text: transcript } as const]
      : texts),
    ...(refusal === undefined ? [] : [{ kind: 'refusal', text: refusal } as const]),
    ...listObjects(message.images).flatMap((image) => tolerate(image, `${path}.images`, reader)),
  ];
}

function decodeReasoning(message: JsonObject, reader: AssistantReader): readonly ReasoningPart[] {
  const visible = findFilledText(message.reasoning_content) ?? findFilledText(message.reasoning) ?? '';
  const details = listObjects(message.reasoning_details).map((one) => decodeDetail(one, reader.issuer));
  const parts = joinDetails(details);
  // The details repeat the visible text. It is added only if they contain nothing but ciphertext.
  if (visible === '' || parts.some((part) => part.text !== '')) return parts;
  const [first, ...rest] = parts;
  return [{ kind: 'reasoning', ...first, text: visible }, ...rest];
}

function decodeContent(
  content: JsonValue | undefined,
  path: string,
  reader: AssistantReader,
): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  if (content === null || content === undefined) return [];
  if (isArray(content)) {
    return content.flatMap((value, index) => decodeAssistantPart(value, `${path}[${index}]`, reader));
  }
  reader.unsupported(path);
  return [];
}

function decodeAssistantPart(value: JsonValue, path: string, reader: AssistantReader): readonly Part[] {
  const part = objectOrEmpty(value);
  switch (part.type) {
    case 'text':
      return decodeAssistantText(part, path, reader);
    case 'refusal':
      return [{ kind: 'refusal', text: findFilledText(part.refusal) ?? '' }];
    case 'thinking':
      return [{ kind: 'reasoning', text: thinkingText(part.thinking) }];
    case 'image_url':
      return tolerate(part, path, reader);
    default:
      reader.unsupported(path);
      return [];
  }
}

/** Only a client's history has cache marks. */
function decodeAssistantText(part: JsonObject, path: string, reader: AssistantReader): readonly Part[] {
  if (reader.issuer === undefined) return [decodeText(part, path)];
  return typeof part.text === 'string' ? [{ kind: 'text', text: part.text }] : [];
}

/** Mistral's thinking: a list of texts, or one text. */
export function thinkingText(thinking: JsonValue | undefined): string {
  if (typeof thinking === 'string') return thinking;
  return listObjects(thinking)
    .map((one) => findFilledText(one.text) ?? '')
    .join('');
}

/** Some vendors answer with images, which are not part of this protocol. */
function tolerate(image: JsonObject, path: string, reader: AssistantReader): readonly Part[] {
  const url = findFilledText(image.image_url) ?? findFilledText(objectOrEmpty(image.image_url).url) ?? '';
  const source = findAddress(url);
  if (source !== undefined) return [{ kind: 'image', source }];
  reader.unsupported(path);
  return [];
}

function decodeCalls(message: JsonObject, path: string, reader: AssistantReader): readonly ToolCallPart[] {
  const calls = listObjects(message.tool_calls).flatMap((call, index) =>
    decodeCall(call, `${path}.tool_calls[${index}]`, reader),
  );
  const old = objectOrEmpty(message.function_call);
  const name = findFilledText(old.name);
  if (name === undefined) return calls;
  const part = { kind: 'tool-call', id: reader.functionCallId, name, custom: false } as const;
  return [...calls, { ...part, arguments: argumentsText(old.arguments) }];
}

function decodeCall(call: JsonObject, path: string, reader: AssistantReader): readonly ToolCallPart[] {
  const custom = call.type === 'custom' || !isObject(call.function);
  const body = objectOrEmpty(custom ? call.custom : call.function);
  const name = findFilledText(body.name);
  if (name === undefined) {
    reader.unsupported(path);
    return [];
  }
  const given = custom ? body.input : body.arguments;
  if (typeof given === 'number' || typeof given === 'boolean' || isArray(given)) reader.unsupported(path);
  const input = custom ? (findFilledText(given) ?? '') : argumentsText(given);
  const signatures = signatureList(call.extra_content, 'call', reader.issuer);
  const id = findFilledText(call.id) ?? '';
  return [
    {
      kind: 'tool-call',
      id,
      name,
      arguments: input,
      custom,
      ...(signatures === undefined ? {} : { signatures }),
    },
  ];
}

/** JSON in a string, as in the protocol, or the object itself, as some vendors send it. Never empty. */
export function argumentsText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value.trim() === '' ? '{}' : value;
  if (value instanceof RawJson) return value.text;
  return isObject(value) ? writeJson(value) : '{}';
}

/**
 * `extra_content.google.thought_signature`: a vendor's own signature, or our envelope with any signatures.
 */
export function signatureList(
  extra: JsonValue | undefined,
  place: 'call' | 'text',
  issuer: string | undefined,
): readonly Signature[] | undefined {
  if (!isObject(extra)) return undefined;
  const value = findFilledText(objectOrEmpty(extra.google).thought_signature);
  if (value === undefined) return undefined;
  const native: Signature = { issuer: issuer ?? 'gemini', form: 'thought', place, value };
  return issuer === undefined ? (unwrapSignatures(value) ?? [native]) : [native];
}

function signLastText(parts: readonly Part[], signatures: readonly Signature[]): readonly Part[] {
  const at = parts.findLastIndex((part) => part.kind === 'text');
  if (at === -1) return [...parts, { kind: 'text', text: '', signatures }];
  return parts.map((part, index) => (index === at && part.kind === 'text' ? { ...part, signatures } : part));
}

/** Annotations count from the beginning of the content; citations from the beginning of their part. */
function cite(parts: readonly Part[], annotations: JsonValue | undefined): readonly Part[] {
  const citations = listObjects(annotations).flatMap(decodeCitation);
  if (citations.length === 0) return parts;
  let offset = 0;
  return parts.map((part) => {
    if (part.kind !== 'text') return part;
    const start = offset;
    offset += part.text.length;
    const own = citations.filter((one) => (one.start ?? 0) >= start && (one.start ?? 0) < offset);
    return own.length === 0 ? part : { ...part, citations: own.map((one) => moveCitation(one, -start)) };
  });
}

export function decodeCitation(annotation: JsonObject): readonly Citation[] {
  const link = objectOrEmpty(annotation.url_citation);
  const url = findFilledText(link.url);
  if (url === undefined) return [];
  const title = findFilledText(link.title);
  const { start_index: start, end_index: end } = link;
  return [
    {
      url,
      ...(title === undefined ? {} : { title }),
      ...(typeof start === 'number' && typeof end === 'number' ? { start, end } : {}),
    },
  ];
}

export function moveCitation(citation: Citation, by: number): Citation {
  if (citation.start === undefined || citation.end === undefined) return citation;
  return { ...citation, start: citation.start + by, end: citation.end + by };
}
