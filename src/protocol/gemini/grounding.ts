import { isArray, isObject, type JsonObject, type JsonValue } from '../hub/content/json.ts';
import type { PartHead } from '../hub/event.ts';
import type { Citation, Part, ServerToolPart } from '../hub/part.ts';
import { findNumber, findText, listObjects } from './fields.ts';

/** A passage of the answer and the pages it is based on. Google counts UTF-8 bytes within one part. */
export interface Support {
  readonly partIndex: number;
  readonly startByte: number | undefined;
  readonly endByte: number | undefined;
  readonly citation: Citation;
}

/** One citation for each passage and page. Only web pages can be cited in other protocols. */
export function decodeSupports(metadata: JsonValue | undefined): readonly Support[] {
  if (!isObject(metadata)) return [];
  const chunks = isArray(metadata.groundingChunks) ? metadata.groundingChunks : [];
  return listObjects(metadata.groundingSupports).flatMap((support) => {
    const segment = isObject(support.segment) ? support.segment : {};
    const indexes = isArray(support.groundingChunkIndices) ? support.groundingChunkIndices : [];
    return indexes.flatMap((index) => {
      const page = typeof index === 'number' ? decodePage(chunks[index]) : undefined;
      return page === undefined ? [] : [decodeSupport(segment, page)];
    });
  });
}

function decodePage(chunk: JsonValue | undefined): { url: string; title?: string } | undefined {
  const web = isObject(chunk) && isObject(chunk.web) ? chunk.web : undefined;
  const url = findText(web?.uri);
  const title = findText(web?.title);
  return url === undefined ? undefined : { url, ...(title === undefined ? {} : { title }) };
}

function decodeSupport(segment: JsonObject, page: { url: string; title?: string }): Support {
  return {
    partIndex: findNumber(segment.partIndex) ?? 0,
    // Protobuf leaves out zero.
    startByte: segment.endIndex === undefined ? undefined : (findNumber(segment.startIndex) ?? 0),
    endByte: findNumber(segment.endIndex),
    // `segment.text` repeats the answer. The text of the page is not included.
    citation: page,
  };
}

/** Puts the citations on the text they belong to, in the hub's units. */
export function citeText(text: string, supports: readonly Support[]): readonly Citation[] {
  const bytes = Buffer.from(text);
  const unitsAt = (at: number): number => bytes.toString('utf8', 0, at).length;
  return supports.map(({ startByte, endByte, citation }) =>
    startByte === undefined || endByte === undefined
      ? citation
      : { ...citation, start: unitsAt(startByte), end: unitsAt(endByte) },
  );
}

/** A citation for a client, with the text that its positions refer to. */
export interface PlacedCitation {
  readonly partIndex: number;
  readonly text: string;
  readonly citation: Citation;
}

/** Counts in the parts that the client gets. */
export function placeCitations(parts: readonly Part[]): readonly PlacedCitation[] {
  return parts.flatMap((part, partIndex) =>
    part.kind === 'text'
      ? (part.citations ?? []).map((citation) => ({ partIndex, text: part.text, citation }))
      : [],
  );
}

/** Google reports a search beside the answer, so the part has no raw form. */
export function decodeSearch(metadata: JsonValue | undefined): ServerToolPart | undefined {
  if (!isObject(metadata)) return undefined;
  const queries = readTexts(metadata.webSearchQueries);
  if (queries.length === 0) return undefined;
  const chunks = isArray(metadata.groundingChunks) ? metadata.groundingChunks : [];
  const search = { queries, pages: chunks.flatMap((chunk) => decodePage(chunk) ?? []) };
  return { kind: 'server-tool', protocol: '', raw: '', text: '', search };
}

function readTexts(value: JsonValue | undefined): readonly string[] {
  return isArray(value) ? value.filter((one) => typeof one === 'string' && one !== '').map(String) : [];
}

/** The queries of a search. */
export function listQueries(part: Part | PartHead): readonly string[] {
  return part.kind === 'server-tool' ? (part.search?.queries ?? []) : [];
}

export function encodeGrounding(
  placed: readonly PlacedCitation[],
  queries: readonly string[],
): JsonObject | undefined {
  if (placed.length === 0 && queries.length === 0) return undefined;
  const urls = [...new Set(placed.map(({ citation }) => citation.url))];
  const places = new Map(urls.map((url, place) => [url, place]));
  const titles = new Map(placed.map(({ citation }) => [citation.url, citation.title]));
  return {
    webSearchQueries: queries.length === 0 ? undefined : queries,
    groundingChunks: urls.map((uri) => ({ web: { uri, title: titles.get(uri) } })),
    groundingSupports: placed.map(({ partIndex, text, citation }) => ({
      segment: encodeSegment(partIndex, text, citation),
      groundingChunkIndices: [places.get(citation.url) ?? 0],
    })),
  };
}

function encodeSegment(partIndex: number, text: string, { start, end }: Citation): JsonObject {
  const bytesBefore = (units: number | undefined): number | undefined =>
    units === undefined || text === '' ? undefined : Buffer.byteLength(text.slice(0, units));
  return {
    partIndex: partIndex === 0 ? undefined : partIndex,
    startIndex: bytesBefore(start),
    endIndex: bytesBefore(end),
    text: end === undefined || text === '' ? undefined : text.slice(start ?? 0, end),
  };
}
