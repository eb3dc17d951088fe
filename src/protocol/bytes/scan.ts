import {
  JSON_DEPTH_MAX,
  JSON_NUMBER_BYTES_MAX,
  METERED_KEY_BYTES_MAX,
  METERED_KEYS_MAX,
} from '../../bounds.ts';
import { SCAN_STEPS_MAX } from '../bounds.ts';
import type { ByteRange } from '../dialect.ts';
import { isEnvelopeAt } from '../hub/envelope.ts';
import type { MediaFinder } from '../media/finder.ts';
import { findSpelled } from '../pass-through/key-spelling.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  CR,
  LETTER_F,
  LETTER_N,
  LETTER_T,
  LF,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
  TAB,
} from './ascii.ts';
import { ENCRYPTED_BYTES_MIN, isEncrypted } from './base64-run.ts';
import { findChild, type PathNode, type PathTree, sameBytes } from './paths.ts';
import { decodeText, showText } from './text.ts';
import { escapeEnd, numberEnd, plainEnd, WordView } from './word-compare.ts';

export type ScanOutcome = 'paused' | 'done' | 'invalid';

/** What may come next, outside a string. */
const VALUE = 0;
const VALUE_OR_CLOSE = 1;
const KEY = 2;
const KEY_OR_CLOSE = 3;
const AFTER_KEY = 4;
const AFTER_VALUE = 5;
const END = 6;

const NO_STRING = -1;
/** Escapes in shorter strings cost little. */
const LONG_STRING_BYTES = 1024;
const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');
const NULL = Buffer.from('null');

/** The state of a scan per depth. A scan that never pauses may share it with the next one. */
export interface ScanStack {
  readonly opens: Uint8Array;
  readonly starts: Float64Array;
}

export function newScanStack(): ScanStack {
  return { opens: new Uint8Array(JSON_DEPTH_MAX + 1), starts: new Float64Array(JSON_DEPTH_MAX + 1) };
}

/** Gets the objects in one list of the request while it is scanned: they are items of `list`'s slot. */
export interface ItemWatch {
  readonly list: number;
  /** Between its quotes, without escapes. */
  key(bytes: Buffer, start: number, end: number): void;
  /** A key with escapes, which may be any key. */
  escapedKey(): void;
  /** The value of the last key, as it is written. */
  value(bytes: Buffer, start: number, end: number): void;
  /** The item is complete. */
  end(): void;
}

/** The request is at 1, a list in it at 2. */
const ITEM_DEPTH = 3;

/**
 * A strict scanner of one JSON object that builds no values. It proves that the bytes are JSON, reports where
 * the wanted values are, and collects what the cheap input estimate needs. It can pause at any byte of a text
 * run, so a body of 100 MiB is scanned in slices while the event loop turns between them.
 */
export class JsonScan {
  /** Every range found per slot, in order. For a repeated key the last one counts. */
  readonly found: (ByteRange[] | undefined)[] = [];
  /** Bytes of string values as written, including files, without encrypted strings. */
  textBytes = 0;
  /** Bytes of long strings that a vendor has encrypted. No model reads them letter by letter. */
  encryptedBytes = 0;
  /** The number of values, and the bytes of long strings with escapes: the cost of parsing all of it. */
  values = 0;
  escapedBytes = 0;
  /** Finds files, if requested. */
  readonly media: MediaFinder | undefined;
  /** Gets the items of a list, if requested. */
  items: ItemWatch | undefined;
  /** Some string value is an envelope of ours (hub/envelope.ts). */
  holdsEnvelope = false;
  /** Why a text that may be valid JSON is refused; `undefined` if it is not JSON. */
  complaint: string | undefined;

  readonly #bytes: Buffer;
  readonly #words: WordView;
  /** Per depth: the opening byte, the start, and the node whose children are wanted inside. */
  readonly #opens: Uint8Array;
  readonly #starts: Float64Array;
  readonly #nodes: (PathNode | undefined)[] = [undefined];
  #depth = 0;
  #at = 0;
  #expect = VALUE;
  /** The position of the opening quote while a string is being read. */
  #string = NO_STRING;
  #stringIsKey = false;
  #stringHasEscape = false;
  /** Inside a watched item. */
  #isItem = false;
  /** The wanted node whose value comes next. */
  #pending: PathNode | undefined;

  constructor(bytes: Buffer, tree: PathTree<string>, stack: ScanStack = newScanStack(), media?: MediaFinder) {
    this.media = media;
    this.#bytes = bytes;
    this.#opens = stack.opens;
    this.#starts = stack.starts;
    this.#words = new WordView(bytes);
    this.#pending = tree.root;
  }

  /** Everything before this was scanned. */
  get at(): number {
    return this.#at;
  }

