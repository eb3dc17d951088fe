import type { JsonObject } from '../../hub/content/json.ts';
import { Inexpressible, type Notes } from '../../hub/notes.ts';
import type { Tool, ToolChoice, VendorTool, WebSearch } from '../../hub/request.ts';
import { decodeSearch, type SearchNames } from '../../hub/web-search.ts';
import {
  findText,
  flagField,
  objectField,
  objectsField,
  rawObject,
  requireText,
  textField,
} from '../fields.ts';
import { typedTool } from '../typed-tools.ts';

export interface DecodedTools {
  readonly tools: readonly Tool[];
  readonly vendorTools: readonly VendorTool[];
  readonly webSearch?: WebSearch | undefined;
}

/** Fields that are read. Flags for the vendor's own systems mean nothing elsewhere. */
const KNOWN: ReadonlySet<string> = new Set(
  'type name description input_schema strict cache_control'.split(' '),
);

const SEARCH_NAMES: SearchNames = {
  maxUses: 'max_uses',
  allowedDomains: 'allowed_domains',
  blockedDomains: 'blocked_domains',
  location: 'user_location',
};

export function decodeTools(body: JsonObject, notes: Notes): DecodedTools {
  const tools: Tool[] = [];
  const vendorTools: VendorTool[] = [];
  let webSearch: WebSearch | undefined;
  for (const [index, tool] of objectsField(body, 'tools', '').entries()) {
    const path = `tools[${index}]`;
    const type = textField(tool, 'type', path) ?? 'custom';
    if (type === 'custom') tools.push(decodeFunction(tool, path, notes));
    else if (type.startsWith('web_search_') && webSearch === undefined) {
      // A client that allows no tool calls wants no search.
      if (objectField(body, 'tool_choice', '')?.type === 'none') continue;
      const more = ['type', 'name', 'cache_control'];
      webSearch = decodeSearch(tool, path, SEARCH_NAMES, { notes, more });
    } else decodeTyped(tool, { type, path }, { tools, vendorTools, notes });
  }
  return { tools, vendorTools, ...(webSearch === undefined ? {} : { webSearch }) };
}

function decodeFunction(tool: JsonObject, path: string, notes: Notes): Tool {
  notes.dropOthers(tool, KNOWN, path);
  const description = textField(tool, 'description', path);
  const schema = tool.input_schema;
  const raw = rawObject(schema);
  if (raw === undefined && schema !== undefined && schema !== null) {
    throw new Inexpressible(`${path}.input_schema`, 'is not an object');
  }
  return {
    kind: 'function',
    name: requireText(tool, 'name', path),
    ...(description === undefined ? {} : { description }),
    schema: raw,
    strict: flagField(tool, 'strict', path),
    ...(objectField(tool, 'cache_control', path) === undefined ? {} : { cached: true }),
  };
}

/** Tools that the client runs become ordinary ones. Vendor tools are separate. */
function decodeTyped(
  tool: JsonObject,
  hosted: VendorTool,
  into: { readonly tools: Tool[]; readonly vendorTools: VendorTool[]; readonly notes: Notes },
): void {
  const known = typedTool(hosted.type);
  if (known === undefined) {
    into.vendorTools.push(hosted);
    return;
  }
  // For example the size of a screen: only the vendor's own models know how to use it.
  into.notes.dropOthers(tool, KNOWN, hosted.path);
  const name = findText(tool.name) ?? known.name;
  into.tools.push({
    kind: 'function',
    name,
    description: known.description,
    schema: known.schema,
    strict: undefined,
    ...(tool.cache_control === undefined ? {} : { cached: true }),
  });
}

export interface DecodedChoice {
  readonly toolChoice: ToolChoice | undefined;
  readonly parallelCalls: boolean | undefined;
}

export function decodeChoice(body: JsonObject, { tools }: DecodedTools, notes: Notes): DecodedChoice {
  const choice = objectField(body, 'tool_choice', '');
  if (choice === undefined) return { toolChoice: undefined, parallelCalls: undefined };
  const single = flagField(choice, 'disable_parallel_tool_use', 'tool_choice');
  const parallelCalls = single === undefined ? undefined : !single;
  const toolChoice = decodeChoiceKind(choice, tools);
  // A vendor tool cannot be forced where it does not exist.
  if (choice.type === 'tool' && toolChoice.kind === 'auto') notes.drop('tool_choice');
  return { toolChoice, parallelCalls };
}

function decodeChoiceKind(choice: JsonObject, tools: readonly Tool[]): ToolChoice {
  switch (choice.type) {
    case 'auto':
    case 'none':
      return { kind: choice.type };
    case 'any':
      return { kind: 'required' };
    case 'tool': {
      const name = requireText(choice, 'name', 'tool_choice');
      return tools.some((tool) => tool.name === name) ? { kind: 'tool', name } : { kind: 'auto' };
    }
    default:
      throw new Inexpressible('tool_choice.type', 'is not known here');
  }
}
