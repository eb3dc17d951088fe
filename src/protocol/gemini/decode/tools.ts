import type { JsonObject, JsonValue } from '../../hub/content/json.ts';
import { Inexpressible, type Notes } from '../../hub/notes.ts';
import type { FunctionTool, ToolChoice, VendorTool, WebSearch } from '../../hub/request.ts';
import { decodeSearch } from '../../hub/web-search.ts';
import {
  dropUnknown,
  field,
  objectText,
  optionalObject,
  optionalText,
  requireObjects,
  requireTexts,
} from '../fields.ts';
import { schemaFromProto } from '../schema.ts';

export interface DecodedTools {
  readonly tools: readonly FunctionTool[];
  readonly vendorTools: readonly VendorTool[];
  readonly webSearch?: WebSearch | undefined;
}

/** The last one is Gemini 1.5's name for it. */
const SEARCHES: ReadonlySet<string> = new Set([
  ...['googleSearch', 'google_search', 'googleSearchRetrieval', 'google_search_retrieval'],
]);

export function decodeTools(value: JsonValue | undefined, notes: Notes): DecodedTools {
  const tools: FunctionTool[] = [];
  const vendorTools: VendorTool[] = [];
  let webSearch: WebSearch | undefined;
  for (const [index, entry] of requireObjects(value, 'tools').entries()) {
    const path = `tools[${index}]`;
    for (const key of Object.keys(entry)) {
      if (key === 'functionDeclarations' || key === 'function_declarations') continue;
      // Some clients send an empty list for "none of these".
      if (Array.isArray(entry[key]) && entry[key].length === 0) continue;
      if (SEARCHES.has(key) && webSearch === undefined) {
        const search = optionalObject(entry[key], `${path}.${key}`) ?? {};
        webSearch = decodeSearch(
          search,
          `${path}.${key}`,
          { blockedDomains: 'excludeDomains' },
          { notes, more: [] },
        );
        continue;
      }
      vendorTools.push({ type: key, path: `${path}.${key}` });
      notes.drop(`${path}.${key}`);
    }
    const declarations = requireObjects(field(entry, 'functionDeclarations'), `${path}.functionDeclarations`);
    for (const [at, declaration] of declarations.entries()) {
      tools.push(decodeDeclaration(declaration, `${path}.functionDeclarations[${at}]`, notes));
    }
  }
  return { tools, vendorTools, ...(webSearch === undefined ? {} : { webSearch }) };
}

const DECLARATION_FIELDS: ReadonlySet<string> = new Set([
  'name',
  'description',
  'parameters',
  'parametersJsonSchema',
]);

function decodeDeclaration(declaration: JsonObject, path: string, notes: Notes): FunctionTool {
  dropUnknown(declaration, DECLARATION_FIELDS, path, notes);
  const name = optionalText(field(declaration, 'name'), `${path}.name`) ?? '';
  if (name === '') throw new Inexpressible(`${path}.name`, 'a name is needed');
  const description = optionalText(field(declaration, 'description'), `${path}.description`);
  return {
    kind: 'function',
    name,
    ...(description === undefined ? {} : { description }),
    schema: decodeSchema(declaration, path),
    strict: undefined,
  };
}

/** JSON Schema as it was written, or Google's own Schema converted to it. */
function decodeSchema(declaration: JsonObject, path: string): string | undefined {
  const json = field(declaration, 'parametersJsonSchema');
  const proto = field(declaration, 'parameters');
  const given = json ?? proto;
  if (given === undefined) return undefined;
  const raw = objectText(given);
  if (raw === undefined) throw new Inexpressible(`${path}.parameters`, 'must be an object');
  return json === undefined ? schemaFromProto(raw) : raw;
}

const CONFIG_FIELDS: ReadonlySet<string> = new Set(['functionCallingConfig']);
const CALLING_FIELDS: ReadonlySet<string> = new Set(['mode', 'allowedFunctionNames']);

export function decodeToolChoice(value: JsonValue | undefined, notes: Notes): ToolChoice | undefined {
  const config = optionalObject(value, 'toolConfig');
  if (config === undefined) return undefined;
  dropUnknown(config, CONFIG_FIELDS, 'toolConfig', notes);
  const path = 'toolConfig.functionCallingConfig';
  const calling = optionalObject(field(config, 'functionCallingConfig'), path);
  if (calling === undefined) return undefined;
  dropUnknown(calling, CALLING_FIELDS, path, notes);
  const names = requireTexts(field(calling, 'allowedFunctionNames'), `${path}.allowedFunctionNames`);
  const mode = (optionalText(field(calling, 'mode'), `${path}.mode`) ?? '').toUpperCase();
  switch (mode) {
    case 'ANY':
      return forcedChoice(names);
    case 'NONE':
      return { kind: 'none' };
    case 'VALIDATED':
      return names.length > 0 ? { kind: 'subset', names, required: false } : { kind: 'auto' };
    case 'AUTO':
      // Google ignores names with AUTO, so they must not become a forced choice.
      return { kind: 'auto' };
    default:
      return undefined;
  }
}

/** Exactly one name is a named choice: other protocols have a field for it (rule C-28). */
function forcedChoice(names: readonly string[]): ToolChoice {
  const [name, second] = names;
  if (name === undefined) return { kind: 'required' };
  return second === undefined ? { kind: 'tool', name } : { kind: 'subset', names, required: true };
}
