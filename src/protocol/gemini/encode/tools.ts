import type { Capabilities } from '../../../kernel/capability.ts';
import { type JsonObject, RawJson } from '../../hub/content/json.ts';
import type { Notes } from '../../hub/notes.ts';
import type { HubRequest, Tool, ToolChoice, WebSearch } from '../../hub/request.ts';
import { askedSearch, loseSearchOptions } from '../../hub/web-search.ts';
import { schemaForGoogle, takesNothing } from '../schema.ts';

/** All functions in one entry; of two with one name the first. */
export function encodeTools(
  request: HubRequest,
  capabilities: Capabilities,
  notes: Notes,
): readonly JsonObject[] | undefined {
  const { tools } = request;
  const search = askedSearch(request, capabilities, notes);
  if (tools.length === 0) return encodeSearch(search, notes);
  if (search !== undefined) notes.drop(search.path);
  const declarations = new Map<string, JsonObject>();
  for (const tool of tools) {
    if (!declarations.has(tool.name)) declarations.set(tool.name, encodeTool(tool));
    if (tool.kind === 'function' && tool.strict === true) notes.lose('strict');
  }
  return [{ functionDeclarations: [...declarations.values()] }];
}

/**
 * Only without functions: with them Google requires its own calls in the history, which other vendors'
 * clients do not send.
 */
function encodeSearch(search: WebSearch | undefined, notes: Notes): readonly JsonObject[] | undefined {
  if (search === undefined) return undefined;
  loseSearchOptions(search, [], notes);
  return [{ googleSearch: {} }];
}

/** The hub wraps custom tools. The input of one that was not wrapped is still one text. */
const CUSTOM_SCHEMA = '{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}';

function encodeTool(tool: Tool): JsonObject {
  const given = tool.kind === 'custom' ? CUSTOM_SCHEMA : tool.schema;
  const schema = given === undefined || takesNothing(given) ? undefined : schemaForGoogle(given);
  return {
    name: tool.name,
    description: tool.description,
    parametersJsonSchema: schema === undefined ? undefined : new RawJson(schema),
  };
}

/** `undefined` without tools: a choice among none is refused. */
export function encodeToolConfig(
  request: HubRequest,
  capabilities: Capabilities,
  notes: Notes,
): JsonObject | undefined {
  const { toolChoice, tools } = request;
  // Clients that use the old style cannot set this: it had no parallel calls.
  if (request.parallelCalls === false && request.legacyFunctions !== true) notes.lose('parallelCalls');
  if (toolChoice === undefined) return undefined;
  const names = new Set(tools.map((tool) => tool.name));
  const config = callingConfig(toolChoice, names);
  if (names.size === 0 || config === undefined || (config.mode === 'ANY' && !capabilities.forcedToolChoice)) {
    if (toolChoice.kind !== 'auto' && toolChoice.kind !== 'none') notes.lose('toolChoice');
    return undefined;
  }
  return { functionCallingConfig: config };
}

/** `undefined` if the choice names tools that are not declared (vendor tools that were dropped). */
function callingConfig(choice: ToolChoice, declared: ReadonlySet<string>): JsonObject | undefined {
  switch (choice.kind) {
    case 'auto':
      return { mode: 'AUTO' };
    case 'none':
      return { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    case 'tool':
      return declared.has(choice.name) ? { mode: 'ANY', allowedFunctionNames: [choice.name] } : undefined;
    case 'subset': {
      const names = choice.names.filter((name) => declared.has(name));
      if (names.length === 0) return undefined;
      // AUTO takes no names. With VALIDATED the model decides whether to call, but only among these.
      return { mode: choice.required ? 'ANY' : 'VALIDATED', allowedFunctionNames: names };
    }
  }
}
