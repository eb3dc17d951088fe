import type { Sliced } from '../../bytes/slices.ts';
import { type Format, findFormat } from '../header.ts';
import { measureFlac } from './flac.ts';
import { adtsFrames, mpegFrames, walkFrames } from './frames.ts';
import { measureMp4 } from './mp4.ts';
import { measureOgg } from './ogg.ts';
import { type Measured, SLOWEST_BYTES } from './rates.ts';
import type { SoundBytes } from './sound-bytes.ts';
import { measureWav } from './wav.ts';
import { measureWebm } from './webm.ts';

/** Whole seconds of a sound or film. */
export interface SoundLength {
  /** Rather too long than too short. */
  readonly seconds: number;
  /** The most that a file of this size has, and what is usual for a film; `seconds` if it could be read. */
  readonly most: number;
  readonly asFilm: number;
}

/** A file that no reader of ours understands: compressed speech, or a small film. */
const USUAL_BYTES: Partial<Record<Format, number>> = { wav: 16_000, flac: 40_000 };
const SPEECH_BYTES = 3_000;
const FILM_BYTES = 40_000;
const LEAST_BYTES: Partial<Record<Format, number>> = { wav: 8_000, mp4: 2_000 };

/** No longer file is sent to a model. */
const SECONDS_MAX = 10_000_000;
/** Sums of many fractions may be a little more than they should. */
const ROUNDING_SECONDS = 1e-6;

const TAG = 0x494433;
const TAG_HEADER_BYTES = 10;
const TAG_FOOTER = 0x10;
const SIGN_BYTES = 48;

/**
 * How long a file is, by what its data can hold: a header is a claim. Never less than its size by the highest
 * rate of its kind.
 */
export function* soundLength(sound: SoundBytes): Sliced<SoundLength> {
  yield* sound.countEscapes();
  const from = yield* skipTags(sound);
  const index = sound.seek(from, SIGN_BYTES);
  const found = findFormat(sound.bytes.subarray(Math.min(index, sound.bytes.length), index + SIGN_BYTES));
  const format = from > 0 ? afterTag(found) : found;
  const measuring = format && measureKind(sound, from, format);
  const measured = measuring && (yield* measuring);
  if (measured === undefined || sound.broken) return bySize(sound.length, format);
  const strays = measured.strayBytes / SLOWEST_BYTES;
  const seconds = wholeSeconds(Math.max(measured.seconds + strays, sound.length / measured.mostBytes));
  return { seconds, most: seconds, asFilm: seconds };
}

function bySize(bytes: number, format: Format | undefined): SoundLength {
  const usual = (format && USUAL_BYTES[format]) ?? SPEECH_BYTES;
  const least = (format && LEAST_BYTES[format]) ?? SLOWEST_BYTES;
  return {
    seconds: wholeSeconds(bytes / usual),
    most: wholeSeconds(bytes / least),
    asFilm: wholeSeconds(bytes / FILM_BYTES),
  };
}

function wholeSeconds(seconds: number): number {
  return Math.min(Math.ceil(Math.max(0, seconds - ROUNDING_SECONDS)), SECONDS_MAX);
}

/** Tags of ID3, which players put before any file of frames. Returns where they end. */
function* skipTags(sound: SoundBytes): Sliced<number> {
  for (let at = 0; ; ) {
    const index = sound.seek(at, TAG_HEADER_BYTES);
    const { bytes } = sound;
    if (index + TAG_HEADER_BYTES > bytes.length || bytes.readUIntBE(index, 3) !== TAG) return at;
    // Seven bits of each of four bytes.
    let size = 0;
    for (let byte = index + 6; byte < index + TAG_HEADER_BYTES; byte++) {
      size = size * 128 + ((bytes[byte] as number) & 127);
    }
    const footer = ((bytes[index + 5] as number) & TAG_FOOTER) === 0 ? 0 : TAG_HEADER_BYTES;
    at += TAG_HEADER_BYTES + size + footer;
    if (sound.isDue()) yield;
  }
}

/** Containers have no tags before them. */
function afterTag(format: Format | undefined): Format {
  return format === 'flac' || format === 'aac' ? format : 'mp3';
}

function measureKind(
  sound: SoundBytes,
  from: number,
  format: Format,
): Sliced<Measured | undefined> | undefined {
  switch (format) {
    case 'wav':
      return measureWav(sound);
    case 'mp3':
      return walkFrames(sound, from, mpegFrames);
    case 'aac':
      return walkFrames(sound, from, adtsFrames);
    case 'flac':
      return measureFlac(sound, from);
    case 'ogg':
      return measureOgg(sound);
    case 'mp4':
      return measureMp4(sound);
    case 'webm':
      return measureWebm(sound);
    default:
      return undefined;
  }
}
