import type { Target } from '../hub/codec.ts';
import { isArray, isObject, type JsonObject, type JsonValue } from '../hub/content/json.ts';
import { unwrapSignaturesBase64 } from '../hub/envelope.ts';
import { mayReturn, type Signature } from '../hub/signature.ts';
import { field, findText } from './fields.ts';
import { isSentinel } from './signature.ts';
import { SIGNATURE_SENTINEL } from './wire.ts';

/** Only `thoughtSignature` changes: envelopes are opened for their issuer, others are removed. */
export function returnSignatures(body: JsonObject, target: Target): JsonObject {
  const { contents } = body;
  if (contents === undefined) return body;
  return { ...body, contents: toList(contents).map((content) => returnContent(content, target)) };
}

/** Google accepts a single object instead of a list. */
function toList(value: JsonValue): readonly JsonValue[] {
  return isArray(value) ? value : [value];
}

function returnContent(content: JsonValue, target: Target): JsonValue {
  if (!isObject(content) || content.parts === undefined) return content;
  const parts = toList(content.parts).flatMap((part): readonly JsonValue[] =>
    isObject(part) ? returnPart(part, target) : [part],
  );
  // A turn may not be empty, so one with only foreign signatures gets an empty text.
  return { ...content, parts: parts.length === 0 ? [{ text: '' }] : parts };
}

function returnPart(part: JsonObject, target: Target): readonly JsonObject[] {
  const signature = findText(field(part, 'thoughtSignature'));
  if (signature === undefined || isSentinel(signature)) return [part];
  const envelope = unwrapSignaturesBase64(signature);
  if (envelope === undefined && target.issuer !== 'none') return [part];
  const { thoughtSignature, thought_signature, ...bare } = part;
  const signatures =
    target.issuer === 'none' ? [] : (envelope ?? []).filter((signature) => mayReturn(signature, target));
  const isCall = field(part, 'functionCall') !== undefined;
  const thoughts = isCall
    ? signatures.filter((signature) => signature.place === 'reasoning').map(thoughtPart)
    : [];
  const own = isCall ? signatures.find((signature) => signature.place === 'call') : signatures[0];
  if (own !== undefined) return [...thoughts, { ...bare, thoughtSignature: own.value }];
  if (isCall) return [...thoughts, withoutSignature(bare, target)];
  return isNothingUnsigned(bare) ? [] : [bare];
}

/** Without its signature an empty text is useless, and so is another vendor's thought. */
function isNothingUnsigned(bare: JsonObject): boolean {
  return field(bare, 'text') === '' || field(bare, 'thought') === true || Object.keys(bare).length === 0;
}

function withoutSignature(call: JsonObject, { capabilities }: Target): JsonObject {
  return capabilities.signaturesRequired ? { ...call, thoughtSignature: SIGNATURE_SENTINEL } : call;
}

function thoughtPart(signature: Signature): JsonObject {
  return { text: signature.text ?? '', thought: true, thoughtSignature: signature.value };
}
