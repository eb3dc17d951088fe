import type { Logprob } from '../hub/answer.ts';
import { isArray, type JsonObject, type JsonValue } from '../hub/content/json.ts';
import { findNumber, listObjects, textOrEmpty } from './fields.ts';

export function decodeLogprobs(value: JsonValue | undefined): readonly Logprob[] {
  if (!isArray(value) || value.length === 0) return [];
  return listObjects(value).map((entry) => ({
    ...decodeToken(entry),
    top: listObjects(entry.top_logprobs).map(decodeToken),
  }));
}

function decodeToken(entry: JsonObject): Omit<Logprob, 'top'> {
  const bytes = isArray(entry.bytes) ? entry.bytes.filter((byte) => typeof byte === 'number') : undefined;
  return {
    token: textOrEmpty(entry.token),
    logprob: findNumber(entry.logprob) ?? 0,
    ...(bytes === undefined ? {} : { bytes }),
  };
}

export function encodeLogprob(entry: Logprob): JsonObject {
  return { ...encodeToken(entry), top_logprobs: entry.top.map(encodeToken) };
}

function encodeToken(entry: Omit<Logprob, 'top'>): JsonObject {
  return { token: entry.token, bytes: entry.bytes ?? [], logprob: entry.logprob };
}
