import { PDF_INFLATED_BYTES_MAX, PDF_STREAMS_MAX } from '../../bounds.ts';
import { inflateWithin } from '../../kernel/encoding/inflate.ts';

/** A vendor that takes more pages at once is not known. */
export const PDF_PAGES_MAX = 3_000;
/** A page that can be seen in the file takes so many bytes at least: its object and its line in the table. */
const PAGE_BYTES_MIN = 60;
/** Where pages cannot be seen: of plain words to begin with, of pictures when the file is large. */
const WORDS_PAGE_BYTES = 8_192;
const WORDS_PAGES_MAX = 50;
const PICTURES_PAGE_BYTES = 65_536;
const HIDDEN_PAGES_MAX = 300;

const BASE64_FILLING_BYTES = 2;

const PAGE = /\/Type\s{0,8}\/Page(?![a-zA-Z])/g;
const COUNT = /\/Count\s{1,8}(\d{1,9})/g;
/** Counts that are read in one part: outlines have some as well. */
const COUNTS_MAX = 10_000;
/** A file that is written for slow lines tells its pages at the very beginning. */
const LINEAR_COUNT = /\/Linearized[^>]{0,100}\/N\s{1,8}(\d{1,9})/;
const LINEAR_CHARS = 1_024;
/** Objects that are pressed together; their stream begins behind a line near by. */
const PRESSED = '/ObjStm';
const STREAM_BEGINS = /stream\r?\n/;
const STREAM_CHARS = 300;

/** Looks into the PDFs of one request, within bounds for all of them together. */
export class PdfLook {
  #streams = PDF_STREAMS_MAX;
  #inflatedBytes = PDF_INFLATED_BYTES_MAX;

  /**
   * The pages of a PDF, rather too many than too few: those that are seen in `parts` of it, or that its own
   * tree tells of, and where something cannot be read as many as its bytes may hold.
   */
  pages(parts: readonly Buffer[], bytes: number): number {
    let seen = 0;
    let told = 0;
    let length = 0;
    let isRead = true;
    for (const part of parts) {
      const text = part.toString('latin1');
      const pressed = this.#pressedText(part, text);
      isRead &&= pressed !== undefined;
      const [pages, count] = countIn(text + (pressed ?? ''));
      seen += pages;
      told = Math.max(told, count ?? PDF_PAGES_MAX, length === 0 ? linearCount(text) : 0);
      length += part.length;
    }
    // Where only a part of the file was looked at, the rest has as many pages to its bytes. What base64 is
    // filled up with is no part of it.
    const isWhole = bytes - length <= BASE64_FILLING_BYTES;
    const scaled = isWhole || length === 0 ? seen : Math.ceil((seen * bytes) / length);
    const pages = Math.min(Math.max(scaled, told), PDF_PAGES_MAX, Math.ceil(bytes / PAGE_BYTES_MIN));
    const isKnown = isRead && pages > 0 && (isWhole || told > 0);
    return isKnown ? pages : Math.max(pages, hiddenPages(bytes));
  }

  /** What stands in the streams of objects; nothing when one cannot be read, or there are too many. */
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

  /** What follows the stream is no part of it, and is left alone. */
  #inflated(bytes: Buffer): string | null {
    const maxOutputLength = Math.min(this.#inflatedBytes, PDF_INFLATED_BYTES_MAX / 4);
    if (maxOutputLength < 1) return null;
    const inflated = inflateWithin(bytes, maxOutputLength);
    this.#inflatedBytes -= inflated?.length ?? maxOutputLength;
    return inflated?.toString('latin1') ?? null;
  }
}

/** Pages that are seen, and the highest count that is told: nothing when there are too many to read. */
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
