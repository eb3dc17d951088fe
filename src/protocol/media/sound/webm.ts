import { SOUND_STREAMS_MAX } from '../../bounds.ts';
import type { Sliced } from '../../bytes/slices.ts';
import { OPUS_RATE, OPUS_SAMPLES_MAX, opusSamples } from './opus.ts';
import { type Measured, MOST_BYTES } from './rates.ts';
import type { SoundBytes } from './sound-bytes.ts';

/** Elements of Matroska. These are entered, and all others are stepped over. */
const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const INFO = 0x1549a966;
const TRACKS = 0x1654ae6b;
const TRACK_ENTRY = 0xae;
const BLOCK_GROUP = 0xa0;
/** These are read. */
const TRACK_NUMBER = 0xd7;
const TRACK_TYPE = 0x83;
const CODEC = 0x86;
const TIMECODE_SCALE = 0x2ad7b1;
const TIMECODE = 0xe7;
const SIMPLE_BLOCK = 0xa3;
const BLOCK = 0xa1;

const CLUSTER_SIGN = Buffer.from([0x1f, 0x43, 0xb6, 0x75]);
const ELEMENT_HEAD_BYTES_MAX = 12;
const VALUE_BYTES_MAX = 64;
const NUMBER_BYTES_MAX = 6;
const USUAL_SCALE = 1_000_000;
const NANOSECONDS = 1_000_000_000;
const FILM = 1;
const SOUND = 2;
const LACED = 0x06;
/** A block of sound has less than this, one frame of a film lasts for less. */
const BLOCK_SECONDS_MAX = 1;
const PICTURE_SECONDS_MAX = 10;

interface Track {
  number: number;
  type: number;
  codec: string;
  blocks: number;
  opusSamples: number;
  last: number;
  /** Between the last two blocks: about as long as the last one lasts. */
  step: number;
}

/** The end of the last block, by its cluster and by what blocks hold. The duration in the head is a claim. */
export function* measureWebm(sound: SoundBytes): Sliced<Measured | undefined> {
  const film = new Film();
  let strayBytes = 0;
  let at = 0;
  for (;;) {
    if (sound.isDue()) yield;
    const index = sound.seek(at, ELEMENT_HEAD_BYTES_MAX + VALUE_BYTES_MAX);
    const { bytes } = sound;
    if (index + 2 > bytes.length) break;
    readElement(bytes, index);
    const { id, headBytes, size } = element;
    if (headBytes === 0) {
      const next = bytes.subarray(index + 1, index + SEARCHED_BYTES).indexOf(CLUSTER_SIGN);
      const rest = bytes.length - index;
      const end = rest > SEARCHED_BYTES ? SEARCHED_BYTES - CLUSTER_SIGN.length : rest;
      const skipped = next >= 0 ? next + 1 : end;
      strayBytes += skipped;
      at += skipped;
      sound.worked(SEARCHED_STEPS);
    } else if (size < 0 || isEntered(id)) {
      film.enter(id);
      at += headBytes;
    } else {
      film.read(id, bytes, index + headBytes, size);
      at += headBytes + size;
    }
  }
  const seconds = film.seconds();
  if (seconds === undefined) return undefined;
  return { seconds, strayBytes: strayBytes + Math.max(0, sound.length - at), mostBytes: film.mostBytes() };
}

const SEARCHED_BYTES = 16_384;
const SEARCHED_STEPS = 256;

function isEntered(id: number): boolean {
  if (id < 0x100) return id === BLOCK_GROUP || id === TRACK_ENTRY;
  return id === CLUSTER || id === SEGMENT || id === INFO || id === TRACKS;
}

/** The last element read. No head: there is none. A size of -1 is unknown. */
const element = { id: 0, headBytes: 0, size: 0 };

function readElement(bytes: Buffer, at: number): void {
  const idBytes = Math.clz32(bytes[at] as number) - 23;
  const sizeBytes = Math.clz32(bytes[at + idBytes] ?? 0) - 23;
  element.headBytes = 0;
  if (idBytes > 4 || sizeBytes > 8 || at + idBytes + sizeBytes > bytes.length) return;
  element.id = readWhole(bytes, at, idBytes);
  element.size = readLength(bytes, at + idBytes, sizeBytes);
  element.headBytes = idBytes + sizeBytes;
}

