import type { JsonObject, JsonValue } from '../../hub/content/json.ts';
import { Inexpressible, type Notes } from '../../hub/notes.ts';
import type { CustomTool, FunctionTool, Tool, ToolChoice, VendorTool, WebSearch } from '../../hub/request.ts';
import { decodeSearch, type SearchNames } from '../../hub/web-search.ts';
import {
  listObjects,
  optionalFlag,
  optionalList,
  optionalObject,
  optionalRaw,
  optionalText,
  requireObject,
  requireText,
} from '../fields.ts';
import { runsAtVendor, typedTool } from '../typed-tools.ts';

/** The tools of a request: those in `tools`, and those in items that add some later. */
export interface CollectedTools {
  readonly tools: Tool[];
  readonly hosted: VendorTool[];
  search: WebSearch | undefined;
  readonly notes: Notes;
}

/**
 * Options that no other vendor has. `defer_loading` is not among them: without tool search all tools are
 * loaded.
 */
const LOST_OPTIONS = ['output_schema', 'allowed_callers', 'async'];

export function decodeTools(collected: CollectedTools, value: JsonValue | undefined, path: string): void {
  for (const [index, entry] of optionalList(value, path).entries()) {
    const at = `${path}[${index}]`;
    const tool = requireObject(entry, at);
    if (tool.type === 'namespace') decodeNamespace(collected, tool, at);
    else decodeTool(collected, tool, { path: at, namespace: undefined });
  }
}

interface ToolPosition {
  readonly path: string;
  readonly namespace: string | undefined;
}

function decodeNamespace(collected: CollectedTools, group: JsonObject, path: string): void {
  const namespace = requireText(group.name, `${path}.name`);
  if (group.description !== undefined) collected.notes.drop(`${path}.description`);
  for (const [index, entry] of optionalList(group.tools, `${path}.tools`).entries()) {
    const at = `${path}.tools[${index}]`;
    decodeTool(collected, requireObject(entry, at), { path: at, namespace });
  }
}

function decodeTool(collected: CollectedTools, tool: JsonObject, place: ToolPosition): void {
  const type = requireText(tool.type, `${place.path}.type`);
  if (type === 'function') add(collected, decodeFunction(collected, tool, place));
  else if (type === 'custom') add(collected, decodeCustom(tool, place));
  else decodeTyped(collected, tool, place.path);
}

/** A tool that is loaded twice counts once: the cache knows the first declaration. */
function add(collected: CollectedTools, tool: Tool): void {
  const isKnown = collected.tools.some((one) => one.name === tool.name && one.namespace === tool.namespace);
  if (!isKnown) collected.tools.push(tool);
}

function decodeFunction(collected: CollectedTools, tool: JsonObject, place: ToolPosition): FunctionTool {
  const { path, namespace } = place;
  for (const name of LOST_OPTIONS) {
    if (tool[name] !== undefined && tool[name] !== null) collected.notes.drop(`${path}.${name}`);
  }
  return {
    kind: 'function',
    name: requireText(tool.name, `${path}.name`),
    ...(namespace === undefined ? {} : { namespace }),
    ...described(tool, path),
    schema: optionalRaw(tool.parameters, `${path}.parameters`),
    strict: optionalFlag(tool.strict, `${path}.strict`),
  };
}

function described(tool: JsonObject, path: string): { readonly description?: string } {
  const description = optionalText(tool.description, `${path}.description`);
  return description === undefined ? {} : { description };
}

function decodeCustom(tool: JsonObject, place: ToolPosition): CustomTool {
  const { path, namespace } = place;
  const format = optionalObject(tool.format, `${path}.format`);
  const isGrammar = format?.type === 'grammar';
  const grammar = {
    syntax: isGrammar ? requireText(format.syntax, `${path}.format.syntax`) : '',
    definition: isGrammar ? requireText(format.definition, `${path}.format.definition`) : '',
  };
  return {
    kind: 'custom',
    name: requireText(tool.name, `${path}.name`),
    ...(namespace === undefined ? {} : { namespace }),
    ...described(tool, path),
    ...(isGrammar ? { grammar } : {}),
  };
}

