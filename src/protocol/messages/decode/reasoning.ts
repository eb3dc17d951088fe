import type { JsonObject } from '../../hub/content/json.ts';
import { unwrapSignatures } from '../../hub/envelope.ts';
import type { ReasoningPart } from '../../hub/part.ts';
import type { Signature } from '../../hub/signature.ts';
import { findText } from '../fields.ts';

/** A vendor's `thinking` or `redacted_thinking` block; empty if it has neither text nor signature. */
export function vendorReasoning(block: JsonObject, issuer: string): readonly ReasoningPart[] {
  const text = block.type === 'thinking' ? (findText(block.thinking) ?? '') : '';
  const value = opaqueField(block);
  if (value === '') return text === '' ? [] : [{ kind: 'reasoning', text }];
  const form = block.type === 'thinking' ? 'signature' : 'redacted';
  return [{ kind: 'reasoning', text, signature: { issuer, form, place: 'reasoning', value } }];
}

/**
 * The same from a client. There the opaque field may be an envelope of ours with signatures of any vendor,
 * each of which becomes a separate part. Any other value comes from a vendor of the client's protocol.
 */
export function clientReasoning(block: JsonObject): readonly ReasoningPart[] {
  const wrapped = unwrapSignatures(opaqueField(block));
  if (wrapped === undefined) return vendorReasoning(block, 'messages');
  const text = findText(block.thinking) ?? '';
  return wrapped.map((signature, index): ReasoningPart => {
    // The client sent the text back itself: it belongs to the first signature.
    const visible = index === 0 ? text : (signature.text ?? '');
    return { kind: 'reasoning', text: visible, signature: withoutText(signature) };
  });
}

function opaqueField(block: JsonObject): string {
  return findText(block.type === 'thinking' ? block.signature : block.data) ?? '';
}

function withoutText(signature: Signature): Signature {
  if (signature.text === undefined) return signature;
  const { text: _text, ...rest } = signature;
  return rest;
}
