import { MEDIA_PARTS_MAX } from '../../bounds.ts';
import { findChild, makeNode, type PathNode } from '../bytes/paths.ts';
import { HOSTED_KEYS } from '../meter/vendor-tools.ts';
import type { SoundLength } from './sound/length.ts';

/** What a key means for its value. */
const NONE = -1;
/** `type` of a part, or of its source. */
const TYPE = 0;
/** JSON that a model reads as it is written: anything in it that looks like a file is text. */
const RAW = 1;
/** A file: as a string, or as an object that contains one. */
const PART = 2;
/** The file inside such an object. */
const INNER = 3;
/** The media type that the client declares for it. */
const MIME = 4;
const MIME_KEYS = ['mimeType', 'mime_type', 'media_type'];
/** Encrypted by a vendor: no model reads it letter by letter. */
const SEALED = 5;
/** A vendor tool in the list of tools. Google names one by its key. */
const HOSTED = 6;
const SEALED_KEYS = ['signature', 'encrypted_content', 'thoughtSignature', 'thought_signature'];

/** The keys of one protocol under which its requests carry files. */
export interface MediaKeys {
  readonly root: PathNode;
  /** By a key's first byte, one bit for each length (modulo 32): most keys match none. */
  readonly lengths: Uint32Array;
  /** Shared by requests that are scanned at once. */
  readonly shared: MediaFinder;
}

export function compileMediaKeys(lists: {
  readonly raw: readonly string[];
  readonly part: readonly string[];
  readonly inner: readonly string[];
}): MediaKeys {
  const nodes = (keys: readonly string[], slot: number): PathNode[] =>
    keys.map((key) => makeNode(key, slot, []));
  const children = [
    ...nodes(['type'], TYPE),
    ...nodes(lists.raw, RAW),
    ...nodes(lists.part, PART),
    ...nodes(lists.inner, INNER),
    ...nodes(MIME_KEYS, MIME),
    ...nodes(SEALED_KEYS, SEALED),
    ...nodes(HOSTED_KEYS, HOSTED),
  ];
  const lengths = new Uint32Array(256);
  for (const { key, length } of children) {
    const first = key[0] as number;
    lengths[first] = (lengths[first] as number) | (1 << (length & 31));
  }
  const keys = { root: makeNode('', -1, children), lengths };
  return { ...keys, shared: new MediaFinder(keys) };
}

/** A string that is a file, or refers to one, between its quotes. Ranges of -1 are absent. */
export interface FoundMedia {
  readonly key: string;
  readonly value: Range;
  /** The `type` of the part, and that of the source within. */
  readonly type: Range;
  readonly sourceType: Range;
  readonly mime: Range;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** The depth of the list of tools; the request is at 1. */
const TOOLS_DEPTH = 2;
const NOWHERE: Range = { start: -1, end: -1 };

/** A part that has not ended: its types may come after its file. */
interface OpenPart {
  readonly depth: number;
  type: Range;
  sourceType: Range;
  mime: Range;
  readonly files: { readonly key: string; readonly value: Range }[];
}

/**
 * Finds files in a request while it is scanned. The scanner reports keys, strings, and objects and arrays
 * that open and close. For a request without files this only checks the first byte of every key.
 */
export class MediaFinder {
  found: FoundMedia[] = [];
  /** The number of files that are not examined, because there are too many. */
  beyond = 0;
  /** The lengths of sound in a large body, which is measured in turns: by where its base64 begins. */
  lengths: ReadonlyMap<number, SoundLength> | undefined;
  /** The types of the tools, and the keys of those without a type. */
  toolTypes: Range[] = [];
  vendorToolKeys: string[] = [];
  readonly #keys: Pick<MediaKeys, 'root' | 'lengths'>;
  #parts: OpenPart[] = [];
  #kind = NONE;
  #node: PathNode | undefined;
  #rawDepth = 0;
  #toolDepth = -1;
  /** The depth of the list whose strings belong to the last key. */
  #listDepth = -1;
  #files = 0;
  /** The last `type`: the object that it is in, and its depth. */
  #typeObject = -1;
  #type: Range = NOWHERE;

  constructor(keys: Pick<MediaKeys, 'root' | 'lengths'>) {
    this.#keys = keys;
  }

