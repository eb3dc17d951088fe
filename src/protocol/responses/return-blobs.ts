import { mayReturn } from '../hub/blob.ts';
import type { Target } from '../hub/codec.ts';
import { isArray, isObject, type JsonObject, type JsonValue } from '../hub/content/json.ts';
import { unwrapBlobs } from '../hub/envelope.ts';
import { textOrEmpty } from './fields.ts';

/** Items whose ids a vendor checks against the reasoning before them. They work without ids. */
const LINKED: ReadonlySet<unknown> = new Set(['message', 'function_call', 'custom_tool_call']);
/** After a vendor refused a blob: none may be sent back, not even its own. */
const NO_TARGET = 'none';

/**
 * Items of this vendor get back the contents of their envelope. All other envelopes are removed with their
 * items.
 */
export function returnBlobs(body: JsonObject, target: Target): JsonObject {
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
  const blobs = unwrapBlobs(encrypted);
  if (target.issuer === NO_TARGET) return [];
  if (blobs === undefined) return [item];
  return blobs
    .filter((blob) => blob.form === 'encrypted' && mayReturn(blob, target))
    .map((blob) => {
      const id = blob.itemId === undefined ? {} : { id: blob.itemId };
      return { type: 'reasoning', ...id, summary: item.summary ?? [], encrypted_content: blob.value };
    });
}

function withoutLink(item: JsonValue): JsonValue {
  if (!isObject(item) || !LINKED.has(item.type) || item.id === undefined) return item;
  const { id: _link, ...rest } = item;
  return rest;
}
