import { PDF_INFLATED_BYTES_MAX, PDF_STREAMS_MAX } from '../../bounds.ts';
import { inflateWithin } from '../../kernel/encoding/inflate.ts';

/** No known vendor accepts more pages at once. */
export const PDF_PAGES_MAX = 3_000;
/** The least bytes of a visible page: its object and its line in the table. */
const PAGE_BYTES_MIN = 60;
/** Bytes per page if pages are not visible: for text first, and for scans if the file is large. */
const WORDS_PAGE_BYTES = 8_192;
const WORDS_PAGES_MAX = 50;
const PICTURES_PAGE_BYTES = 65_536;
const HIDDEN_PAGES_MAX = 300;

const BASE64_FILLING_BYTES = 2;

const PAGE = /\/Type\s{0,8}\/Page(?![a-zA-Z])/g;
const COUNT = /\/Count\s{1,8}(\d{1,9})/g;
/** How many page counts are read in one part. Outlines have some too. */
const COUNTS_MAX = 10_000;
/** A linearized file has its number of pages at the very beginning. */
const LINEAR_COUNT = /\/Linearized[^>]{0,100}\/N\s{1,8}(\d{1,9})/;
const LINEAR_CHARS = 1_024;
/** Compressed objects. Their stream begins after a nearby line. */
const PRESSED = '/ObjStm';
const STREAM_BEGINS = /stream\r?\n/;
const STREAM_CHARS = 300;

/** Counts the pages of one request's PDFs, within limits for all of them together. */
export class PdfPageCounter {
  #streams = PDF_STREAMS_MAX;
  #inflatedBytes = PDF_INFLATED_BYTES_MAX;

  /**
   * The pages of a PDF, rather too many than too few: those visible in `parts` of it, or counted in its tree.
   * If something cannot be read, as many as its bytes may hold.
   */
  pages(parts: readonly Buffer[], bytes: number): number {
    let seen = 0;
    let declared = 0;
    let length = 0;
    let isRead = true;
    for (const part of parts) {
      const text = part.toString('latin1');
      const pressed = this.#pressedText(part, text);
      isRead &&= pressed !== undefined;
      const [pages, count] = countIn(text + (pressed ?? ''));
      seen += pages;
      declared = Math.max(declared, count ?? PDF_PAGES_MAX, length === 0 ? linearCount(text) : 0);
      length += part.length;
    }
    // If only a part of the file was read, the rest has as many pages per byte. Base64 padding does not
    // count.
    const isWhole = bytes - length <= BASE64_FILLING_BYTES;
    const scaled = isWhole || length === 0 ? seen : Math.ceil((seen * bytes) / length);
    const pages = Math.min(Math.max(scaled, declared), PDF_PAGES_MAX, Math.ceil(bytes / PAGE_BYTES_MIN));
    const isKnown = isRead && pages > 0 && (isWhole || declared > 0);
    return isKnown ? pages : Math.max(pages, hiddenPages(bytes));
  }

  /** The text of compressed object streams. `undefined` if one cannot be read, or there are too many. */
  #pressedText(part: Buffer, text: string): string | undefined {
    let pressed = '';
    for (let at = text.indexOf(PRESSED); at >= 0; at = text.indexOf(PRESSED, at + PRESSED.length)) {
      if (--this.#streams < 0) return undefined;
      const begins = STREAM_BEGINS.exec(text.slice(at, at + STREAM_CHARS));
      const inflated = begins && this.#inflated(part.subarray(at + begins.index + begins[0].length));
      if (inflated === null) return undefined;
      pressed += inflated;
    }
    return pressed;
  }

  /** Bytes after the stream are ignored. */
  #inflated(bytes: Buffer): string | null {
    const maxOutputLength = Math.min(this.#inflatedBytes, PDF_INFLATED_BYTES_MAX / 4);
    if (maxOutputLength < 1) return null;
    const inflated = inflateWithin(bytes, maxOutputLength);
    this.#inflatedBytes -= inflated?.length ?? maxOutputLength;
    return inflated?.toString('latin1') ?? null;
  }
}

/** The visible pages, and the highest count; `undefined` if there are too many to read. */
function countIn(text: string): readonly [pages: number, count: number | undefined] {
  let pages = 0;
  PAGE.lastIndex = 0;
  while (pages < PDF_PAGES_MAX && PAGE.test(text)) pages++;
  let count = 0;
  let counts = 0;
  for (const [, figure] of text.matchAll(COUNT)) {
    if (++counts > COUNTS_MAX) return [pages, undefined];
    count = Math.max(count, Number(figure));
  }
  return [pages, count];
}

function linearCount(text: string): number {
  return Number(LINEAR_COUNT.exec(text.slice(0, LINEAR_CHARS))?.[1] ?? 0);
}

function hiddenPages(bytes: number): number {
  const words = Math.ceil(bytes / WORDS_PAGE_BYTES);
  if (words <= WORDS_PAGES_MAX) return Math.max(1, words);
  const beyond = Math.ceil((bytes - WORDS_PAGES_MAX * WORDS_PAGE_BYTES) / PICTURES_PAGE_BYTES);
  return Math.min(WORDS_PAGES_MAX + beyond, HIDDEN_PAGES_MAX);
}
