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

/** The tools of a request as they are found: in `tools`, and in items that add some later on. */
export interface ToolShelf {
  readonly tools: Tool[];
  readonly hosted: VendorTool[];
  search: WebSearch | undefined;
  readonly notes: Notes;
}

/** Options that no other vendor knows. `defer_loading` is not among them: without search all are loaded. */
const LOST_OPTIONS = ['output_schema', 'allowed_callers', 'async'];

export function decodeTools(shelf: ToolShelf, value: JsonValue | undefined, path: string): void {
  for (const [index, entry] of optionalList(value, path).entries()) {
    const at = `${path}[${index}]`;
    const tool = requireObject(entry, at);
    if (tool.type === 'namespace') decodeNamespace(shelf, tool, at);
    else decodeTool(shelf, tool, { path: at, namespace: undefined });
  }
}

interface Place {
  readonly path: string;
  readonly namespace: string | undefined;
}

function decodeNamespace(shelf: ToolShelf, group: JsonObject, path: string): void {
  const namespace = requireText(group.name, `${path}.name`);
  if (group.description !== undefined) shelf.notes.drop(`${path}.description`);
  for (const [index, entry] of optionalList(group.tools, `${path}.tools`).entries()) {
    const at = `${path}.tools[${index}]`;
    decodeTool(shelf, requireObject(entry, at), { path: at, namespace });
  }
}

function decodeTool(shelf: ToolShelf, tool: JsonObject, place: Place): void {
  const type = requireText(tool.type, `${place.path}.type`);
  if (type === 'function') add(shelf, decodeFunction(shelf, tool, place));
  else if (type === 'custom') add(shelf, decodeCustom(tool, place));
  else decodeTyped(shelf, tool, place.path);
}

/** A tool that is loaded twice counts once: the first declaration is the one the cache knows. */
function add(shelf: ToolShelf, tool: Tool): void {
  const isKnown = shelf.tools.some((one) => one.name === tool.name && one.namespace === tool.namespace);
  if (!isKnown) shelf.tools.push(tool);
}

function decodeFunction(shelf: ToolShelf, tool: JsonObject, place: Place): FunctionTool {
  const { path, namespace } = place;
  for (const name of LOST_OPTIONS) {
    if (tool[name] !== undefined && tool[name] !== null) shelf.notes.drop(`${path}.${name}`);
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

function decodeCustom(tool: JsonObject, place: Place): CustomTool {
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

/** Tools with a type of their own: those the client runs become functions, the vendor's are dropped. */
function decodeTyped(shelf: ToolShelf, tool: JsonObject, path: string): void {
  const type = String(tool.type);
  const typed = typedTool(type);
  if (SEARCH.test(type) && shelf.search === undefined) {
    shelf.search = readSearch(shelf, tool, path);
    return;
  }
  const isTaken = shelf.tools.some((one) => one.name === type && one.namespace === undefined);
  if (typed === undefined || isTaken || runsAtVendor(tool)) {
    shelf.hosted.push({ type, path });
    shelf.notes.drop(path);
    return;
  }
  shelf.tools.push({
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

/** Domains stand in an object of their own. */
function readSearch(shelf: ToolShelf, tool: JsonObject, path: string): WebSearch {
  const filters = optionalObject(tool.filters, `${path}.filters`) ?? {};
  const { filters: _filters, ...rest } = tool;
  // External access is what everybody else has anyway.
  const more = ['type', ...(tool.external_web_access === true ? ['external_web_access'] : [])];
  return decodeSearch({ ...rest, ...filters }, path, SEARCH_NAMES, { notes: shelf.notes, more });
}

const MODES: readonly string[] = ['auto', 'none', 'required'];

export function decodeToolChoice(value: JsonValue | undefined, shelf: ToolShelf): ToolChoice | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') {
    if (!MODES.includes(value)) throw new Inexpressible('tool_choice', `'${value}' is not known`);
    if (value === 'none') shelf.search = undefined;
    return { kind: value as 'auto' | 'none' | 'required' };
  }
  const choice = requireObject(value, 'tool_choice');
  const type = requireText(choice.type, 'tool_choice.type');
  if (type === 'allowed_tools') return decodeSubset(choice, shelf);
  if (type === 'function' || type === 'custom') {
    const namespace = optionalText(choice.namespace, 'tool_choice.namespace');
    const name = requireText(choice.name, 'tool_choice.name');
    return { kind: 'tool', name, ...(namespace === undefined ? {} : { namespace }) };
  }
  if (shelf.tools.some((tool) => tool.kind === 'function' && tool.clientType === type)) {
    return { kind: 'tool', name: type };
  }
  // A tool of the vendor's was forced; it is gone, so the model decides.
  shelf.notes.drop('tool_choice');
  return undefined;
}

function decodeSubset(choice: JsonObject, shelf: ToolShelf): ToolChoice | undefined {
  const entries = listObjects(optionalList(choice.tools, 'tool_choice.tools'));
  if (!entries.some(({ type }) => SEARCH.test(String(type)))) shelf.search = undefined;
  const names = entries.flatMap((entry) => {
    const name = optionalText(entry.name, 'tool_choice.tools[].name') ?? String(entry.type);
    if (entry.type === 'namespace') {
      return shelf.tools.filter((tool) => tool.namespace === name).map((tool) => tool.name);
    }
    return shelf.tools.some((tool) => tool.name === name) ? [name] : [];
  });
  if (names.length > 0) return { kind: 'subset', names, required: choice.mode === 'required' };
  shelf.notes.drop('tool_choice');
  return undefined;
}
