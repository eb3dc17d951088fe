import { firstRefusal } from '../openai/capability.ts';
import { invalid } from '../openai/error.ts';
import type { Reply } from '../request/ask.ts';
import { type Json, string } from '../request/json.ts';
import { isOwnReasoning } from './items.ts';

/** The rules between the items of an input: ids, calls and their outputs, reasoning and what follows it. */
export function refuseItems(items: readonly Json[], key: string): Reply | undefined {
  return firstRefusal([
    () => refuseIds(items),
    () => refuseCalls(items),
    () => refuseOutputs(items),
    () => refuseReasoningItems(items, key),
  ]);
}

const PREFIXES: ReadonlyMap<string, string> = new Map([
  ['message', 'msg'],
  ['function_call', 'fc'],
  ['custom_tool_call', 'ctc'],
  ['reasoning', 'rs'],
]);

function refuseIds(items: readonly Json[]): Reply | undefined {
  for (const [index, item] of items.entries()) {
    if (item.type === 'item_reference') return missingItem(item, index);
    const prefix = PREFIXES.get(string(item.type ?? 'message'));
    const { id } = item;
    if (prefix === undefined || typeof id !== 'string' || id.startsWith(`${prefix}_`)) continue;
    const param = `input[${index}].id`;
    const message = `Invalid '${param}': '${id}'. Expected an ID that begins with '${prefix}'.`;
    return invalid(message, param, 'invalid_value');
  }
  return undefined;
}

/** Items are not kept one by one here: every reference is one to something that was not stored. */
function missingItem(item: Json, index: number): Reply {
  return invalid(
    `Item with id '${string(item.id)}' not found. Items are not persisted when \`store\` is set to false. ` +
      'Try again with `store` set to true, or remove this item from your input.',
    `input[${index}].id`,
    null,
  );
}

function isCall(item: Json): boolean {
  return item.type === 'function_call' || item.type === 'custom_tool_call';
}

function isOutput(item: Json): boolean {
  return item.type === 'function_call_output' || item.type === 'custom_tool_call_output';
}

function refuseCalls(items: readonly Json[]): Reply | undefined {
  const outputs = items.filter(isOutput).map((item) => item.call_id);
  const seen = new Set<unknown>();
  for (const [index, item] of items.entries()) {
    if (!isCall(item)) continue;
    const callId = string(item.call_id);
    if (seen.has(callId)) {
      return invalid(`Duplicate item found with call_id ${callId}.`, `input[${index}].call_id`, null);
    }
    seen.add(callId);
    if (!outputs.includes(callId)) {
      return invalid(`No tool output found for function call ${callId}.`, 'input', null);
    }
  }
  return undefined;
}

function refuseOutputs(items: readonly Json[]): Reply | undefined {
  const called = new Set<unknown>();
  for (const [index, item] of items.entries()) {
    // Searches for tools are answered like calls, though nobody has to.
    if (string(item.type).endsWith('_call')) called.add(item.call_id);
    if (!isOutput(item)) continue;
    if (!called.has(item.call_id)) {
      const message = `No tool call found for function call output with call_id ${string(item.call_id)}.`;
      return invalid(message, 'input', null);
    }
    if (Array.isArray(item.output) && item.output.length === 0) {
      const param = `input[${index}].content[0]`;
      return invalid(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
    }
  }
  return undefined;
}

/** Encrypted reasoning is bound to its item and its owner, and the item to the one that followed it. */
function refuseReasoningItems(items: readonly Json[], key: string): Reply | undefined {
  for (const [index, item] of items.entries()) {
    if (item.type !== 'reasoning') continue;
    const following = items[index + 1];
    const followed = following !== undefined && !isOutput(following) && following.role !== 'user';
    if (!followed) {
      return invalid(
        `Item '${string(item.id)}' of type 'reasoning' was provided without its required following item.`,
        'input',
        null,
      );
    }
    const sealed = item.encrypted_content;
    if (typeof sealed !== 'string') continue;
    if (isOwnReasoning(sealed, item.id, key)) continue;
    return invalid(
      `The encrypted content for item ${string(item.id)} could not be verified. ` +
        'Reason: Encrypted content could not be decrypted or parsed.',
      null,
      'invalid_encrypted_content',
    );
  }
  return undefined;
}
