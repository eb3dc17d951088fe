import {
  isObject,
  type JsonObject,
  type JsonValue,
  RawJson,
  readJson,
  writeJson,
} from '../hub/content/json.ts';
import type { HubRequest } from '../hub/request.ts';
import { listObjects, objectOrEmpty, textOrEmpty } from './fields.ts';

/**
 * Tools that Responses has types for but that run at the client. Other vendors get a function with the same
 * fields. The calls go back to the client in the form that it declared.
 */
export interface TypedTool {
  /** Its type at the client, and the name of the function. */
  readonly type: string;
  readonly idPrefix: string;
  readonly description: string;
  readonly schema: string;
  /** The arguments of the function for a call of the history. */
  toArguments(call: JsonObject): string;
  /** The result in the client's output item, as text. */
  toResultText(output: JsonObject): string;
  /** The fields of a call for the client. */
  callFields(argumentsText: string): JsonObject;
}

const LOCAL_SHELL: TypedTool = {
  type: 'local_shell',
  idPrefix: 'lsh',
  description: 'Runs a command in a shell on the machine of the user and returns its output.',
  schema:
    '{"type":"object","properties":{"command":{"type":"array","items":{"type":"string"},"description":' +
    '"The command and its arguments."},"working_directory":{"type":"string"},"timeout_ms":{"type":"number"},' +
    '"env":{"type":"object","additionalProperties":{"type":"string"}}},"required":["command"]}',
  toArguments: (call) => writeJson(without(objectOrEmpty(call.action), 'type')),
  toResultText: (output) => textOrEmpty(output.output),
  callFields: (text) => {
    const { command, ...rest } = argumentsObject(text);
    return { action: { type: 'exec', command: command ?? [], env: {}, ...rest } };
  },
};

const SHELL: TypedTool = {
  type: 'shell',
  idPrefix: 'sh',
  description: 'Runs shell commands one after the other and returns the output of each.',
  schema:
    '{"type":"object","properties":{"commands":{"type":"array","items":{"type":"string"}},"timeout_ms":' +
    '{"type":"number"},"max_output_length":{"type":"number"}},"required":["commands"]}',
  toArguments: (call) => writeJson(withoutNulls(objectOrEmpty(call.action))),
  toResultText: (output) => listObjects(output.output).map(shellResult).join('\n'),
  callFields: (text) => {
    const { commands, timeout_ms, max_output_length } = argumentsObject(text);
    return {
      action: {
        commands: commands ?? [],
        max_output_length: max_output_length ?? null,
        timeout_ms: timeout_ms ?? null,
      },
      environment: { type: 'local' },
    };
  },
};

const APPLY_PATCH: TypedTool = {
  type: 'apply_patch',
  idPrefix: 'apc',
  description:
    'Creates, updates or deletes one file. `diff` holds the new content or the changes as lines that begin ' +
    'with `+`, `-` or a blank, in hunks that begin with `@@`; a deletion has none.',
  schema:
    '{"type":"object","properties":{"type":{"type":"string","enum":["create_file","update_file",' +
    '"delete_file"]},"path":{"type":"string"},"diff":{"type":"string"}},"required":["type","path"]}',
  toArguments: (call) => writeJson(objectOrEmpty(call.operation)),
  toResultText: (output) => textOrEmpty(output.output) || textOrEmpty(output.status),
  callFields: (text) => ({ operation: argumentsObject(text) }),
};

const TOOL_SEARCH: TypedTool = {
  type: 'tool_search',
  idPrefix: 'tsc',
  description: 'Searches for tools that are not loaded yet; those it finds can be called afterwards.',
  schema: '{"type":"object","properties":{"goal":{"type":"string"}},"required":["goal"]}',
  toArguments: (call) => writeJson(call.arguments ?? {}),
  toResultText: (output) => {
    const names = listObjects(output.tools).map((tool) => textOrEmpty(tool.name));
    return names.length === 0 ? 'No tools were found.' : `Tools that can be called now: ${names.join(', ')}`;
  },
  callFields: (text) => ({ arguments: new RawJson(objectText(text)), execution: 'client' }),
};

const TYPED_TOOLS: readonly TypedTool[] = [LOCAL_SHELL, SHELL, APPLY_PATCH, TOOL_SEARCH];
const BY_TYPE: ReadonlyMap<string, TypedTool> = new Map(TYPED_TOOLS.map((tool) => [tool.type, tool]));

export function typedTool(type: string): TypedTool | undefined {
  return BY_TYPE.get(type);
}

/** Runs in a container of the vendor, or searches there: the client cannot do this for another vendor. */
export function runsAtVendor(declared: JsonObject): boolean {
  if (declared.type === 'shell' || declared.type === 'shell_call') {
    return textOrEmpty(objectOrEmpty(declared.environment).type).startsWith('container');
  }
  if (declared.type === 'tool_search' || String(declared.type).startsWith('tool_search_')) {
    return declared.execution !== 'client';
  }
  return false;
}

/** The typed tools of a client's request, by the names of their functions. */
export function listTypedTools(request: HubRequest): ReadonlyMap<string, TypedTool> {
  const found = new Map<string, TypedTool>();
  for (const tool of request.tools) {
    const typed = tool.kind === 'function' && tool.clientType ? BY_TYPE.get(tool.clientType) : undefined;
    if (typed !== undefined) found.set(tool.name, typed);
  }
  return found;
}

function shellResult(result: JsonObject): string {
  const outcome = objectOrEmpty(result.outcome);
  const end =
    outcome.type === 'timeout' ? '[timed out]' : `[exit code ${writeJson(outcome.exit_code ?? null)}]`;
  return [textOrEmpty(result.stdout), textOrEmpty(result.stderr), end]
    .filter((text) => text !== '')
    .join('\n');
}

/** The model's arguments as an object; empty if they are not one. */
function argumentsObject(text: string): JsonObject {
  return readJson(text, NO_KEYS) ?? {};
}

function objectText(text: string): string {
  return readJson(text, NO_KEYS) === undefined ? '{}' : text;
}

const NO_KEYS: ReadonlySet<string> = new Set();

function without(fields: JsonObject, name: string): JsonObject {
  const { [name]: _left, ...rest } = fields;
  return withoutNulls(rest);
}

function withoutNulls(fields: JsonObject): JsonObject {
  const kept: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(fields)) {
    const isEmpty = isObject(value) && Object.keys(value).length === 0;
    if (value !== undefined && value !== null && !isEmpty) kept[key] = value;
  }
  return kept;
}