function readWhole(bytes: Buffer, at: number, count: number): number {
  let value = 0;
  for (let index = at; index < at + count; index++) value = value * 256 + (bytes[index] as number);
  return value;
}

/** A number whose length is in its first byte. -1 if all its bits are set. */
function readLength(bytes: Buffer, at: number, count: number): number {
  let value = (bytes[at] as number) & (0xff >> count);
  let isUnknown = value === 0xff >> count;
  for (let index = at + 1; index < at + count; index++) {
    const byte = bytes[index] as number;
    isUnknown &&= byte === 0xff;
    value = value * 256 + byte;
  }
  return isUnknown ? -1 : value;
}

class Film {
  readonly #tracks: Track[] = [];
  #scale = USUAL_SCALE;
  #cluster = 0;
  /** That of the last block. */
  #track: Track | undefined;

  enter(id: number): void {
    if (id === CLUSTER) this.#cluster = 0;
    if (id !== TRACK_ENTRY || this.#tracks.length === SOUND_STREAMS_MAX) return;
    this.#tracks.push({ number: -1, type: 0, codec: '', blocks: 0, opusSamples: 0, last: 0, step: 0 });
  }

  /** A value, of which at least VALUE_BYTES_MAX bytes are here if it has so many. */
  read(id: number, bytes: Buffer, at: number, size: number): void {
    const end = Math.min(bytes.length, at + size);
    if (id === SIMPLE_BLOCK || id === BLOCK) {
      this.#block(bytes, at, end);
      return;
    }
    const track = this.#tracks.at(-1);
    const value = size <= NUMBER_BYTES_MAX && at + size <= bytes.length ? readWhole(bytes, at, size) : 0;
    if (id === TIMECODE) this.#cluster = value;
    else if (id === TIMECODE_SCALE) this.#scale = value || USUAL_SCALE;
    else if (track === undefined) return;
    else if (id === TRACK_NUMBER) track.number = value;
    else if (id === TRACK_TYPE) track.type = value;
    else if (id === CODEC) track.codec = bytes.toString('latin1', at, Math.min(end, at + VALUE_BYTES_MAX));
  }

  #block(bytes: Buffer, at: number, end: number): void {
    const numberBytes = at < end ? Math.clz32(bytes[at] as number) - 23 : 0;
    const data = at + numberBytes + 3;
    if (numberBytes < 1 || numberBytes > 4 || data > end) return;
    const number = readLength(bytes, at, numberBytes);
    const track =
      this.#track?.number === number ? this.#track : this.#tracks.find((each) => each.number === number);
    if (track === undefined) return;
    this.#track = track;
    const time = ((this.#cluster + bytes.readInt16BE(data - 3)) * this.#scale) / NANOSECONDS;
    const isLaced = ((bytes[data - 1] as number) & LACED) !== 0;
    // Only the first packet of a lace is at a place that is known.
    const packets = isLaced && data < end ? 1 + (bytes[data] as number) : 1;
    track.opusSamples += isLaced ? packets * OPUS_SAMPLES_MAX : opusSamples(bytes, data, end - data);
    track.blocks += packets;
    if (time <= track.last) return;
    track.step = time - track.last;
    track.last = time;
  }

  /** `undefined`: nothing can be measured or seen. */
  seconds(): number | undefined {
    const played = this.#tracks.filter(({ blocks }) => blocks > 0);
    if (played.length === 0) return undefined;
    return Math.max(...played.map(trackSeconds));
  }

  mostBytes(): number {
    if (this.#tracks.some(({ type }) => type === FILM)) return MOST_BYTES.film;
    return this.#tracks.every(({ codec }) => /^A_(?:OPUS|VORBIS)/.test(codec))
      ? MOST_BYTES.opus
      : MOST_BYTES.pcm;
  }
}

/** Times may leave gaps, and may be claims: they count as long as the blocks could fill them. */
function trackSeconds({ type, codec, blocks, opusSamples: samples, last, step }: Track): number {
  const end = last + Math.min(step, BLOCK_SECONDS_MAX);
  if (codec !== 'A_OPUS')
    return Math.min(end, blocks * (type === SOUND ? BLOCK_SECONDS_MAX : PICTURE_SECONDS_MAX));
  const measured = samples / OPUS_RATE;
  return Math.min(Math.max(end, measured), 2 * measured);
}
