import { MEDIA_HEAD_BYTES, MEDIA_LOOKED_BYTES_MAX } from '../../bounds.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { COMMA } from '../bytes/ascii.ts';
import { finishNow, type Sliced } from '../bytes/slices.ts';
import { decodeText } from '../bytes/text.ts';
import type { FoundMedia, MediaFinder } from './finder.ts';
import { type Format, findFormat, KINDS, kindOfName, type MediaKind } from './header.ts';
import { PdfPageCounter } from './pdf-pages.ts';
import { type SoundLength, soundLength } from './sound/length.ts';
import { SoundBytes } from './sound/sound-bytes.ts';
import { addressTokens, fileTokens, type MediaBytes, tokenRates } from './tokens.ts';

/** The estimated tokens of a request's files. */
export interface MediaEstimate {
  readonly tokens: number;
  /** Bytes of the request that were counted here and are not text. */
  readonly bytes: number;
}

export const NO_MEDIA: MediaEstimate = Object.freeze({ tokens: 0, bytes: 0 });

/** How much of an address is read to find its kind. */
const ADDRESS_BYTES = 2_048;
const NAME_BYTES = 128;
const ADDRESS = /^(?:https?|gs|s3|files):|^(?:projects|files)\//i;
const UNNAMED = 'application/octet-stream';
/** Most headers have all information in their first bytes. These have it further back. */
const SIGN_BYTES = 48;
const FAR_HEADERS: ReadonlySet<Format> = new Set(['jpeg', 'heif']);
/** Source types that contain text although they stand where files do. */
const TEXT_SOURCES: ReadonlySet<string> = new Set(['text', 'content']);

/** Upper estimates of all files found in a body. A value that turns out not to be a file counts as text. */
export function estimateMedia(
  body: Buffer,
  { found, beyond, lengths }: Pick<MediaFinder, 'found' | 'beyond' | 'lengths'>,
  { protocol, model }: { readonly protocol: Protocol; readonly model: string },
): MediaEstimate {
  const rates = tokenRates(protocol, model);
  const reader = new MediaReader(lengths);
  let tokens = beyond * rates.pictureMost;
  let bytes = 0;
  for (const media of found) {
    if (TEXT_SOURCES.has(textAt(body, media.sourceType))) continue;
    const kind = addressKind(body, media);
    const file =
      kind === undefined ? reader.fileAt(body, media.value, readMediaName(body, media)) : undefined;
    if (kind !== undefined) tokens += addressTokens(kind, rates);
    else if (file !== undefined) tokens += fileTokens(file, rates);
    if (file !== undefined || kind !== undefined) bytes += media.value.end - media.value.start;
  }
  return { tokens, bytes };
}

/** The lengths of all sound and films in a large body, by where they begin. */
export function* measureSounds(
  body: Buffer,
  { found }: Pick<MediaFinder, 'found'>,
): Sliced<ReadonlyMap<number, SoundLength>> {
  const lengths = new Map<number, SoundLength>();
  for (const { value } of found) {
    const text = openFile(body, value);
    const format = text && findFormat(text.sign);
    if (text === undefined || format === undefined || !isHeard(format)) continue;
    const length = yield* soundLength(SoundBytes.ofBase64(body, text.from, value.end));
    lengths.set(text.from, length);
    yield;
  }
  return lengths;
}

function isHeard(format: Format): boolean {
  return KINDS[format] === 'sound' || KINDS[format] === 'video';
}

/** The base64 of a file in a string, or in a `data:` address: where it begins, its first bytes, its type. */
interface FileText {
  readonly from: number;
  readonly sign: Buffer;
  /** Of a `data:` address. */
  readonly mime: string | undefined;
}

function openFile(body: Buffer, { start, end }: FoundMedia['value']): FileText | undefined {
  const isData = body.toString('latin1', start, start + 5).toLowerCase() === 'data:';
  const comma = isData ? body.subarray(start, Math.min(end, start + ADDRESS_BYTES)).indexOf(COMMA) : -1;
  if (isData && comma < 0) return undefined;
  const from = start + comma + 1;
  const sign = decoded(body, from, Math.min(end, from + base64Length(SIGN_BYTES)));
  return { from, sign, mime: isData ? body.toString('latin1', start + 5, start + comma) : undefined };
}

function textAt(body: Buffer, range: FoundMedia['value']): string {
  return range.start < 0 ? '' : readBeginning(body, range, NAME_BYTES);
}

