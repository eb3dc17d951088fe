import { type Blob, mayReturn } from '../hub/blob.ts';
import { unwrapBlobs } from '../hub/envelope.ts';
import { isArray, isObject, type JsonObject, type JsonValue } from '../hub/json.ts';
import type { Target } from '../hub/spoke.ts';
import { anyObject, filledText } from './fields.ts';
import { signatureSlot } from './wire.ts';

/** A target that takes no blob at all, not even its own (it refused one). */
const NO_ISSUER = 'none';

/** The body with every blob that may not go to the target taken out; all else stays as it was written. */
export function returnChatBlobs(body: JsonObject, target: Target): JsonObject {
  if (!isArray(body.messages)) return body;
  return { ...body, messages: body.messages.map((message) => cleanMessage(message, target)) };
}

function cleanMessage(message: JsonValue, target: Target): JsonValue {
  if (!isObject(message)) return message;
  const cleaned = { ...cleanSignature(message, target) } as Record<string, JsonValue | undefined>;
  if (isArray(message.tool_calls)) {
    cleaned.tool_calls = message.tool_calls.map((call) =>
      isObject(call) ? cleanSignature(call, target) : call,
    );
  }
  if (isArray(message.reasoning_details)) {
    const details = message.reasoning_details.filter((detail) => mayStay(anyObject(detail), target));
    cleaned.reasoning_details = details.length === 0 ? undefined : details;
  }
  return cleaned;
}

/** Our envelope is opened for its issuer; for others the slot goes, which means nothing without it. */
function cleanSignature(holder: JsonObject, target: Target): JsonObject {
  const value = filledText(anyObject(anyObject(holder.extra_content).google).thought_signature);
  if (value === undefined) return holder;
  const blobs = unwrapBlobs(value);
  if (blobs === undefined && target.issuer !== NO_ISSUER) return holder;
  const own = (blobs ?? []).find((blob) => blob.form === 'thought' && mayGo(blob, target));
  return { ...holder, extra_content: own === undefined ? undefined : signatureSlot(own.value) };
}

/** Details hold their vendor's seals; only foreign envelopes are ours to take out. */
function mayStay(detail: JsonObject, target: Target): boolean {
  const sealed = filledText(detail.signature) ?? filledText(detail.data);
  if (sealed === undefined) return true;
  return target.issuer !== NO_ISSUER && unwrapBlobs(sealed) === undefined;
}

function mayGo(blob: Blob, target: Target): boolean {
  return target.issuer !== NO_ISSUER && mayReturn(blob, target);
}
