import type { Blob } from '../hub/blob.ts';
import { unwrapBlobs } from '../hub/envelope.ts';
import type { JsonObject } from '../hub/json.ts';
import type { ReasoningPart } from '../hub/part.ts';
import { textOf } from './fields.ts';

/**
 * A `thinking` or `redacted_thinking` block. Its opaque field holds the vendor's own value, which `issuer`
 * then names, or an envelope of ours with blobs of anybody's: each of them becomes a part of its own.
 */
export function decodeReasoning(block: JsonObject, issuer: string): readonly ReasoningPart[] {
  const isRedacted = block.type === 'redacted_thinking';
  const text = isRedacted ? '' : (textOf(block.thinking) ?? '');
  const value = textOf(isRedacted ? block.data : block.signature) ?? '';
  if (value === '') return text === '' ? [] : [{ kind: 'reasoning', text }];
  const wrapped = unwrapBlobs(value);
  if (wrapped === undefined) {
    const form = isRedacted ? 'redacted' : 'signature';
    return [{ kind: 'reasoning', text, blob: { issuer, form, place: 'reasoning', value } }];
  }
  if (wrapped.length === 0) return text === '' ? [] : [{ kind: 'reasoning', text }];
  return wrapped.map((blob, index): ReasoningPart => {
    // The client brought the text back itself: it belongs to the first blob.
    const shown = index === 0 ? text : (blob.text ?? '');
    return { kind: 'reasoning', text: shown, blob: withoutText(blob) };
  });
}

function withoutText(blob: Blob): Blob {
  if (blob.text === undefined) return blob;
  const { text: _text, ...rest } = blob;
  return rest;
}