function readBeginning(body: Buffer, { start, end }: FoundMedia['value'], bytes: number): string {
  return plain(body, start, Math.min(end, start + bytes));
}

const ESCAPE_CHARS_MAX = 6;
const CUT_OFF = /\\(?:u[0-9a-f]{0,3})?$/i;

/** Letters may be written as escapes. One that is cut off at the end is left out. */
function plain(body: Buffer, start: number, end: number): string {
  const text = body.toString('latin1', start, end);
  if (!text.includes('\\')) return text;
  const cut = CUT_OFF.exec(text.slice(-ESCAPE_CHARS_MAX))?.[0].length ?? 0;
  return decodeText(body, start, end - cut);
}

/** The client's name for it. A source in base64 is a file, whatever its name. */
function readMediaName(body: Buffer, { mime, sourceType }: FoundMedia): string {
  const named = textAt(body, mime);
  return named === '' && textAt(body, sourceType) === 'base64' ? UNNAMED : named;
}

/** The kind of a file at an address, or stored with the vendor; `undefined` if it is neither. */
function addressKind(body: Buffer, { key, value, type, mime }: FoundMedia): MediaKind | undefined {
  const isId = key === 'file_id';
  // Base64 files have none of these beginnings, so no more of them is read.
  if (!isId && !ADDRESS.test(textAt(body, value).trimStart())) return undefined;
  const text = readBeginning(body, value, ADDRESS_BYTES).trim();
  const named = isId ? 'unknown' : kindOfName(text);
  const typed = named === 'unknown' ? kindOfName(textAt(body, mime)) : named;
  if (typed !== 'unknown') return typed;
  const part = `${key} ${textAt(body, type)}`;
  // An id in a citation is not a file that is read again.
  if (isId && /citation|container|path/.test(part)) return undefined;
  if (/image|screenshot/.test(part)) return 'picture';
  if (/audio/.test(part)) return 'sound';
  return /video/.test(part) ? 'video' : 'document';
}

/** Reads files in a request, within a limit for all of them together. */
class MediaReader {
  #left = MEDIA_LOOKED_BYTES_MAX;
  readonly #pdf = new PdfPageCounter();
  readonly #lengths: ReadonlyMap<number, SoundLength> | undefined;

  constructor(lengths: ReadonlyMap<number, SoundLength> | undefined) {
    this.#lengths = lengths;
  }

  /**
   * `undefined` if the string is not a file: neither a `data:` address nor base64 with a known beginning or
   * name.
   */
  fileAt(body: Buffer, value: FoundMedia['value'], named: string): MediaBytes | undefined {
    const text = openFile(body, value);
    if (text === undefined) return undefined;
    const { from, sign, mime = named } = text;
    const { end } = value;
    const format = findFormat(sign);
    if (text.mime === undefined && format === undefined && !isNamed(named)) return undefined;
    const bytes = Math.floor(((end - from) * 3) / 4);
    if (format === 'pdf') {
      const pages = (): number => this.#pdf.pages(this.#parts(body, from, end), bytes);
      return { head: sign, pages, bytes, mime };
    }
    const isFar = format !== undefined && FAR_HEADERS.has(format) && this.#left > sign.length * 2;
    // A small body is measured at once.
    const length = (): SoundLength =>
      this.#lengths?.get(from) ?? finishNow(soundLength(SoundBytes.ofBase64(body, from, end)));
    return { head: isFar ? this.#head(body, from, end) : sign, length, bytes, mime };
  }

  #head(body: Buffer, start: number, end: number): Buffer {
    const length = Math.min(end - start, base64Length(MEDIA_HEAD_BYTES), this.#left) & ~3;
    this.#left -= length;
    return decoded(body, start, start + length);
  }

  /** The beginning and the end, where a document has its tree; or all of it if the limit allows. */
  #parts(body: Buffer, start: number, end: number): readonly Buffer[] {
    const length = Math.min(end - start, this.#left) & ~3;
    this.#left -= length;
    if (length === end - start || length < 8) return [decoded(body, start, start + length)];
    const half = (length >> 1) & ~3;
    return [decoded(body, start, start + half), decoded(body, end - half, end)];
  }
}

/** Texts have names too, but are not encoded. */
function isNamed(mime: string): boolean {
  const kind = kindOfName(mime);
  return kind !== 'text' && kind !== 'unknown';
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

/** Some writers escape the slash; a base64 reader skips blanks. */
function decoded(body: Buffer, start: number, end: number): Buffer {
  return Buffer.from(plain(body, start, end), 'base64');
}
