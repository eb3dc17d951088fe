import type { Target } from '../hub/codec.ts';
import { isArray, isObject, type JsonObject, type JsonValue } from '../hub/content/json.ts';
import { unwrapSignatures } from '../hub/envelope.ts';
import { mayReturn } from '../hub/signature.ts';
import { textOrEmpty } from './fields.ts';

/** Items whose ids a vendor checks against the reasoning before them. They work without ids. */
const LINKED: ReadonlySet<unknown> = new Set(['message', 'function_call', 'custom_tool_call']);
/** After a vendor refused a signature: none may be sent back, not even its own. */
const NO_TARGET = 'none';

/**
 * Items of this vendor get back the contents of their envelope. All other envelopes are removed with their
 * items.
 */
export function returnSignatures(body: JsonObject, target: Target): JsonObject {
  const { input } = body;
  if (!isArray(input)) return body;
  const items = input.map((item) => returnItem(item, target));
  if (items.every((item, index) => item.length === 1 && item[0] === input[index])) return body;
  return { ...body, input: items.flat().map(withoutLink) };
}

function returnItem(item: JsonValue, target: Target): readonly JsonValue[] {
  if (!isObject(item) || item.type !== 'reasoning') return [item];
  const encrypted = textOrEmpty(item.encrypted_content);
  if (encrypted === '') return [item];
  const signatures = unwrapSignatures(encrypted);
  if (target.issuer === NO_TARGET) return [];
  if (signatures === undefined) return [item];
  return signatures
    .filter((signature) => signature.form === 'encrypted' && mayReturn(signature, target))
    .map((signature) => {
      const id = signature.itemId === undefined ? {} : { id: signature.itemId };
      return { type: 'reasoning', ...id, summary: item.summary ?? [], encrypted_content: signature.value };
    });
}

function withoutLink(item: JsonValue): JsonValue {
  if (!isObject(item) || !LINKED.has(item.type) || item.id === undefined) return item;
  const { id: _link, ...rest } = item;
  return rest;
}