  /** Continues up to about `until`. If it paused, call it again with more. */
  run(until: number): ScanOutcome {
    const bytes = this.#bytes;
    const limit = Math.min(until, bytes.length);
    for (let steps = 0; this.#at < limit; steps++) {
      if (steps === SCAN_STEPS_MAX) return 'paused';
      if (this.#string !== NO_STRING) {
        if (!this.#stringOn(limit)) return 'invalid';
        continue;
      }
      const byte = bytes[this.#at] as number;
      if (byte === SPACE || byte === LF || byte === CR || byte === TAB) {
        this.#at++;
      } else if (!this.#token(byte)) {
        return 'invalid';
      }
    }
    if (this.#at < bytes.length) return 'paused';
    return this.#expect === END ? 'done' : 'invalid';
  }

  #token(byte: number): boolean {
    switch (this.#expect) {
      case AFTER_VALUE:
        if (byte !== COMMA) return this.#close(byte);
        this.#comma();
        return true;
      case KEY_OR_CLOSE:
        return byte === QUOTE ? this.#openString() : this.#close(byte);
      case KEY:
        return byte === QUOTE && this.#openString();
      case AFTER_KEY:
        if (byte !== COLON) return false;
        this.#colon();
        return true;
      case VALUE_OR_CLOSE:
        return byte === CLOSE_BRACKET ? this.#close(byte) : this.#value(byte);
      case VALUE:
        return this.#value(byte);
      default:
        return false;
    }
  }

  #comma(): void {
    this.#expect = this.#opens[this.#depth] === OPEN_BRACE ? KEY : VALUE;
    this.#at++;
  }

  #colon(): void {
    this.#expect = VALUE;
    this.#at++;
  }

  #value(byte: number): boolean {
    if (byte === QUOTE) return this.#depth > 0 && this.#openString();
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return this.#open(byte);
    if (this.#depth === 0) return false;
    const start = this.#at;
    const end = this.#scalarEnd(byte, start);
    if (end < 0 || end - start > JSON_NUMBER_BYTES_MAX) return false;
    this.#at = end;
    this.#ended(this.#pending, start, end);
    return true;
  }

