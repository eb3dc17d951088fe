import { type JsonObject, writeJson } from '../../hub/content/json.ts';
import type { Part, SearchMade } from '../../hub/part.ts';
import { objectOf, objectsOf, textOf } from '../fields.ts';

type Teller = (item: JsonObject) => string;

/** Items that tools of the vendor's leave behind, and what of them others can read. */
const TELLERS: ReadonlyMap<string, Teller> = new Map<string, Teller>([
  ['web_search_call', (item) => `[searched the web: ${searched(objectOf(item.action))}]`],
  ['file_search_call', tellFileSearch],
  ['code_interpreter_call', tellCode],
  ['image_generation_call', (item) => `[made a picture: ${textOf(item.revised_prompt)}]`],
  ['mcp_list_tools', () => ''],
  [
    'mcp_call',
    (item) => fenced(`called ${textOf(item.name)} ${textOf(item.arguments)}`, textOf(item.output)),
  ],
  ['shell_call', (item) => fenced('ran', shellCommands(item))],
  ['shell_call_output', tellShell],
  ['tool_search_call', () => ''],
  ['tool_search_output', () => ''],
]);

export function isHosted(type: string): boolean {
  return TELLERS.has(type);
}

/** A picture is a picture; everything else stays raw for its own protocol and is a text for all others. */
export function decodeHosted(item: JsonObject): Part {
  const result = item.type === 'image_generation_call' ? textOf(item.result) : '';
  if (result !== '') {
    const mime = `image/${textOf(item.output_format) || 'png'}`;
    return { kind: 'image', source: { kind: 'bytes', mime, base64: result } };
  }
  const tell = TELLERS.get(String(item.type));
  const part = { kind: 'server-tool', protocol: 'responses', raw: writeJson(item) } as const;
  const search = item.type === 'web_search_call' ? searchMade(objectOf(item.action)) : undefined;
  return { ...part, text: tell?.(item) ?? '', ...(search === undefined ? {} : { search }) };
}

function searched(action: JsonObject): string {
  const queries = queriesOf(action).join(', ');
  return queries || textOf(action.url) || textOf(action.pattern) || textOf(action.type);
}

/** Pages that are opened and words that are looked for in them are no searches. */
function searchMade(action: JsonObject): SearchMade {
  const pages = objectsOf(action.sources).map(({ url }) => ({ url: textOf(url) }));
  return { queries: queriesOf(action), pages: pages.filter(({ url }) => url !== '') };
}

/** The list is the newer form of the one query. */
function queriesOf(action: JsonObject): readonly string[] {
  const listed = Array.isArray(action.queries) ? action.queries.map(textOf) : [];
  return (listed.length === 0 ? [textOf(action.query)] : listed).filter((query) => query !== '');
}

function tellFileSearch(item: JsonObject): string {
  const queries = Array.isArray(item.queries) ? item.queries.map(String).join(', ') : '';
  const results = objectsOf(item.results).map((found) => `${textOf(found.filename)}: ${textOf(found.text)}`);
  return fenced(`searched the files: ${queries}`, results.join('\n'));
}

function tellCode(item: JsonObject): string {
  const logs = objectsOf(item.outputs).map((output) => textOf(output.logs));
  return fenced('ran', [textOf(item.code), ...logs].filter((text) => text !== '').join('\n'));
}

function tellShell(item: JsonObject): string {
  const outputs = objectsOf(item.output).map((output) => textOf(output.stdout) + textOf(output.stderr));
  return fenced('output', outputs.join('\n'));
}

function shellCommands(item: JsonObject): string {
  const { commands } = objectOf(item.action);
  return Array.isArray(commands) ? commands.map(String).join('\n') : '';
}

function fenced(title: string, text: string): string {
  return text === '' ? `[${title}]` : `[${title}]\n\`\`\`\n${text}\n\`\`\``;
}
