import { type JsonObject, type JsonValue, RawJson } from '../../hub/content/json.ts';
import type { FunctionTool, HubRequest, Tool } from '../../hub/request.ts';
import { objectRoot } from '../../hub/schema/schema-shape.ts';
import { isStrictSchema } from '../../hub/schema/strict-schema.ts';
import { askedSearch, loseSearchOptions } from '../../hub/web-search.ts';
import type { PartContext } from './parts.ts';

export interface ToolOptions {
  readonly tools?: readonly JsonObject[];
  readonly tool_choice?: JsonValue;
  readonly parallel_tool_calls?: boolean;
}

/** Without tools OpenAI accepts neither a choice, nor a setting for parallel calls, nor an empty list. */
export function encodeTools(request: HubRequest, context: PartContext): ToolOptions {
  for (const { path } of request.vendorTools) context.notes.drop(path);
  if (request.tools.length === 0) return {};
  const choice = encodeChoice(request, context);
  return {
    tools: request.tools.map((tool) => encodeTool(tool, context)),
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(request.parallelCalls === undefined ? {} : { parallel_tool_calls: request.parallelCalls }),
  };
}

function encodeTool(tool: Tool, context: PartContext): JsonObject {
  const { name, description } = tool;
  if (tool.kind === 'function') return { type: 'function', function: encodeFunction(tool, context) };
  const grammar = tool.grammar;
  const format = grammar === undefined ? {} : { format: { type: 'grammar', grammar: { ...grammar } } };
  return {
    type: 'custom',
    custom: { name, ...(description === undefined ? {} : { description }), ...format },
  };
}

function encodeFunction(tool: FunctionTool, context: PartContext): JsonObject {
  if (tool.cached === true) context.notes.lose('cacheMarks');
  const strict = encodeStrict(tool, context);
  return {
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    ...(tool.schema === undefined ? {} : { parameters: new RawJson(objectRoot(tool.schema)) }),
    ...(strict === undefined ? {} : { strict }),
  };
}

/**
 * OpenAI's own clients know its rules for strict. Other clients' strict schemas may leave properties
 * optional.
 */
function encodeStrict(tool: FunctionTool, { client, notes }: PartContext): boolean | undefined {
  if (tool.strict !== true || client === 'chat' || client === 'responses') return tool.strict;
  if (tool.schema !== undefined && isStrictSchema(objectRoot(tool.schema))) return true;
  notes.lose('strict');
  return undefined;
}

function encodeChoice(request: HubRequest, context: PartContext): JsonValue | undefined {
  const choice = request.toolChoice;
  if (choice === undefined) return undefined;
  if (choice.kind === 'auto' || choice.kind === 'none') return choice.kind;
  const isForced = choice.kind !== 'subset' || choice.required;
  const isRefused = isForced && !context.capabilities.forcedToolChoice;
  if (isRefused) context.notes.lose('toolChoice');
  if (choice.kind === 'subset')
    return encodeSubset(request, choice.names, isForced && !isRefused ? 'required' : 'auto');
  if (isRefused) return 'auto';
  if (choice.kind !== 'tool') return choice.kind;
  const named = namedTool(request, choice.name);
  if (named === undefined) context.notes.lose('toolChoice');
  return named ?? 'auto';
}

function encodeSubset(request: HubRequest, names: readonly string[], mode: 'auto' | 'required'): JsonValue {
  const byName = new Map(request.tools.map((tool) => [tool.name, tool]));
  const tools = names.map((name) => toolEntry(byName.get(name))).filter((entry) => entry !== undefined);
  return tools.length === 0 ? 'auto' : { type: 'allowed_tools', allowed_tools: { mode, tools } };
}

/** `undefined` for a tool that is not declared: the vendor would refuse the whole request. */
function namedTool(request: HubRequest, name: string): JsonObject | undefined {
  return toolEntry(request.tools.find((one) => one.name === name));
}

function toolEntry(tool: Tool | undefined): JsonObject | undefined {
  return tool && { type: tool.kind, [tool.kind]: { name: tool.name } };
}

/** Only search models accept the option; all others refuse it. */
export function encodeSearch(request: HubRequest, context: PartContext): JsonObject {
  const search = askedSearch(request, context.capabilities, context.notes);
  if (search === undefined) return {};
  loseSearchOptions(search, ['contextSize', 'location'], context.notes);
  const { contextSize, location } = search;
  return {
    web_search_options: {
      search_context_size: contextSize,
      user_location: location && { type: 'approximate', approximate: location },
    },
  };
}
