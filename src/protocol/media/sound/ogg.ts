import { SOUND_STREAMS_MAX } from '../../bounds.ts';
import type { Sliced } from '../../bytes/slices.ts';
import { flacSamples } from './flac.ts';
import { OPUS_RATE, opusSamples } from './opus.ts';
import { type Measured, MOST_BYTES } from './rates.ts';
import type { SoundBytes } from './sound-bytes.ts';

const LETTER_O = 0x4f;
const PAGE_SIGN_BYTES = 5;
const PAGE_HEADER_BYTES = 27;
const SEGMENTS_AT = 26;
const PAGE_HEAD_BYTES_MAX = PAGE_HEADER_BYTES + 255;
const SEGMENT_BYTES = 255;
const FIRST_PAGE = 2;
const SAMPLE_RATE_MAX = 192_000;
/** 2 ^ 32, for numbers of 64 bits. */
const HIGH = 0x1_0000_0000;

/** What the packets of one logical stream hold, and where its pages say that it ends. */
interface Stream {
  readonly codec: 'opus' | 'vorbis' | 'flac';
  readonly sampleRate: number;
  /** Packets before sound. */
  headers: number;
  /** Opus: samples before the beginning. Vorbis: those of a short and of a long block. */
  readonly skipped: number;
  readonly short: number;
  readonly long: number;
  samples: number;
  lastBlock: number;
  granule: number;
  /** The last packet continues in the next page. */
  isOpen: boolean;
}

/** By the packets of each stream, each of which says how long it is. */
export function* measureOgg(sound: SoundBytes): Sliced<Measured | undefined> {
  const streams = new Streams();
  let strayBytes = 0;
  let at = 0;
  for (;;) {
    if (sound.isDue()) yield;
    let index = sound.seek(at, PAGE_HEAD_BYTES_MAX);
    if (index + PAGE_HEADER_BYTES > sound.bytes.length) break;
    const length = pageBytes(sound.bytes, index);
    let skipped = strayUntilPage(sound.bytes, index, length);
    if (skipped === 0) {
      index = sound.seek(at, length);
      skipped = strayUntilPage(sound.bytes, index, length);
    }
    sound.worked(1 + (skipped || length) / BYTES_PER_STEP);
    strayBytes += skipped;
    if (skipped === 0 && !streams.readPage(sound.bytes, index)) strayBytes += length;
    at += skipped || length;
  }
  const { mostBytes } = streams;
  if (mostBytes === 0) return undefined;
  return { seconds: streams.seconds(), strayBytes: strayBytes + Math.max(0, sound.length - at), mostBytes };
}

const SEARCHED_BYTES = 16_384;
const BYTES_PER_STEP = 16;

/**
 * How many bytes before the next page are none; 0 for a page. A page within a page: one of them is none, and
 * decoders find out by a checksum.
 */
function strayUntilPage(bytes: Buffer, at: number, length: number): number {
  const end = Math.min(bytes.length - PAGE_SIGN_BYTES, at + (length || SEARCHED_BYTES));
  for (let next = at + 1; next < end; next++) {
    if (bytes[next + 4] === 0 && bytes[next] === LETTER_O && isPage(bytes, next)) return next - at;
  }
  if (length > 0) return 0;
  return Math.max(1, Math.min(bytes.length, end) - at);
}

/** The sign of a page, and the only version that there is. */
function isPage(bytes: Buffer, at: number): boolean {
  return bytes[at + 4] === 0 && bytes.readUInt32BE(at) === 0x4f676753;
}

/** 0: there is no page here, or not all of its head. */
function pageBytes(bytes: Buffer, at: number): number {
  if (!isPage(bytes, at)) return 0;
  const segments = bytes[at + SEGMENTS_AT] as number;
  const table = at + PAGE_HEADER_BYTES;
  if (table + segments > bytes.length) return 0;
  let length = PAGE_HEADER_BYTES + segments;
  for (let index = table; index < table + segments; index++) length += bytes[index] as number;
  return length;
}

/** The logical streams of a file: several at once, or one after the other. */
class Streams {
  /** By the dearest codec; 0 if there is none. */
  mostBytes = 0;
  readonly #open = new Map<number, Stream>();
  #opened = 0;
  #endedSeconds = 0;

  /** False: the page belongs to no stream that can be measured. */
  readPage(bytes: Buffer, at: number): boolean {
    const serial = bytes.readUInt32LE(at + 14);
    const segments = bytes[at + SEGMENTS_AT] as number;
    const body = at + PAGE_HEADER_BYTES + segments;
    if (((bytes[at + 5] as number) & FIRST_PAGE) !== 0) this.#begin(serial, openStream(bytes, body));
    const stream = this.#open.get(serial);
    if (stream === undefined) return false;
    measurePage(stream, bytes, body, segments);
    // -1: no packet ends here.
    const high = bytes.readInt32LE(at + 10);
    if (high >= 0) stream.granule = Math.max(stream.granule, high * HIGH + bytes.readUInt32LE(at + 6));
    return true;
  }

