import { isObject, type JsonObject, type JsonValue, RawJson, writeJson } from '../../hub/content/json.ts';
import { Inexpressible, type Notes } from '../../hub/notes.ts';
import type { CustomTool, FunctionTool, Tool, ToolChoice, VendorTool, WebSearch } from '../../hub/request.ts';
import { decodeSearch, type SearchNames } from '../../hub/web-search.ts';
import {
  findFilledText,
  flagField,
  listField,
  objectField,
  objectOrEmpty,
  requireObject,
  requireText,
  textField,
} from '../fields.ts';

export interface DecodedTools {
  readonly tools: readonly Tool[];
  readonly vendorTools: readonly VendorTool[];
  readonly webSearch?: WebSearch;
}

const SEARCH_NAMES: SearchNames = { contextSize: 'search_context_size', location: 'user_location' };

/** Tools and, in the old style, functions. Vendor tools are separate. */
export function decodeTools(body: JsonObject, notes: Notes): DecodedTools {
  const tools: Tool[] = [];
  const vendorTools: VendorTool[] = [];
  for (const [index, value] of (listField(body, 'tools', '') ?? []).entries()) {
    const path = `tools[${index}]`;
    const tool = decodeTool(requireObject(value, path), path, notes);
    if ('kind' in tool) tools.push(tool);
    else vendorTools.push(tool);
  }
  for (const [index, value] of (listField(body, 'functions', '') ?? []).entries()) {
    const path = `functions[${index}]`;
    const definition = requireObject(value, path);
    notes.dropOthers(definition, KNOWN_OF_FUNCTIONS, path);
    tools.push(decodeFunction(definition, path));
  }
  const options = objectField(body, 'web_search_options', '');
  if (options === undefined) return { tools, vendorTools };
  const search = decodeSearch(options, 'web_search_options', SEARCH_NAMES, { notes, more: [] });
  return { tools, vendorTools, webSearch: search };
}

const KNOWN_OF_TOOLS: ReadonlySet<string> = new Set(['type', 'function', 'custom', 'cache_control']);
/** `format` belongs to custom tools only. */
const KNOWN_OF_FUNCTIONS: ReadonlySet<string> = new Set(
  'name description parameters strict format'.split(' '),
);

function decodeTool(tool: JsonObject, path: string, notes: Notes): Tool | VendorTool {
  const type = textField(tool, 'type', path) ?? 'function';
  if (type !== 'function' && type !== 'custom') return { type, path };
  notes.dropOthers(tool, KNOWN_OF_TOOLS, path);
  const at = `${path}.${type}`;
  const definition = requireObject(tool[type], at);
  notes.dropOthers(definition, KNOWN_OF_FUNCTIONS, at);
  if (type === 'custom') return decodeCustom(definition, at);
  return { ...decodeFunction(definition, at), ...(isObject(tool.cache_control) ? { cached: true } : {}) };
}

function decodeFunction(definition: JsonObject, path: string): FunctionTool {
  return {
    kind: 'function',
    name: requireText(definition, 'name', path),
    description: textField(definition, 'description', path),
    schema: rawText(definition.parameters, `${path}.parameters`),
    strict: flagField(definition, 'strict', path),
  };
}

function decodeCustom(definition: JsonObject, path: string): CustomTool {
  const format = objectField(definition, 'format', path);
  const grammar = format?.type === 'grammar' ? objectField(format, 'grammar', `${path}.format`) : undefined;
  return {
    kind: 'custom',
    name: requireText(definition, 'name', path),
    description: textField(definition, 'description', path),
    ...(grammar === undefined
      ? {}
      : {
          grammar: {
            syntax: requireText(grammar, 'syntax', `${path}.format.grammar`),
            definition: requireText(grammar, 'definition', `${path}.format.grammar`),
          },
        }),
  };
}

/** A schema as it was written. A body that was parsed without raw keys is serialized again. */
export function rawText(value: JsonValue | undefined, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (value instanceof RawJson && value.text.startsWith('{')) return value.text;
  if (isObject(value)) return writeJson(value);
  throw new Inexpressible(path, 'is not a schema');
}

const CHOICES: Readonly<Record<string, ToolChoice>> = {
  auto: { kind: 'auto' },
  none: { kind: 'none' },
  required: { kind: 'required' },
  // Mistral's value for it.
  any: { kind: 'required' },
};

export function decodeToolChoice(body: JsonObject, notes: Notes): ToolChoice | undefined {
  const key = body.tool_choice === undefined || body.tool_choice === null ? 'function_call' : 'tool_choice';
  const choice = body[key] ?? undefined;
  if (choice === undefined) return undefined;
  const decoded = typeof choice === 'string' ? wordChoice(choice) : objectChoice(objectOrEmpty(choice));
  if (decoded === undefined) notes.drop(key);
  return decoded;
}

function wordChoice(word: string): ToolChoice | undefined {
  return Object.hasOwn(CHOICES, word) ? CHOICES[word] : undefined;
}

function objectChoice(choice: JsonObject): ToolChoice | undefined {
  if (choice.type === 'allowed_tools') return subsetChoice(objectOrEmpty(choice.allowed_tools));
  const name = toolName(choice);
  return name === undefined ? undefined : { kind: 'tool', name };
}

function subsetChoice(allowed: JsonObject): ToolChoice | undefined {
  const entries = Array.isArray(allowed.tools) ? allowed.tools : [];
  const names = entries.map((entry) => toolName(objectOrEmpty(entry))).filter((name) => name !== undefined);
  if (names.length === 0) return undefined;
  return { kind: 'subset', names, required: allowed.mode === 'required' };
}

/** `{function: {name}}`, `{custom: {name}}`, or in the old style and in lists of tools `{name}`. */
function toolName(entry: JsonObject): string | undefined {
  return (
    findFilledText(objectOrEmpty(entry.function).name) ??
    findFilledText(objectOrEmpty(entry.custom).name) ??
    findFilledText(entry.name)
  );
}
