import type { Target } from '../hub/codec.ts';
import { isArray, isObject, type JsonObject, type JsonValue } from '../hub/content/json.ts';
import { isEnvelopeAt, unwrapSignatures } from '../hub/envelope.ts';
import { mayReturn, NO_ISSUER, type Signature } from '../hub/signature.ts';
import { withoutOurs } from './citations.ts';
import { findText } from './fields.ts';
import { withoutOurSearches } from './search-blocks.ts';

/**
 * For a body that stays in its protocol: envelopes of this target are opened. Other vendors' thinking is
 * removed with its block, because a block is invalid without its signature.
 */
export function returnSignatures(body: JsonObject, target: Target): JsonObject {
  if (!isArray(body.messages)) return body;
  const messages = body.messages.flatMap((message) => returnInMessage(message, target));
  return withoutBareThinking({ ...body, messages }, messages, target);
}

function returnInMessage(message: JsonValue, target: Target): readonly JsonValue[] {
  if (!isObject(message) || message.role !== 'assistant' || !isArray(message.content)) return [message];
  const content = withoutOurSearches(message.content).flatMap((block) => returnBlock(block, target));
  // The vendor merges neighbours of one role.
  return content.length === 0 && message.content.length > 0 ? [] : [{ ...message, content }];
}

function returnBlock(block: JsonValue, target: Target): readonly JsonValue[] {
  if (!isObject(block)) return [block];
  const { type } = block;
  if (type === 'text') return [withoutOurs(block)];
  if (type !== 'thinking' && type !== 'redacted_thinking') return [block];
  if (target.issuer === NO_ISSUER) return [];
  const value = findText(type === 'thinking' ? block.signature : block.data) ?? '';
  const envelope = unwrapSignatures(value);
  // A damaged envelope of ours belongs to no vendor.
  if (envelope === undefined) return isEnvelopeAt(Buffer.from(value), 0) ? [] : [block];
  const text = findText(block.thinking) ?? '';
  return envelope
    .filter((signature) => mayReturn(signature, target))
    .flatMap((signature) => restore(signature, text));
}

function restore(signature: Signature, text: string): readonly JsonObject[] {
  if (signature.form === 'redacted') return [{ type: 'redacted_thinking', data: signature.value }];
  if (signature.form !== 'signature') return [];
  return [{ type: 'thinking', thinking: signature.text ?? text, signature: signature.value }];
}

/**
 * With manual thinking, the turn whose tools were just answered must begin with its thinking. If that is
 * lost, thinking is switched off for this request (rule C-43).
 */
function withoutBareThinking(body: JsonObject, messages: readonly JsonValue[], target: Target): JsonObject {
  const { thinking } = body;
  const isManual = isObject(thinking) && thinking.type === 'enabled';
  if (!isManual || !target.capabilities.thinkingOff) return body;
  const last = messages.findLast((message) => isObject(message) && message.role === 'assistant');
  const blocks = isObject(last) && isArray(last.content) ? last.content.filter(isObject) : [];
  const isCalling = blocks.some(({ type }) => type === 'tool_use');
  const first = findText(blocks[0]?.type) ?? '';
  if (!isCalling || first.endsWith('thinking') || !endsWithResult(messages)) return body;
  return { ...body, thinking: { type: 'disabled' } };
}

function endsWithResult(messages: readonly JsonValue[]): boolean {
  const last = messages.at(-1);
  if (!isObject(last) || !isArray(last.content)) return false;
  return last.content.some((block) => isObject(block) && block.type === 'tool_result');
}