  #begin(serial: number, stream: Stream | undefined): void {
    const before = this.#open.get(serial);
    if (before !== undefined) this.#endedSeconds += before.samples / before.sampleRate;
    this.#open.delete(serial);
    if (stream === undefined || this.#open.size === SOUND_STREAMS_MAX) return;
    this.#opened++;
    this.#open.set(serial, stream);
    this.mostBytes = Math.max(this.mostBytes, stream.codec === 'flac' ? MOST_BYTES.pcm : MOST_BYTES.opus);
  }

  seconds(): number {
    let seconds = this.#endedSeconds;
    // Of many short streams such trimmings could be all there is.
    const isAlone = this.#opened === 1;
    for (const stream of this.#open.values()) {
      seconds += (isAlone ? trimmedSamples(stream) : stream.samples) / stream.sampleRate;
    }
    return seconds;
  }
}

function measurePage(stream: Stream, bytes: Buffer, body: number, segments: number): void {
  let packet = body;
  // What continues from the previous page was counted there.
  let { isOpen } = stream;
  let length = 0;
  for (let index = body - segments; index < body; index++) {
    const segment = bytes[index] as number;
    length += segment;
    if (segment === SEGMENT_BYTES) continue;
    if (!isOpen) measurePacket(stream, bytes, packet, length);
    isOpen = false;
    packet += length;
    length = 0;
  }
  stream.isOpen = segments > 0 && bytes[body - 1] === SEGMENT_BYTES;
  if (stream.isOpen && !isOpen) measurePacket(stream, bytes, packet, length);
}

const NEW = { samples: 0, lastBlock: 0, granule: 0, isOpen: false } as const;

function openStream(bytes: Buffer, at: number): Stream | undefined {
  const sign = bytes.toString('latin1', at, Math.min(bytes.length, at + 8));
  if (sign.startsWith('OpusHead') && at + 12 <= bytes.length) {
    const skipped = bytes.readUInt16LE(at + 10);
    return { ...NEW, codec: 'opus', sampleRate: OPUS_RATE, headers: 2, skipped, short: 0, long: 0 };
  }
  if (sign.startsWith('\x01vorbis') && at + 29 <= bytes.length) {
    const sampleRate = Math.min(bytes.readUInt32LE(at + 12), SAMPLE_RATE_MAX) || 1;
    const sizes = bytes[at + 28] as number;
    const [short, long] = [sizes & 15, sizes >> 4].map((bits) => 2 ** Math.min(bits, 13)) as [number, number];
    return { ...NEW, codec: 'vorbis', sampleRate, headers: 3, skipped: 0, short, long };
  }
  if (sign.startsWith('\x7fFLAC') && at + 30 <= bytes.length) {
    const sampleRate = Math.min(bytes.readUIntBE(at + 27, 3) >>> 4, SAMPLE_RATE_MAX) || 1;
    return { ...NEW, codec: 'flac', sampleRate, headers: 0, skipped: 0, short: 0, long: 0 };
  }
  return undefined;
}

function measurePacket(stream: Stream, bytes: Buffer, at: number, length: number): void {
  if (stream.headers > 0) {
    stream.headers--;
    return;
  }
  if (stream.codec === 'opus') stream.samples += opusSamples(bytes, at, Math.min(length, bytes.length - at));
  else if (stream.codec === 'flac') stream.samples += at + 5 < bytes.length ? flacSamples(bytes, at) : 0;
  else if (length > 0 && at < bytes.length) {
    // Its first bit: no header. Its second, as all known encoders number their modes: a long block.
    const size = ((bytes[at] as number) & 2) === 0 ? stream.short : stream.long;
    // Half of each block overlaps half of the one before.
    if (stream.lastBlock > 0) stream.samples += (stream.lastBlock + size) / 4;
    stream.lastBlock = size;
  }
}

/** How far a page may say that a stream ends before its packets do. */
const TRIMMED_SECONDS = 0.25;

/**
 * The samples without what an encoder filled up at the beginning and at the end, where the pages say so, and
 * only there.
 */
function trimmedSamples({ samples, granule, skipped, sampleRate }: Stream): number {
  const trimmed = Math.max(0, granule - skipped);
  const isUsual = samples - trimmed <= TRIMMED_SECONDS * sampleRate && trimmed <= samples;
  return isUsual ? trimmed : samples;
}
