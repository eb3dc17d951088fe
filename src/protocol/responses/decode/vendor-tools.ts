import { type JsonObject, writeJson } from '../../hub/content/json.ts';
import type { Part, SearchMade } from '../../hub/part.ts';
import { listObjects, objectOrEmpty, textOrEmpty } from '../fields.ts';

type ReadableText = (item: JsonObject) => string;

/** Items of vendor tools, and their text for other vendors. */
const READABLE_TEXTS: ReadonlyMap<string, ReadableText> = new Map<string, ReadableText>([
  ['web_search_call', (item) => `[searched the web: ${searched(objectOrEmpty(item.action))}]`],
  ['file_search_call', tellFileSearch],
  ['code_interpreter_call', tellCode],
  ['image_generation_call', (item) => `[made a picture: ${textOrEmpty(item.revised_prompt)}]`],
  ['mcp_list_tools', () => ''],
  [
    'mcp_call',
    (item) =>
      fenced(`called ${textOrEmpty(item.name)} ${textOrEmpty(item.arguments)}`, textOrEmpty(item.output)),
  ],
  ['shell_call', (item) => fenced('ran', shellCommands(item))],
  ['shell_call_output', tellShell],
  ['tool_search_call', () => ''],
  ['tool_search_output', () => ''],
]);

export function isVendorTool(type: string): boolean {
  return READABLE_TEXTS.has(type);
}

/** An image stays an image. Everything else stays raw for its own protocol and is a text for all others. */
export function decodeVendorTool(item: JsonObject): Part {
  const result = item.type === 'image_generation_call' ? textOrEmpty(item.result) : '';
  if (result !== '') {
    const mime = `image/${textOrEmpty(item.output_format) || 'png'}`;
    return { kind: 'image', source: { kind: 'bytes', mime, base64: result } };
  }
  const readableText = READABLE_TEXTS.get(String(item.type));
  const part = { kind: 'server-tool', protocol: 'responses', raw: writeJson(item) } as const;
  const search = item.type === 'web_search_call' ? searchMade(objectOrEmpty(item.action)) : undefined;
  return { ...part, text: readableText?.(item) ?? '', ...(search === undefined ? {} : { search }) };
}

function searched(action: JsonObject): string {
  const queries = readQueries(action).join(', ');
  return queries || textOrEmpty(action.url) || textOrEmpty(action.pattern) || textOrEmpty(action.type);
}

/** Opened pages and texts searched within them are not searches. */
function searchMade(action: JsonObject): SearchMade {
  const pages = listObjects(action.sources).map(({ url }) => ({ url: textOrEmpty(url) }));
  return { queries: readQueries(action), pages: pages.filter(({ url }) => url !== '') };
}

/** The list is the newer form of the single query. */
function readQueries(action: JsonObject): readonly string[] {
  const listed = Array.isArray(action.queries) ? action.queries.map(textOrEmpty) : [];
  return (listed.length === 0 ? [textOrEmpty(action.query)] : listed).filter((query) => query !== '');
}

function tellFileSearch(item: JsonObject): string {
  const queries = Array.isArray(item.queries) ? item.queries.map(String).join(', ') : '';
  const results = listObjects(item.results).map(
    (found) => `${textOrEmpty(found.filename)}: ${textOrEmpty(found.text)}`,
  );
  return fenced(`searched the files: ${queries}`, results.join('\n'));
}

function tellCode(item: JsonObject): string {
  const logs = listObjects(item.outputs).map((output) => textOrEmpty(output.logs));
  return fenced('ran', [textOrEmpty(item.code), ...logs].filter((text) => text !== '').join('\n'));
}

function tellShell(item: JsonObject): string {
  const outputs = listObjects(item.output).map(
    (output) => textOrEmpty(output.stdout) + textOrEmpty(output.stderr),
  );
  return fenced('output', outputs.join('\n'));
}

function shellCommands(item: JsonObject): string {
  const { commands } = objectOrEmpty(item.action);
  return Array.isArray(commands) ? commands.map(String).join('\n') : '';
}

function fenced(title: string, text: string): string {
  return text === '' ? `[${title}]` : `[${title}]\n\`\`\`\n${text}\n\`\`\``;
}
