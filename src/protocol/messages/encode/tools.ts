import type { Target } from '../../hub/codec.ts';
import { type JsonObject, RawJson } from '../../hub/content/json.ts';
import type { Notes } from '../../hub/notes.ts';
import type { FunctionTool, HubRequest, Tool, ToolChoice } from '../../hub/request.ts';
import { EMPTY_OBJECT_SCHEMA, objectRoot } from '../../hub/schema/schema-shape.ts';
import { askedSearch, loseSearchOptions } from '../../hub/web-search.ts';
import { encodeMark } from './parts.ts';
import { strictSchema } from './strict-schema.ts';

export interface EncodedTools {
  readonly tools: readonly JsonObject[];
  readonly choice: JsonObject | undefined;
  /** An instruction to the model for what the protocol has no field for. */
  readonly instruction: string | undefined;
}

/** More strict tools than this are refused. */
const STRICT_TOOLS_MAX = 20;

export function encodeTools(request: HubRequest, target: Target, notes: Notes): EncodedTools {
  const offered = distinct(offeredTools(request));
  const choice = request.toolChoice;
  if (offered.length === 0) {
    if (choice !== undefined && choice.kind !== 'auto' && choice.kind !== 'none') notes.lose('toolChoice');
    return {
      tools: encodeSearch(request, target, { offered, notes }),
      choice: undefined,
      instruction: undefined,
    };
  }
  const strictness = new Strictness(target, notes);
  const tools = offered.map((tool) => encodeTool(tool, strictness));
  const search = encodeSearch(request, target, { offered, notes });
  return { tools: [...tools, ...search], ...encodeChoice(request, target, { offered, notes }) };
}

/** The protocol has no field for a choice among some tools: the others are not offered (rule C-28). */
function offeredTools({ tools, toolChoice }: HubRequest): readonly FunctionTool[] {
  // Custom tools are already functions here: the protocol has no custom tools.
  const functions = tools.filter((tool: Tool): tool is FunctionTool => tool.kind === 'function');
  if (toolChoice?.kind !== 'subset') return functions;
  const wanted = new Set(toolChoice.names);
  return functions.filter(({ name }) => wanted.has(name));
}

/** Names must be unique; the first one counts. */
function distinct(tools: readonly FunctionTool[]): readonly FunctionTool[] {
  const byName = new Map<string, FunctionTool>();
  for (const tool of tools) if (!byName.has(tool.name)) byName.set(tool.name, tool);
  return [...byName.values()];
}

function encodeTool(tool: FunctionTool, strictness: Strictness): JsonObject {
  const schema = objectRoot(tool.schema ?? EMPTY_OBJECT_SCHEMA);
  const strict = tool.strict === true ? strictness.of(schema) : undefined;
  return {
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    input_schema: new RawJson(strict ?? schema),
    ...(strict === undefined ? {} : { strict: true }),
    ...(tool.cached === true ? encodeMark({}) : {}),
  };
}

/** Makes tools strict as far as schema, model and number of tools allow it. */
class Strictness {
  readonly #notes: Notes;
  #left: number;

  constructor(target: Target, notes: Notes) {
    this.#notes = notes;
    this.#left = target.capabilities.structuredOutput ? STRICT_TOOLS_MAX : 0;
  }

  of(schema: string): string | undefined {
    const strict = this.#left > 0 ? strictSchema(schema) : undefined;
    if (strict === undefined) this.#notes.lose('strict');
    else this.#left--;
    return strict;
  }
}

interface Offer {
  readonly offered: readonly FunctionTool[];
  readonly notes: Notes;
}

function encodeChoice(
  request: HubRequest,
  target: Target,
  { offered, notes }: Offer,
): Omit<EncodedTools, 'tools'> {
  const single = request.parallelCalls === false ? { disable_parallel_tool_use: true } : {};
  const choice = narrow(request.toolChoice, offered);
  if (request.toolChoice?.kind === 'tool' && choice?.kind !== 'tool') notes.lose('toolChoice');
  if (choice === undefined || choice.kind === 'auto') {
    const isSet = choice !== undefined || request.parallelCalls === false;
    return { choice: isSet ? { type: 'auto', ...single } : undefined, instruction: undefined };
  }
  if (choice.kind === 'none') return { choice: { type: 'none' }, instruction: undefined };
  if (!target.capabilities.forcedToolChoice) {
    notes.lose('toolChoice');
    const which = choice.kind === 'tool' ? `the tool ${choice.name}` : 'one of the tools';
    return { choice: { type: 'auto', ...single }, instruction: `You must call ${which} now.` };
  }
  const forced = choice.kind === 'tool' ? { type: 'tool', name: choice.name } : { type: 'any' };
  return { choice: { ...forced, ...single }, instruction: undefined };
}

type PlainChoice =
  | { readonly kind: 'auto' | 'none' | 'required' }
  | { readonly kind: 'tool'; readonly name: string };

/** Only the chosen subset is offered. A tool that is not offered cannot be forced. */
function narrow(choice: ToolChoice | undefined, offered: readonly FunctionTool[]): PlainChoice | undefined {
  if (choice?.kind === 'subset') {
    const [only] = offered;
    if (!choice.required) return { kind: 'auto' };
    return offered.length === 1 && only !== undefined
      ? { kind: 'tool', name: only.name }
      : { kind: 'required' };
  }
  if (choice?.kind !== 'tool') return choice;
  return offered.some(({ name }) => name === choice.name) ? choice : { kind: 'auto' };
}

const SEARCH_NAME = 'web_search';
/** Countries are two letters here; other protocols allow any text. */
const COUNTRY = /^[A-Za-z]{2}$/;

/** Empty for a model without search, or if the client has a tool of that name. */
function encodeSearch(
  request: HubRequest,
  { capabilities }: Target,
  { offered, notes }: Offer,
): readonly JsonObject[] {
  const search = askedSearch(request, capabilities, notes);
  if (search === undefined) return [];
  if (offered.some(({ name }) => name === SEARCH_NAME)) {
    notes.drop(search.path);
    return [];
  }
  const { maxUses, allowedDomains, blockedDomains, location } = search;
  // The vendor accepts only one of the two lists.
  const isAllowed = allowedDomains !== undefined;
  const domains = isAllowed ? (['allowedDomains'] as const) : (['blockedDomains'] as const);
  loseSearchOptions(search, ['maxUses', 'location', ...domains], notes);
  const country = COUNTRY.test(String(location?.country)) ? location?.country : undefined;
  if (country !== location?.country) notes.drop(`${search.path}.${search.names.location}`);
  return [
    {
      type: 'web_search_20250305',
      name: SEARCH_NAME,
      max_uses: maxUses,
      allowed_domains: allowedDomains,
      blocked_domains: isAllowed ? undefined : blockedDomains,
      user_location: location && { type: 'approximate', ...location, country },
    },
  ];
}
