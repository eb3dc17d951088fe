import { type JsonObject, type JsonValue, writeJson } from '../../hub/content/json.ts';
import { Inexpressible } from '../../hub/notes.ts';
import type { Part, TextPart, ToolCallPart, ToolResultPart } from '../../hub/part.ts';
import type { Turn } from '../../hub/request.ts';
import { optionalText, requireObject, requireText } from '../fields.ts';
import { runsAtVendor, typedTool } from '../typed-tools.ts';
import { decodeContent } from './parts.ts';
import { decodeReasoning } from './reasoning.ts';
import { type CollectedTools, decodeTools } from './tools.ts';
import { decodeVendorTool, isVendorTool } from './vendor-tools.ts';

/** The conversation while its items are read. */
export interface Conversation {
  readonly system: TextPart[];
  readonly turns: { readonly role: Turn['role']; readonly parts: Part[] }[];
  readonly collected: CollectedTools;
  /** Shell calls in the vendor's container: their outputs are the vendor's too. */
  readonly vendorCalls: Set<string>;
}

type ItemReader = (item: JsonObject, path: string, to: Conversation) => void;

const READERS: ReadonlyMap<string, ItemReader> = new Map<string, ItemReader>([
  ['message', readMessage],
  ['reasoning', (item, path, to) => say(to, 'assistant', decodeReasoning(item, path))],
  ['function_call', readFunctionCall],
  ['function_call_output', readResult],
  ['custom_tool_call', readCustomCall],
  ['custom_tool_call_output', readResult],
  ['additional_tools', (item, path, to) => decodeTools(to.collected, item.tools, `${path}.tools`)],
  ['local_shell_call', readTypedCall],
  ['local_shell_call_output', readTypedResult],
  ['shell_call', readTypedCall],
  ['shell_call_output', readTypedResult],
  ['apply_patch_call', readTypedCall],
  ['apply_patch_call_output', readTypedResult],
  ['tool_search_call', readTypedCall],
  ['tool_search_output', readTypedResult],
]);

/** Known fields of items without a reader of their own. They are read, or mean nothing to another vendor. */
const PLAIN: ReadonlySet<string> = new Set([
  ...['message', 'reasoning', 'function_call', 'function_call_output'],
  ...['custom_tool_call', 'custom_tool_call_output'],
]);
const KNOWN: ReadonlySet<string> = new Set([
  ...['type', 'id', 'status', 'role', 'content', 'phase', 'summary', 'encrypted_content', 'call_id', 'name'],
  ...['namespace', 'arguments', 'input', 'output'],
]);

/** Items that only their vendor can read. They are kept, and refused where they cannot be sent. */
const OPAQUE: ReadonlySet<string> = new Set([
  'compaction',
  'compaction_trigger',
  'computer_call',
  'computer_call_output',
  'configuration_update',
  'mcp_approval_request',
  'mcp_approval_response',
  'program',
  'program_output',
]);

export function decodeItems(input: readonly JsonValue[], to: Conversation): void {
  for (const [index, value] of input.entries()) {
    const path = `input[${index}]`;
    const item = requireObject(value, path);
    decodeItem(item, path, to);
  }
}

function decodeItem(item: JsonObject, path: string, to: Conversation): void {
  const type =
    optionalText(item.type, `${path}.type`) ?? (item.role === undefined ? 'item_reference' : 'message');
  if (type === 'item_reference') {
    throw new Inexpressible(path, 'an item_reference needs its conversation to be stored');
  }
  const read = READERS.get(type);
  if (PLAIN.has(type)) to.collected.notes.dropOthers(item, KNOWN, path);
  if (read !== undefined) read(item, path, to);
  else if (isVendorTool(type)) say(to, 'assistant', [decodeVendorTool(item)]);
  else if (OPAQUE.has(type)) {
    const role = type.endsWith('_output') || type.endsWith('_response') ? 'user' : 'assistant';
    say(to, role, [{ kind: 'opaque', protocol: 'responses', type, raw: writeJson(item), path }]);
  } else throw new Inexpressible(path, `an item of type '${type}' is not known`);
}

