import type { Sliced } from '../../bytes/slices.ts';
import { mpegFrames, walkFrames } from './frames.ts';
import { type Measured, MOST_BYTES } from './rates.ts';
import type { SoundBytes } from './sound-bytes.ts';

const RIFF_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
const FORMAT = 0x20746d66;
const DATA = 0x61746164;
const FORMAT_BYTES_MIN = 16;
const EXTENSIBLE_BYTES = 26;

/** Tags of `mmreg.h`. */
const PCM = 1;
const MS_ADPCM = 2;
const FLOAT = 3;
const A_LAW = 6;
const MU_LAW = 7;
const IMA_ADPCM = 0x11;
const GSM = 0x31;
const MP3 = 0x55;
const EXTENSIBLE = 0xfffe;

interface WavFormat {
  readonly tag: number;
  readonly channels: number;
  readonly sampleRate: number;
  readonly byteRate: number;
  readonly blockBytes: number;
  readonly bits: number;
}

/** Everything behind the head of the data is sound: some writers do not know its size when they begin. */
export function* measureWav(sound: SoundBytes): Sliced<Measured | undefined> {
  let format: WavFormat | undefined;
  let formats = 0;
  for (let at = RIFF_HEADER_BYTES; ; ) {
    const index = sound.seek(at, CHUNK_HEADER_BYTES + EXTENSIBLE_BYTES);
    const { bytes } = sound;
    if (index + CHUNK_HEADER_BYTES > bytes.length) return undefined;
    const id = bytes.readUInt32LE(index);
    const size = bytes.readUInt32LE(index + 4);
    const start = at + CHUNK_HEADER_BYTES;
    if (id === DATA) {
      // Readers differ in which of two formats they take.
      if (format === undefined || formats > 1) return undefined;
      return yield* measureData(sound, start, format);
    }
    if (id === FORMAT) {
      formats++;
      format = readFormat(bytes, index + CHUNK_HEADER_BYTES, size);
    }
    at = start + size + (size & 1);
    if (sound.isDue()) yield;
  }
}

function readFormat(bytes: Buffer, at: number, size: number): WavFormat | undefined {
  if (size < FORMAT_BYTES_MIN || at + FORMAT_BYTES_MIN > bytes.length) return undefined;
  const tag = bytes.readUInt16LE(at);
  const isExtended = tag === EXTENSIBLE && size >= EXTENSIBLE_BYTES && at + EXTENSIBLE_BYTES <= bytes.length;
  return {
    tag: isExtended ? bytes.readUInt16LE(at + 24) : tag,
    channels: bytes.readUInt16LE(at + 2),
    sampleRate: bytes.readUInt32LE(at + 4),
    byteRate: bytes.readUInt32LE(at + 8),
    blockBytes: bytes.readUInt16LE(at + 12),
    bits: bytes.readUInt16LE(at + 14),
  };
}

function* measureData(sound: SoundBytes, start: number, format: WavFormat): Sliced<Measured | undefined> {
  const size = sound.length - start;
  if (format.tag === MP3) return yield* walkFrames(sound, start, mpegFrames);
  const bytesPerSecond = plainRate(format) ?? packedRate(format);
  if (bytesPerSecond === undefined) return undefined;
  return { seconds: size / bytesPerSecond, strayBytes: 0, mostBytes: MOST_BYTES.pcm };
}

/** A header that contradicts itself is not believed beyond these: telephony of 8 bits, of 16, a studio. */
const LEAST_PCM = 8_000;
const USUAL_PCM = 16_000;
const STUDIO_PCM = 192_000;

/** Of samples that are not compressed, whose rate the header says three times. */
function plainRate({ tag, channels, sampleRate, byteRate, blockBytes, bits }: WavFormat): number | undefined {
  const sampleBytes = tag === A_LAW || tag === MU_LAW ? 1 : Math.ceil(bits / 8);
  if (tag !== PCM && tag !== FLOAT && tag !== A_LAW && tag !== MU_LAW) return undefined;
  const claims = [sampleRate * channels * sampleBytes, sampleRate * blockBytes];
  // No reader needs this one, and some writers leave it out.
  if (byteRate !== 0) claims.push(byteRate);
  const slowest = Math.min(...claims);
  if (slowest > 0 && slowest === Math.max(...claims) && slowest <= MOST_BYTES.pcm) return slowest;
  return slowest > STUDIO_PCM ? USUAL_PCM : Math.max(slowest, LEAST_PCM);
}

const GSM_BLOCK = { bytes: 65, samples: 320 };
const SAMPLE_RATE_MAX = 192_000;

/** Of samples in blocks. Each block begins with a head for each channel, which has a sample or two. */
function packedRate({ tag, channels, sampleRate, blockBytes }: WavFormat): number | undefined {
  const samples = blockSamples(tag, channels, blockBytes);
  if (samples === undefined || samples < 1 || sampleRate === 0) return undefined;
  const block = tag === GSM ? GSM_BLOCK.bytes : blockBytes;
  return (Math.min(sampleRate, SAMPLE_RATE_MAX) * block) / samples;
}

function blockSamples(tag: number, channels: number, blockBytes: number): number | undefined {
  if (tag === GSM) return GSM_BLOCK.samples;
  if (channels === 0) return undefined;
  if (tag === IMA_ADPCM) return ((blockBytes - 4 * channels) * 2) / channels + 1;
  return tag === MS_ADPCM ? ((blockBytes - 7 * channels) * 2) / channels + 2 : undefined;
}
