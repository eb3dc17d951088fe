import { isArray, isObject, type JsonObject, type JsonValue } from '../hub/content/json.ts';
import { wrapSignatures } from '../hub/envelope.ts';
import type { Citation } from '../hub/part.ts';
import { findText } from './fields.ts';

/**
 * Used where the vendor requires an index of its own. It is an empty envelope, so that a body with it is
 * never passed on unchanged: the vendor would refuse a citation that it did not make.
 */
export const NO_INDEX = wrapSignatures([]);

/** Web pages. The citation covers the whole block (rule C-67). */
export function decodeCitation(value: JsonValue | undefined, length: number): Citation | undefined {
  const url = isObject(value) ? findAddress(value) : undefined;
  if (!isObject(value) || url === undefined) return undefined;
  const title = findText(value.title);
  const citedText = findText(value.cited_text);
  return {
    url,
    ...(title === undefined ? {} : { title }),
    start: 0,
    end: length,
    ...(citedText === undefined ? {} : { citedText }),
  };
}

/** The source of a client's own search result may be anything. Only an address can be cited. */
function findAddress({ type, url, source }: JsonObject): string | undefined {
  if (type === 'web_search_result_location') return findText(url);
  const address = type === 'search_result_location' ? (findText(source) ?? '') : '';
  return /^https?:/i.test(address) ? address : undefined;
}

export function decodeCitations(value: JsonValue | undefined, text: string): readonly Citation[] {
  return isArray(value) ? value.flatMap((one) => decodeCitation(one, text.length) ?? []) : [];
}

/** For a client. The cited text of the page if it is known, else the text that cites it. */
export function encodeCitation({ url, title, start, end, citedText }: Citation, text: string): JsonObject {
  return {
    type: 'web_search_result_location',
    url,
    title: title ?? null,
    cited_text: citedText ?? text.slice(start ?? 0, end ?? text.length),
    encrypted_index: NO_INDEX,
  };
}

/** A text block without the citations that were made here. */
export function withoutOurs(block: JsonObject): JsonObject {
  if (!isArray(block.citations)) return block;
  const kept = block.citations.filter((one) => !isObject(one) || one.encrypted_index !== NO_INDEX);
  const { citations, ...bare } = block;
  return kept.length === 0 ? bare : { ...bare, citations: kept };
}
