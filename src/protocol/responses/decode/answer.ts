import type { AnswerError, Finish, HubAnswer, Logprob } from '../../hub/answer.ts';
import type { Session } from '../../hub/codec.ts';
import { isObject, type JsonObject, writeJson } from '../../hub/content/json.ts';
import type { Part } from '../../hub/part.ts';
import type { Figures } from '../../meter/usage-report.ts';
import { listObjects, objectOrEmpty, textOrEmpty } from '../fields.ts';
import { decodeLogprobs } from '../logprobs.ts';
import { decodeUsage } from '../usage.ts';
import { decodeCitations } from './parts.ts';
import { encryptedSignature, reasoningText } from './reasoning.ts';
import { decodeVendorTool } from './vendor-tools.ts';

export function decodeAnswer(body: JsonObject, session: Session, figures?: Figures): HubAnswer | AnswerError {
  const error = answerError(body);
  if (error !== undefined) return error;
  const items = listObjects(body.output);
  const parts = items.flatMap((item) => decodeOutputItem(item, session));
  const logprobs = items.flatMap(itemLogprobs);
  const finish = toFinish(body, {
    tool: parts.some((part) => part.kind === 'tool-call'),
    refusal: parts.some((part) => part.kind === 'refusal'),
  });
  const id = textOrEmpty(body.id);
  const tier = textOrEmpty(body.service_tier);
  return {
    id: id === '' ? undefined : id,
    choices: [{ parts, finish, ...(logprobs.length > 0 ? { logprobs } : {}) }],
    usage: decodeUsage(figures),
    serviceTier: tier === '' ? undefined : tier,
  };
}

/** A response that failed, or a 200 with only an error. */
export function answerError(body: JsonObject): AnswerError | undefined {
  if (isObject(body.error)) return toAnswerError(body.error);
  if (body.status !== 'failed' && body.status !== 'cancelled') return undefined;
  return toAnswerError({ message: `the response is ${body.status}` });
}

const BAD_REQUEST = /^(invalid_|context_length|image_|unsupported_|empty_image|content_policy|.*_policy)/;
const STATUSES: ReadonlyMap<string, number> = new Map([
  ['rate_limit_exceeded', 429],
  ['insufficient_quota', 429],
  ['server_is_overloaded', 503],
  ['slow_down', 503],
]);

export function toAnswerError(error: JsonObject): AnswerError {
  const code = typeof error.code === 'number' ? String(error.code) : textOrEmpty(error.code);
  const type = textOrEmpty(error.type);
  const word = code === '' ? type : code;
  return {
    status: STATUSES.get(word) ?? (BAD_REQUEST.test(word) ? 400 : 500),
    code: code === '' ? undefined : code,
    type: type === '' ? undefined : type,
    message: textOrEmpty(error.message) || 'the vendor reported an error without a message',
  };
}

export function decodeOutputItem(item: JsonObject, session: Session): readonly Part[] {
  switch (item.type) {
    case 'message':
      return listObjects(item.content).flatMap(decodeOutputPart);
    case 'reasoning':
      return decodeReasoningItem(item, session);
    case 'function_call':
    case 'custom_tool_call':
      return [decodeCall(item)];
    default:
      return [decodeVendorTool(item)];
  }
}

function decodeOutputPart(part: JsonObject): readonly Part[] {
  if (part.type === 'refusal') return [{ kind: 'refusal', text: textOrEmpty(part.refusal) }];
  const text = textOrEmpty(part.text);
  const citations = decodeCitations(part.annotations);
  return text === '' ? [] : [{ kind: 'text', text, ...(citations.length > 0 ? { citations } : {}) }];
}

function decodeReasoningItem(item: JsonObject, session: Session): readonly Part[] {
  const text = reasoningText(item);
  const encrypted = textOrEmpty(item.encrypted_content);
  if (encrypted !== '') {
    const signature = encryptedSignature(session.target.issuer, encrypted, textOrEmpty(item.id));
    return [{ kind: 'reasoning', text, signature }];
  }
  return text === '' ? [] : [{ kind: 'reasoning', text }];
}

function decodeCall(item: JsonObject): Part {
  const custom = item.type === 'custom_tool_call';
  const namespace = textOrEmpty(item.namespace);
  return {
    kind: 'tool-call',
    id: textOrEmpty(item.call_id),
    name: textOrEmpty(item.name),
    ...(namespace === '' ? {} : { namespace }),
    arguments: custom ? textOrEmpty(item.input) : callArguments(item),
    custom,
  };
}

/** Some vendors write the arguments as an object. */
export function callArguments(item: JsonObject): string {
  const given = item.arguments;
  const text = typeof given === 'string' ? given : writeJson(given ?? {});
  return text === '' ? '{}' : text;
}

function itemLogprobs(item: JsonObject): readonly Logprob[] {
  return listObjects(item.content).flatMap((part) => decodeLogprobs(part.logprobs));
}

const INCOMPLETE: ReadonlyMap<string, Finish> = new Map<string, Finish>([
  ['content_filter', { reason: 'filter' }],
  ['steered', { reason: 'stop' }],
]);

/** `tool` and `refusal`: whether the answer contains a call or a refusal (rule C-50). */
export function toFinish(
  body: JsonObject,
  seen: { readonly tool: boolean; readonly refusal: boolean },
): Finish {
  if (body.status === 'incomplete') {
    const reason = textOrEmpty(objectOrEmpty(body.incomplete_details).reason);
    return INCOMPLETE.get(reason) ?? { reason: 'length' };
  }
  if (seen.tool) return { reason: 'tool' };
  return { reason: seen.refusal ? 'refusal' : 'stop' };
}
