import { type JsonObject, type JsonValue, RawJson } from '../../hub/content/json.ts';
import { Inexpressible } from '../../hub/notes.ts';
import type { FunctionTool, Tool, ToolChoice } from '../../hub/request.ts';
import { isStrictSchema } from '../../hub/schema/strict-schema.ts';
import { askedSearch, loseSearchOptions } from '../../hub/web-search.ts';
import { objectSchema } from './object-schema.ts';
import type { PartScope } from './parts.ts';

/** `tools`, `tool_choice` and `parallel_tool_calls`; empty without tools. */
export function encodeTools(scope: PartScope): JsonObject {
  const { request, target, notes } = scope;
  const search = encodeSearch(scope);
  if (request.tools.length === 0) return search.length === 0 ? {} : { tools: search };
  const choice = request.toolChoice;
  const isForced =
    choice?.kind === 'required' || choice?.kind === 'tool' || (choice?.kind === 'subset' && choice.required);
  const isRefused = isForced && !target.capabilities.forcedToolChoice;
  if (isRefused) notes.lose('toolChoice');
  return {
    tools: [...encodeList(request.tools, scope), ...search],
    tool_choice: choice === undefined || isRefused ? undefined : encodeChoice(choice, request.tools),
    parallel_tool_calls: request.parallelCalls,
  };
}

/** Tools of one namespace are grouped, at the place of the first of them. */
function encodeList(tools: readonly Tool[], scope: PartScope): readonly JsonValue[] {
  const list: JsonValue[] = [];
  const namespaces = new Map<string, JsonValue[]>();
  for (const tool of tools) {
    const encoded = encodeTool(tool, scope);
    if (tool.namespace === undefined) {
      list.push(encoded);
      continue;
    }
    const group = namespaces.get(tool.namespace);
    if (group !== undefined) group.push(encoded);
    else {
      const members: JsonValue[] = [encoded];
      namespaces.set(tool.namespace, members);
      const { namespace } = tool;
      list.push({ type: 'namespace', name: namespace, description: namespace, tools: members });
    }
  }
  return list;
}

function encodeTool(tool: Tool, scope: PartScope): JsonObject {
  if (tool.kind === 'function') return encodeFunction(tool, scope);
  const { grammar } = tool;
  return {
    type: 'custom',
    name: tool.name,
    description: tool.description,
    format: grammar && { type: 'grammar', syntax: grammar.syntax, definition: grammar.definition },
  };
}

function encodeFunction(tool: FunctionTool, scope: PartScope): JsonObject {
  const schema = objectSchema(tool.schema);
  if (schema === undefined) {
    throw new Inexpressible(`the parameters of the tool '${tool.name}'`, 'they must describe an object');
  }
  if (tool.cached === true) scope.notes.lose('cacheMarks');
  return {
    type: 'function',
    name: tool.name,
    description: tool.description,
    parameters: new RawJson(schema),
    // Absent would mean "strict if possible" here. Only this protocol's own clients mean that.
    strict: isStrictAllowed(tool.strict, schema, scope),
  };
}

/**
 * Other protocols have looser rules for strict. A schema that this vendor would refuse is sent as not strict.
 */
function isStrictAllowed(strict: boolean | undefined, schema: string, scope: PartScope): boolean {
  if (strict !== true) return false;
  const { client } = scope.request;
  if (client === 'chat' || client === 'responses' || isStrictSchema(schema)) return true;
  scope.notes.lose('strict');
  return false;
}

function encodeChoice(choice: ToolChoice, tools: readonly Tool[]): JsonValue {
  const custom = new Set(tools.filter(({ kind }) => kind === 'custom').map(({ name }) => name));
  const named = (name: string): JsonObject => ({ type: custom.has(name) ? 'custom' : 'function', name });
  switch (choice.kind) {
    case 'tool':
      return named(choice.name);
    case 'subset': {
      const mode = choice.required ? 'required' : 'auto';
      return { type: 'allowed_tools', mode, tools: choice.names.map(named) };
    }
    default:
      return choice.kind;
  }
}

/** Empty for a vendor that does not search. */
function encodeSearch({ request, target, notes }: PartScope): readonly JsonObject[] {
  const search = askedSearch(request, target.capabilities, notes);
  if (search === undefined) return [];
  const { contextSize, allowedDomains, location } = search;
  loseSearchOptions(search, ['contextSize', 'allowedDomains', 'location'], notes);
  return [
    {
      type: 'web_search',
      filters: allowedDomains && { allowed_domains: allowedDomains },
      user_location: location && { type: 'approximate', ...location },
      search_context_size: contextSize,
    },
  ];
}
