import { isArray, isObject, type JsonObject, type JsonValue } from '../hub/content/json.ts';
import type { SearchMade } from '../hub/part.ts';
import { NO_INDEX } from './citations.ts';

export interface SearchBlocks {
  readonly use: JsonObject & { readonly input: JsonObject };
  readonly result: JsonObject;
}

/**
 * A search of another protocol's vendor, in this protocol's blocks. `undefined` without pages: they carry the
 * mark that identifies the blocks when the client sends them back.
 */
export function searchBlocks({ queries, pages }: SearchMade, callId: string): SearchBlocks | undefined {
  if (queries.length === 0 || pages.length === 0) return undefined;
  const id = `srvtoolu_${callId.replace(/\W/g, '_')}`;
  const caller = { type: 'direct' };
  const content = pages.map(({ url, title }) => ({
    type: 'web_search_result',
    url,
    title: title ?? url,
    encrypted_content: NO_INDEX,
    page_age: null,
  }));
  return {
    use: { type: 'server_tool_use', id, name: 'web_search', input: { query: queries.join(', ') }, caller },
    result: { type: 'web_search_tool_result', tool_use_id: id, content, caller },
  };
}

/** A message without the searches that we added: the vendor refuses results that it did not find itself. */
export function withoutOurSearches(content: readonly JsonValue[]): readonly JsonValue[] {
  const ours = new Set(content.filter(isObject).filter(isOurResult).map(readBlockId));
  if (ours.size === 0) return content;
  return content.filter(
    (block) => !isObject(block) || !isServerBlock(block) || !ours.has(readBlockId(block)),
  );
}

function isServerBlock({ type }: JsonObject): boolean {
  return type === 'server_tool_use' || type === 'web_search_tool_result';
}

function readBlockId({ type, id, tool_use_id }: JsonObject): JsonValue | undefined {
  return type === 'server_tool_use' ? id : tool_use_id;
}

function isOurResult({ type, content }: JsonObject): boolean {
  if (type !== 'web_search_tool_result' || !isArray(content)) return false;
  return content.some((page) => isObject(page) && page.encrypted_content === NO_INDEX);
}