/** Tools with a type of their own: those that the client runs become functions, vendor tools are dropped. */
function decodeTyped(collected: CollectedTools, tool: JsonObject, path: string): void {
  const type = String(tool.type);
  const typed = typedTool(type);
  if (SEARCH.test(type) && collected.search === undefined) {
    collected.search = readSearch(collected, tool, path);
    return;
  }
  const isTaken = collected.tools.some((one) => one.name === type && one.namespace === undefined);
  if (typed === undefined || isTaken || runsAtVendor(tool)) {
    collected.hosted.push({ type, path });
    collected.notes.drop(path);
    return;
  }
  collected.tools.push({
    kind: 'function',
    name: type,
    description: optionalText(tool.description, `${path}.description`) ?? typed.description,
    schema: optionalRaw(tool.parameters, `${path}.parameters`) ?? typed.schema,
    strict: undefined,
    clientType: type,
  });
}

const SEARCH = /^web_search(?:_preview)?(?:_[\d_]+)?$/;
const SEARCH_NAMES: SearchNames = {
  contextSize: 'search_context_size',
  location: 'user_location',
  allowedDomains: 'allowed_domains',
};

/** Domains are in a nested object. */
function readSearch(collected: CollectedTools, tool: JsonObject, path: string): WebSearch {
  const filters = optionalObject(tool.filters, `${path}.filters`) ?? {};
  const { filters: _filters, ...rest } = tool;
  // All other vendors have external access anyway.
  const more = ['type', ...(tool.external_web_access === true ? ['external_web_access'] : [])];
  return decodeSearch({ ...rest, ...filters }, path, SEARCH_NAMES, { notes: collected.notes, more });
}

const MODES: readonly string[] = ['auto', 'none', 'required'];

export function decodeToolChoice(
  value: JsonValue | undefined,
  collected: CollectedTools,
): ToolChoice | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') {
    if (!MODES.includes(value)) throw new Inexpressible('tool_choice', `'${value}' is not known`);
    if (value === 'none') collected.search = undefined;
    return { kind: value as 'auto' | 'none' | 'required' };
  }
  const choice = requireObject(value, 'tool_choice');
  const type = requireText(choice.type, 'tool_choice.type');
  if (type === 'allowed_tools') return decodeSubset(choice, collected);
  if (type === 'function' || type === 'custom') {
    const namespace = optionalText(choice.namespace, 'tool_choice.namespace');
    const name = requireText(choice.name, 'tool_choice.name');
    return { kind: 'tool', name, ...(namespace === undefined ? {} : { namespace }) };
  }
  if (collected.tools.some((tool) => tool.kind === 'function' && tool.clientType === type)) {
    return { kind: 'tool', name: type };
  }
  // A vendor tool was forced. It is dropped, so the model decides.
  collected.notes.drop('tool_choice');
  return undefined;
}

function decodeSubset(choice: JsonObject, collected: CollectedTools): ToolChoice | undefined {
  const entries = listObjects(optionalList(choice.tools, 'tool_choice.tools'));
  if (!entries.some(({ type }) => SEARCH.test(String(type)))) collected.search = undefined;
  const names = entries.flatMap((entry) => {
    const name = optionalText(entry.name, 'tool_choice.tools[].name') ?? String(entry.type);
    if (entry.type === 'namespace') {
      return collected.tools.filter((tool) => tool.namespace === name).map((tool) => tool.name);
    }
    return collected.tools.some((tool) => tool.name === name) ? [name] : [];
  });
  if (names.length > 0) return { kind: 'subset', names, required: choice.mode === 'required' };
  collected.notes.drop('tool_choice');
  return undefined;
}
