import type { Sliced } from '../../bytes/slices.ts';
import { type Measured, MOST_BYTES } from './rates.ts';
import type { SoundBytes } from './sound-bytes.ts';

/** A kind of frames that follow each other without anything between them. */
interface FrameKind {
  /** A header, and the longest frame with the header behind it. */
  readonly headerBytes: number;
  readonly frameBytesMax: number;
  readonly mostBytes: number;
  /** Reads the header at `at` into `frame`. False: there is none. */
  read(bytes: Buffer, at: number): boolean;
}

/** The last header read. One object for all: nothing else runs between a header and its use. */
const frame = { kind: 0, bytes: 0, samples: 0, sampleRate: 1 };

const SYNC = 0xff;
/** In one turn of the search, and of these as many as cost a step. */
const SEARCHED_BYTES = 16_384;
const BYTES_PER_STEP = 16;

/**
 * Walks over frames. A frame counts if it follows one of its kind or is followed by one, as decoders find
 * them; other bytes are strays.
 */
export function* walkFrames(sound: SoundBytes, from: number, kind: FrameKind): Sliced<Measured | undefined> {
  const { headerBytes } = kind;
  const least = kind.frameBytesMax + headerBytes;
  let at = from;
  let follows = 0;
  let frames = 0;
  let seconds = 0;
  let strayBytes = 0;
  for (;;) {
    if (sound.isDue()) yield;
    const index = sound.seek(at, least);
    const { bytes } = sound;
    if (index + headerBytes > bytes.length) break;
    if (follows === 0 || !kind.read(bytes, index) || frame.kind !== follows) {
      const last = bytes.length - (sound.isLast ? headerBytes : least);
      const limit = Math.min(index + SEARCHED_BYTES, last + 1);
      const found = findFrame(kind, bytes, index, limit);
      sound.worked((found - index) / BYTES_PER_STEP);
      strayBytes += found - index;
      at += found - index;
      follows = 0;
      if (found === limit) continue;
    }
    frames++;
    follows = frame.kind;
    seconds += frame.samples / frame.sampleRate;
    at += frame.bytes;
  }
  if (frames === 0) return undefined;
  return { seconds, strayBytes: strayBytes + Math.max(0, sound.length - at), mostBytes: kind.mostBytes };
}

/** The first frame before `limit` that another one of its kind, or the end, follows. It is in `frame`. */
function findFrame(kind: FrameKind, bytes: Buffer, from: number, limit: number): number {
  for (let at = from; at < limit; at++) {
    if (bytes[at] !== SYNC || !kind.read(bytes, at)) continue;
    const own = frame.kind;
    const next = at + frame.bytes;
    const isFollowed =
      next === bytes.length ||
      (next + kind.headerBytes <= bytes.length && kind.read(bytes, next) && frame.kind === own);
    if (isFollowed && kind.read(bytes, at)) return at;
  }
  return limit;
}

/** Kilobits of layer III, by index: version 1, and versions 2 and 2.5 (ISO 11172-3, 13818-3). */
const MPEG_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
/** By version: 2.5, reserved, 2, 1. */
const MPEG_SAMPLE_RATES = [[11_025, 12_000, 8_000], [], [22_050, 24_000, 16_000], [44_100, 48_000, 32_000]];

export const mpegFrames: FrameKind = {
  headerBytes: 4,
  frameBytesMax: 1_441,
  mostBytes: MOST_BYTES.mp3,
  read: (bytes, at) => {
    const second = bytes[at + 1] as number;
    // The rest of the sync word, and layer III.
    if (bytes[at] !== SYNC || (second & 0xe6) !== 0xe2) return false;
    const third = bytes[at + 2] as number;
    const version = (second >> 3) & 3;
    const sampleRate = MPEG_SAMPLE_RATES[version]?.[(third >> 2) & 3];
    const kilobits = (version === 3 ? MPEG_1 : MPEG_2)[third >> 4];
    if (sampleRate === undefined || kilobits === undefined || kilobits === 0) return false;
    frame.samples = version === 3 ? 1_152 : 576;
    frame.sampleRate = sampleRate;
    frame.bytes = Math.floor((frame.samples * kilobits * 125) / sampleRate) + ((third >> 1) & 1);
    frame.kind = 1 + ((version << 2) | ((third >> 2) & 3));
    return true;
  },
};

const ADTS_SAMPLE_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];

export const adtsFrames: FrameKind = {
  headerBytes: 7,
  frameBytesMax: 8_191,
  mostBytes: MOST_BYTES.aac,
  read: (bytes, at) => {
    const second = bytes[at + 1] as number;
    if (bytes[at] !== SYNC || (second & 0xf6) !== 0xf0) return false;
    const third = bytes[at + 2] as number;
    const fourth = bytes[at + 3] as number;
    const rate = (third >> 2) & 15;
    const length = ((fourth & 3) << 11) | ((bytes[at + 4] as number) << 3) | ((bytes[at + 5] as number) >> 5);
    const sampleRate = ADTS_SAMPLE_RATES[rate];
    if (sampleRate === undefined || length < adtsFrames.headerBytes) return false;
    frame.samples = 1_024 * (1 + ((bytes[at + 6] as number) & 3));
    frame.sampleRate = sampleRate;
    frame.bytes = length;
    // Profile, rate and channels stay the same in a stream.
    frame.kind = 1 + (((third & 0xfd) << 2) | (fourth >> 6));
    return true;
  },
};
