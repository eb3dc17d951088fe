import type { Target } from '../hub/codec.ts';
import { isArray, isObject, type JsonObject, type JsonValue } from '../hub/content/json.ts';
import { unwrapSignatures } from '../hub/envelope.ts';
import { mayReturn, NO_ISSUER } from '../hub/signature.ts';
import { findFilledText, objectOrEmpty } from './fields.ts';
import { SIGNATURE_LOST, signatureSlot } from './wire.ts';

/**
 * The body without the signatures that may not be sent to the target. Everything else stays as it was
 * written.
 */
export function returnChatSignatures(body: JsonObject, target: Target): JsonObject {
  if (!isArray(body.messages)) return body;
  return { ...body, messages: body.messages.map((message) => cleanMessage(message, target)) };
}

function cleanMessage(message: JsonValue, target: Target): JsonValue {
  if (!isObject(message)) return message;
  const cleaned = { ...cleanSignature(message, target, undefined) } as Record<string, JsonValue | undefined>;
  if (isArray(message.tool_calls)) {
    const { signaturesRequired } = target.capabilities;
    const lost = signaturesRequired ? signatureSlot(SIGNATURE_LOST) : undefined;
    cleaned.tool_calls = message.tool_calls.map((call) =>
      isObject(call) ? cleanSignature(call, target, lost) : call,
    );
  }
  if (isArray(message.reasoning_details)) {
    const details = message.reasoning_details.filter((detail) => mayStay(objectOrEmpty(detail), target));
    cleaned.reasoning_details = details.length === 0 ? undefined : details;
  }
  return cleaned;
}

/** Our envelope is opened for its issuer. For others the field is removed, or marked as lost. */
function cleanSignature(holder: JsonObject, target: Target, lost: JsonObject | undefined): JsonObject {
  const value = findFilledText(objectOrEmpty(objectOrEmpty(holder.extra_content).google).thought_signature);
  if (value === undefined) return holder;
  const signatures = unwrapSignatures(value);
  if (signatures === undefined && target.issuer !== NO_ISSUER) return holder;
  const own = (signatures ?? []).find(
    (signature) => signature.form === 'thought' && mayReturn(signature, target),
  );
  return { ...holder, extra_content: own === undefined ? lost : signatureSlot(own.value) };
}

/** Details have their vendor's own signatures. Only other vendors' envelopes are removed. */
function mayStay(detail: JsonObject, target: Target): boolean {
  const signature = findFilledText(detail.signature) ?? findFilledText(detail.data);
  if (signature === undefined) return true;
  return target.issuer !== NO_ISSUER && unwrapSignatures(signature) === undefined;
}