  /** Prepares for the next request. Small requests are scanned one after the other and share one finder. */
  begin(): this {
    if (this.found.length > 0) this.found = [];
    if (this.#parts.length > 0) this.#parts = [];
    if (this.toolTypes.length > 0) this.toolTypes = [];
    if (this.vendorToolKeys.length > 0) this.vendorToolKeys = [];
    this.#kind = NONE;
    this.#rawDepth = 0;
    this.#toolDepth = -1;
    this.#listDepth = -1;
    this.#files = 0;
    this.beyond = 0;
    this.#typeObject = -1;
    return this;
  }

  /** A key of the object at this depth, between its quotes, without escapes. */
  key(bytes: Buffer, start: number, end: number, depth: number): void {
    if (this.#rawDepth > 0 && depth !== this.#toolDepth) return;
    const lengths = this.#keys.lengths[bytes[start] as number] as number;
    if ((lengths & (1 << ((end - start) & 31))) === 0) {
      this.#kind = NONE;
      return;
    }
    const node = findChild(this.#keys.root, bytes, start, end);
    this.#kind = node?.slot ?? NONE;
    this.#node = node;
    if (this.#rawDepth > 0) this.#toolKey();
  }

  /** In a tool only its type counts, or its key. */
  #toolKey(): void {
    if (this.#kind === TYPE) return;
    if (this.#kind === HOSTED && this.vendorToolKeys.length < MEDIA_PARTS_MAX)
      this.vendorToolKeys.push(this.#key());
    this.#kind = NONE;
  }

  /** Whether the next string or container matters. */
  get isAwake(): boolean {
    return this.#kind !== NONE;
  }

  /**
   * A string value of the last key, in the object at this depth that opened at `object`. True: its key is for
   * encrypted values.
   */
  string(start: number, end: number, depth: number, object: number): boolean {
    const kind = this.#kind;
    // The key has its value now, unless that is a list.
    if (depth !== this.#listDepth) this.#kind = NONE;
    const value = { start, end };
    if (this.#rawDepth > 0) {
      if (kind === TYPE && this.toolTypes.length < MEDIA_PARTS_MAX) this.toolTypes.push(value);
      return false;
    }
    if (kind === SEALED) return true;
    const part = this.#parts.at(-1);
    if (kind === TYPE) {
      this.#typeObject = object;
      this.#type = value;
      if (part?.depth === depth) part.type = value;
      else if (part?.depth === depth - 1) part.sourceType = value;
    } else if (kind === PART) {
      if (this.#files < MEDIA_PARTS_MAX) this.#add(this.#part(depth, object), value);
      else this.beyond++;
    } else if (part?.depth !== depth - 1) return false;
    else if (kind === INNER) this.#add(part, value);
    else if (kind === MIME) part.mime = value;
    return false;
  }

  /** The value of the last key opens at `depth`, in the object that opened at `object`. */
  openObject(depth: number, object: number): void {
    if (this.#kind === RAW && this.#rawDepth === 0) this.#rawDepth = depth;
    else if (this.#kind === PART && this.#rawDepth === 0) {
      if (this.#files < MEDIA_PARTS_MAX) this.#part(depth - 1, object);
      else this.beyond++;
    }
    this.#kind = NONE;
  }

  /** The strings of a list belong to the key before it. */
  openList(depth: number): void {
    if (this.#kind === RAW && this.#rawDepth === 0) {
      this.#rawDepth = depth;
      if (depth === TOOLS_DEPTH && this.#key() === 'tools') this.#toolDepth = depth + 1;
    }
    this.#listDepth = this.#kind === PART ? depth : -1;
    if (this.#kind !== PART) this.#kind = NONE;
  }

  /** What opened at this depth closes. */
  close(depth: number): void {
    this.#kind = NONE;
    if (depth === this.#rawDepth) {
      this.#rawDepth = 0;
      this.#toolDepth = -1;
    }
    if (this.#parts.length === 0) return;
    const part = this.#parts.at(-1);
    if (part?.depth !== depth) return;
    this.#parts.pop();
    const { type, sourceType, mime } = part;
    for (const file of part.files) this.found.push({ ...file, type, sourceType, mime });
  }

  #key(): string {
    return this.#node?.key.toString() ?? '';
  }

  #part(depth: number, object: number): OpenPart {
    const last = this.#parts.at(-1);
    if (last?.depth === depth) return last;
    const type = this.#typeObject === object ? this.#type : NOWHERE;
    const part: OpenPart = { depth, type, sourceType: NOWHERE, mime: NOWHERE, files: [] };
    this.#parts.push(part);
    return part;
  }

  #add(part: OpenPart, value: Range): void {
    if (this.#files >= MEDIA_PARTS_MAX) {
      this.beyond++;
      return;
    }
    this.#files++;
    part.files.push({ key: this.#key(), value });
  }
}