  #scalarEnd(byte: number, start: number): number {
    if (byte === LETTER_T) return sameBytes(TRUE, this.#bytes, start) ? start + TRUE.length : -1;
    if (byte === LETTER_F) return sameBytes(FALSE, this.#bytes, start) ? start + FALSE.length : -1;
    if (byte === LETTER_N) return sameBytes(NULL, this.#bytes, start) ? start + NULL.length : -1;
    return numberEnd(this.#bytes, start);
  }

  #open(byte: number): boolean {
    if (this.#depth === 0 && byte !== OPEN_BRACE) return false;
    if (this.#depth === JSON_DEPTH_MAX) {
      this.complaint = 'The request body is nested too deeply';
      return false;
    }
    this.#depth++;
    if (this.media?.isAwake) {
      if (byte === OPEN_BRACKET) this.media.openList(this.#depth);
      else this.media.openObject(this.#depth, this.#starts[this.#depth - 1] as number);
    }
    this.#opens[this.#depth] = byte;
    this.#starts[this.#depth] = this.#at;
    this.#nodes[this.#depth] = this.#pending;
    // A repeated key replaces what an earlier value had under it.
    if (this.#pending !== undefined && this.#depth > 1) this.#forget(this.#pending);
    if (byte === OPEN_BRACKET) this.#pending = undefined;
    else if (this.#depth === ITEM_DEPTH && this.items !== undefined) this.#isItem = this.#isInList();
    this.#expect = byte === OPEN_BRACE ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
    this.#at++;
    return true;
  }

  #isInList(): boolean {
    const list = ITEM_DEPTH - 1;
    return this.#opens[list] === OPEN_BRACKET && this.#nodes[list]?.slot === this.items?.list;
  }

  #close(byte: number): boolean {
    const open = this.#opens[this.#depth];
    if (byte !== (open === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET)) return false;
    const start = this.#starts[this.#depth] as number;
    const node = this.#nodes[this.#depth];
    this.media?.close(this.#depth);
    this.#depth--;
    this.#at++;
    this.#ended(node, start, this.#at);
    return true;
  }

  #ended(node: PathNode | undefined, start: number, end: number): void {
    this.values++;
    this.#pending = undefined;
    if (this.#depth === 0) this.#expect = END;
    else if (this.#bytes[this.#at] === COMMA) this.#comma();
    else this.#expect = AFTER_VALUE;
    if (this.#isItem && this.#depth <= ITEM_DEPTH) this.#tellItem(start, end);
    if (node === undefined || node.slot < 0) return;
    const ranges = this.found[node.slot];
    if (ranges === undefined) this.found[node.slot] = [{ start, end }];
    else if (ranges.length < METERED_KEYS_MAX) ranges.push({ start, end });
    else this.#refuse(`The request has the key "${node.key}" more than ${METERED_KEYS_MAX} times`);
  }

  #tellItemKey(start: number, end: number): void {
    if (this.#stringHasEscape) this.items?.escapedKey();
    else this.items?.key(this.#bytes, start, end);
  }

  #tellItem(start: number, end: number): void {
    this.#isItem = this.#depth === ITEM_DEPTH;
    if (this.#isItem) this.items?.value(this.#bytes, start, end);
    else this.items?.end();
  }

  /** Ends the scan here. */
  #refuse(complaint: string): void {
    this.complaint = complaint;
    this.#at = this.#bytes.length;
    this.#expect = VALUE;
  }

  #forget(node: PathNode): void {
    for (const child of node.children) {
      if (child.slot >= 0 && this.found[child.slot] !== undefined) this.found[child.slot] = undefined;
      this.#forget(child);
    }
  }

  #openString(): boolean {
    this.#string = this.#at;
    this.#stringIsKey = this.#expect === KEY || this.#expect === KEY_OR_CLOSE;
    this.#stringHasEscape = false;
    this.#at++;
    return true;
  }

  /** Continues inside a string; false if the string is invalid. It may stop at the limit, still inside. */
  #stringOn(limit: number): boolean {
    const bytes = this.#bytes;
    while (this.#at < limit) {
      this.#at = plainEnd(bytes, this.#words, this.#at, limit);
      if (this.#at >= limit) return true;
      const byte = bytes[this.#at];
      if (byte === QUOTE) {
        this.#closeString(this.#at++);
        return true;
      }
      if (byte !== BACKSLASH) return false;
      const end = escapeEnd(bytes, this.#at);
      if (end < 0) return false;
      this.#stringHasEscape = true;
      this.#at = end;
    }
    return true;
  }

  #closeString(quote: number): void {
    const start = this.#string;
    const length = quote - start - 1;
    this.#string = NO_STRING;
    if (this.#stringHasEscape && length > LONG_STRING_BYTES) this.escapedBytes += length;
    if (this.#stringIsKey) {
      this.#tellKey(start + 1, quote);
      if (this.#isItem && this.#depth === ITEM_DEPTH) this.#tellItemKey(start + 1, quote);
      if (this.#bytes[this.#at] === COLON) this.#colon();
      else this.#expect = AFTER_KEY;
      const parent = this.#opens[this.#depth] === OPEN_BRACE ? this.#nodes[this.#depth] : undefined;
      const isWatched = parent !== undefined && parent.children.length > 0;
      this.#pending = isWatched ? this.#child(parent, start + 1, quote) : undefined;
      return;
    }
    if (isEnvelopeAt(this.#bytes, start + 1)) this.holdsEnvelope = true;
    if (this.#isEncrypted(start + 1, quote)) this.encryptedBytes += length;
    else this.textBytes += length;
    this.#ended(this.#pending, start, quote + 1);
  }

  /** Reports a key with escapes as vendors decode it, if it can be a wanted one. */
  #tellKey(start: number, end: number): void {
    const { media } = this;
    if (media === undefined) return;
    if (!this.#stringHasEscape || end - start > METERED_KEY_BYTES_MAX)
      media.key(this.#bytes, start, end, this.#depth);
    else {
      const key = Buffer.from(decodeText(this.#bytes, start, end));
      media.key(key, 0, key.length, this.#depth);
    }
  }

  /**
   * Only under the vendors' own keys, if they have them. Anything else that looks encrypted counts as text.
   */
  #isEncrypted(start: number, end: number): boolean {
    const { media } = this;
    if (media === undefined || !media.isAwake) return false;
    const depth = this.#depth;
    const isKey = media.string(start, end, depth, this.#starts[depth] as number);
    return isKey && end - start >= ENCRYPTED_BYTES_MIN && isEncrypted(this.#bytes, start, end);
  }

  /** A key may be written with escapes (`"\u006dodel"`). Vendors decode it, so we must too. */
  #child(parent: PathNode, start: number, end: number): PathNode | undefined {
    if (end - start > METERED_KEY_BYTES_MAX) {
      this.#refuse(`The request has a key of more than ${METERED_KEY_BYTES_MAX} bytes`);
      return undefined;
    }
    let exact: PathNode | undefined;
    if (!this.#stringHasEscape) exact = findChild(parent, this.#bytes, start, end);
    else {
      const key = Buffer.from(decodeText(this.#bytes, start, end));
      exact = findChild(parent, key, 0, key.length);
    }
    if (exact !== undefined) return exact;
    const meant = findSpelled(parent, this.#bytes, start, end);
    if (meant !== undefined) {
      const written = showText(decodeText(this.#bytes, start, end));
      this.#refuse(`The key ${written} may be read as "${meant.key}": write "${meant.key}", or leave it out`);
    }
    return undefined;
  }
}