/** Consecutive items of one role are one turn: a message, its reasoning and its calls. */
function say(to: Conversation, role: Turn['role'], parts: readonly Part[]): void {
  if (parts.length === 0) return;
  const last = to.turns.at(-1);
  if (last?.role === role) last.parts.push(...parts);
  else to.turns.push({ role, parts: [...parts] });
}

function readMessage(item: JsonObject, path: string, to: Conversation): void {
  const role = requireText(item.role, `${path}.role`);
  const parts = decodeContent(item.content, `${path}.content`, to.collected.notes);
  if (item.phase !== undefined && item.phase !== null) to.collected.notes.drop('input[].phase');
  if (role === 'user' || role === 'assistant') say(to, role, parts);
  else if (role === 'system' || role === 'developer') readSystem(parts, path, to);
  else throw new Inexpressible(`${path}.role`, `'${role}' is not known`);
}

/** The leading ones are the system text. Later ones stay in place (rule C-11). */
function readSystem(parts: readonly Part[], path: string, to: Conversation): void {
  const texts = parts.filter((part) => part.kind === 'text');
  if (texts.length < parts.length) {
    throw new Inexpressible(`${path}.content`, 'a system message holds text only');
  }
  if (to.turns.length === 0) to.system.push(...texts);
  else say(to, 'system', texts);
}

function readFunctionCall(item: JsonObject, path: string, to: Conversation): void {
  const given = item.arguments;
  const text = typeof given === 'string' ? given : writeJson(given ?? {});
  say(to, 'assistant', [{ ...call(item, path), arguments: text || '{}', custom: false }]);
}

function readCustomCall(item: JsonObject, path: string, to: Conversation): void {
  const input = optionalText(item.input, `${path}.input`) ?? '';
  say(to, 'assistant', [{ ...call(item, path), arguments: input, custom: true }]);
}

function call(item: JsonObject, path: string): Omit<ToolCallPart, 'arguments' | 'custom'> {
  const namespace = optionalText(item.namespace, `${path}.namespace`);
  return {
    kind: 'tool-call',
    id: optionalText(item.call_id, `${path}.call_id`) ?? '',
    name: requireText(item.name, `${path}.name`),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

function readResult(item: JsonObject, path: string, to: Conversation): void {
  const parts = decodeContent(item.output, `${path}.output`, to.collected.notes);
  const custom = item.type === 'custom_tool_call_output';
  say(to, 'user', [result({ callId: optionalText(item.call_id, `${path}.call_id`) ?? '', parts, custom })]);
}

function result(
  fields: Pick<ToolResultPart, 'callId' | 'parts' | 'custom'> & { readonly isError?: boolean },
): ToolResultPart {
  return { kind: 'tool-result', isError: false, ...fields };
}

function readTypedCall(item: JsonObject, path: string, to: Conversation): void {
  const type = String(item.type).replace(/_call$/, '');
  const typed = typedTool(type);
  const id = optionalText(item.call_id, `${path}.call_id`) ?? '';
  if (typed === undefined || runsAtVendor(item)) {
    to.vendorCalls.add(id);
    say(to, 'assistant', [decodeVendorTool(item)]);
    return;
  }
  const text = typed.toArguments(item);
  say(to, 'assistant', [{ kind: 'tool-call', id, name: type, arguments: text, custom: false }]);
}

function readTypedResult(item: JsonObject, path: string, to: Conversation): void {
  const typed = typedTool(String(item.type).replace(/(_call)?_output$/, ''));
  // A local shell's output has the id of its call in `id`.
  const callId = optionalText(item.call_id ?? item.id, `${path}.call_id`) ?? '';
  if (item.type === 'tool_search_output') decodeTools(to.collected, item.tools, `${path}.tools`);
  if (typed === undefined || to.vendorCalls.has(callId) || runsAtVendor(item)) {
    say(to, 'assistant', [decodeVendorTool(item)]);
    return;
  }
  const text = typed.toResultText(item);
  const parts: readonly Part[] = text === '' ? [] : [{ kind: 'text', text }];
  say(to, 'user', [result({ callId, parts, custom: false, isError: item.status === 'failed' })]);
}
