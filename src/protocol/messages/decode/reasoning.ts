import type { Blob } from '../../hub/blob.ts';
import type { JsonObject } from '../../hub/content/json.ts';
import { unwrapBlobs } from '../../hub/envelope.ts';
import type { ReasoningPart } from '../../hub/part.ts';
import { findText } from '../fields.ts';

/** A vendor's `thinking` or `redacted_thinking` block; empty if it has neither text nor signature. */
export function vendorReasoning(block: JsonObject, issuer: string): readonly ReasoningPart[] {
  const text = block.type === 'thinking' ? (findText(block.thinking) ?? '') : '';
  const value = opaqueField(block);
  if (value === '') return text === '' ? [] : [{ kind: 'reasoning', text }];
  const form = block.type === 'thinking' ? 'signature' : 'redacted';
  return [{ kind: 'reasoning', text, blob: { issuer, form, place: 'reasoning', value } }];
}

/**
 * The same from a client. There the opaque field may be an envelope of ours with blobs of any vendor, each of
 * which becomes a separate part. Any other value comes from a vendor of the client's protocol.
 */
export function clientReasoning(block: JsonObject): readonly ReasoningPart[] {
  const wrapped = unwrapBlobs(opaqueField(block));
  if (wrapped === undefined) return vendorReasoning(block, 'messages');
  const text = findText(block.thinking) ?? '';
  return wrapped.map((blob, index): ReasoningPart => {
    // The client sent the text back itself: it belongs to the first blob.
    const visible = index === 0 ? text : (blob.text ?? '');
    return { kind: 'reasoning', text: visible, blob: withoutText(blob) };
  });
}

function opaqueField(block: JsonObject): string {
  return findText(block.type === 'thinking' ? block.signature : block.data) ?? '';
}

function withoutText(blob: Blob): Blob {
  if (blob.text === undefined) return blob;
  const { text: _text, ...rest } = blob;
  return rest;
}
