import { JSON_DEPTH_MAX, STREAM_EVENT_BYTES_MAX } from '../../bounds.ts';
import { isJsonObject, parseJson } from '../../kernel/encoding/json.ts';
import { type JsonObject, type JsonValue, writeJson } from '../hub/content/json.ts';
import { unwrapSignatures } from '../hub/envelope.ts';
import type { ReasoningPart } from '../hub/part.ts';
import type { Signature } from '../hub/signature.ts';
import { findFilledText } from './fields.ts';

/**
 * `reasoning_details` is OpenRouter's addition: thinking with the values that its vendor needs back. Each
 * entry is a text, a summary or a ciphertext. Texts may have a signature.
 */
export interface Detail {
  readonly text: string;
  readonly signatures: readonly Signature[];
}

/**
 * `issuer` is the vendor that answered. `undefined`: a client's history, which names the maker in `format`.
 */
export function decodeDetail(detail: JsonObject, issuer: string | undefined): Detail {
  const text = findFilledText(detail.text) ?? findFilledText(detail.summary) ?? '';
  const signature = findFilledText(detail.signature) ?? findFilledText(detail.data);
  if (signature === undefined) return { text, signatures: [] };
  if (issuer !== undefined) return { text, signatures: [detailSignature(detail, issuer)] };
  return { text, signatures: unwrapSignatures(signature) ?? [nativeSignature(detail, signature)] };
}

/** The whole entry without its text, so that it can be sent back unchanged. */
function detailSignature(detail: JsonObject, issuer: string): Signature {
  const value = writeJson({ ...detail, text: undefined, summary: undefined });
  return { issuer, form: 'encrypted', place: 'reasoning', value };
}

function nativeSignature(detail: JsonObject, value: string): Signature {
  const format = findFilledText(detail.format) ?? '';
  const itemId = findFilledText(detail.id);
  if (format.startsWith('anthropic')) {
    const form = detail.type === 'reasoning.encrypted' ? 'redacted' : 'signature';
    return { issuer: 'messages', form, place: 'reasoning', value };
  }
  if (format.startsWith('openai-responses')) {
    return { issuer: 'responses', form: 'encrypted', place: 'reasoning', value, itemId };
  }
  if (format.startsWith('google')) return { issuer: 'gemini', form: 'thought', place: 'reasoning', value };
  return detailSignature(detail, 'chat');
}

/** Combines entries into parts: a text belongs to the signature that follows it, one signature per part. */
export function joinDetails(details: readonly Detail[]): readonly ReasoningPart[] {
  const parts: { kind: 'reasoning'; text: string; signature?: Signature }[] = [];
  const open = (): { text: string; signature?: Signature } => {
    const last = parts.at(-1);
    if (last !== undefined && last.signature === undefined) return last;
    const part = { kind: 'reasoning' as const, text: '' };
    parts.push(part);
    return part;
  };
  for (const { text, signatures } of details) {
    if (text !== '') open().text += text;
    for (const signature of signatures) open().signature = signature;
  }
  return parts;
}

/** A part as the entries that its vendor sent. Empty if its signature does not come from such an entry. */
export function encodeDetails(part: ReasoningPart): readonly JsonValue[] {
  if (part.signature === undefined) return [];
  const parsed = parseJson(part.signature.value, {
    bytesMax: STREAM_EVENT_BYTES_MAX,
    depthMax: JSON_DEPTH_MAX,
  });
  if (parsed.kind !== 'parsed' || !isJsonObject(parsed.value)) return [];
  const entry = parsed.value as JsonObject;
  if (part.text === '') return [entry];
  if (entry.type === 'reasoning.text') return [{ ...entry, text: part.text }];
  const summary = { type: 'reasoning.summary', summary: part.text, format: entry.format, index: entry.index };
  return [summary, entry];
}
