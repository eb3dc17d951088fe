import { SERVER_TOOL_TEXT_MAX } from '../../../bounds.ts';
import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  readJson,
  writeJson,
} from '../../hub/content/json.ts';
import type { SearchMade, ServerToolPart } from '../../hub/part.ts';
import { findText, rawObject } from '../fields.ts';

/** The readable fields in the result of a vendor tool. Ciphertext and ids are not readable. */
const READABLE: ReadonlySet<string> = new Set([
  'title',
  'url',
  'text',
  'stdout',
  'stderr',
  'error_code',
  'tool_name',
  'data',
]);

/** A tool that ran at the vendor: the raw block for the vendor, readable text for all others. */
export function serverTool(block: JsonObject): ServerToolPart {
  const search = findSearch(block);
  const part = { kind: 'server-tool', protocol: 'messages', raw: writeJson(block) } as const;
  return { ...part, text: describe(block), ...(search === undefined ? {} : { search }) };
}

function findSearch(block: JsonObject): SearchMade | undefined {
  // The pages that matter are cited.
  if (block.type === 'web_search_tool_result') return { queries: [], pages: [] };
  if (block.type !== 'server_tool_use' || block.name !== 'web_search') return undefined;
  const query = findText(readJson(rawObject(block.input) ?? '{}', NO_KEYS)?.query);
  return { queries: query === undefined ? [] : [query], pages: [] };
}

const NO_KEYS: ReadonlySet<string> = new Set();

function describe(block: JsonObject): string {
  const name = findText(block.name);
  if (name !== undefined) return `[${name} ${rawObject(block.input) ?? '{}'}]`;
  const lines: string[] = [];
  collect(block.content, lines);
  return lines.length === 0 ? '' : `[${lines.join('\n').slice(0, SERVER_TOOL_TEXT_MAX)}]`;
}

/** The reader of the body has limited the depth. */
function collect(value: JsonValue | undefined, lines: string[]): void {
  if (isArray(value)) {
    for (const item of value) collect(item, lines);
  } else if (typeof value === 'string') {
    lines.push(value);
  } else if (isObject(value)) {
    for (const [key, field] of Object.entries(value)) {
      if (typeof field !== 'string') collect(field, lines);
      else if (READABLE.has(key) && field !== '' && value.type !== 'base64') lines.push(field);
    }
  }
}
