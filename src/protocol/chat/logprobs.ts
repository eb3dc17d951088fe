import type { Logprob } from '../hub/answer.ts';
import { isArray, isObject, type JsonObject, type JsonValue } from '../hub/content/json.ts';
import { listObjects } from './fields.ts';

/** `choices[].logprobs`; `undefined` if the vendor sent none. */
export function decodeLogprobs(value: JsonValue | undefined): readonly Logprob[] | undefined {
  if (!isObject(value) || !isArray(value.content)) return undefined;
  const entries = listObjects(value.content).map((entry) => ({
    ...decodeToken(entry),
    top: listObjects(entry.top_logprobs).map(decodeToken),
  }));
  return entries.length === 0 ? undefined : entries;
}

type Token = Omit<Logprob, 'top'>;

function decodeToken(entry: JsonObject): Token {
  const bytes = isArray(entry.bytes) ? entry.bytes.filter((byte) => typeof byte === 'number') : undefined;
  return {
    token: typeof entry.token === 'string' ? entry.token : '',
    logprob: typeof entry.logprob === 'number' ? entry.logprob : 0,
    ...(bytes === undefined ? {} : { bytes }),
  };
}

export function encodeLogprobs(logprobs: readonly Logprob[] | undefined): JsonObject | null {
  if (logprobs === undefined) return null;
  const content = logprobs.map((entry) => ({
    ...encodeToken(entry),
    top_logprobs: entry.top.map(encodeToken),
  }));
  return { content, refusal: null };
}

function encodeToken({ token, logprob, bytes }: Token): JsonObject {
  return { token, logprob, bytes: bytes ?? null };
}
