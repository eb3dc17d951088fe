import type { Sliced } from '../../bytes/slices.ts';
import { type Measured, MOST_BYTES } from './rates.ts';
import type { SoundBytes } from './sound-bytes.ts';

/** Where the first block of metadata has the sample rate, and where frames may begin behind it. */
const SAMPLE_RATE_AT = 18;
const STREAM_INFO_END = 42;
const FRAME_HEADER_BYTES_MAX = 16;
/** Behind its header a frame has a head and a sample for each channel, and a checksum. */
const FRAME_BODY_BYTES_MIN = 4;
const SCANNED_BYTES = 16_384;
const SCANNED_STEPS = 512;
const SAMPLE_RATE_MAX = 192_000;
/** By the code in a frame's header (RFC 9639). The first is that of the stream. */
const SAMPLE_RATES = [
  0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
];

/** CRC-8 with the polynomial of RFC 9639. */
const CHECK = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = (sum << 1) ^ (sum & 0x80 ? 0x107 : 0);
  CHECK[byte] = sum;
}

/** The sum of all blocks that begin with a frame's header. The number of samples in the head is a claim. */
export function* measureFlac(sound: SoundBytes, from: number): Sliced<Measured | undefined> {
  const head = sound.seek(from, STREAM_INFO_END);
  if (head + STREAM_INFO_END > sound.bytes.length) return undefined;
  const scan = { index: 0, frames: 0, seconds: 0 };
  const usual = sound.bytes.readUIntBE(head + SAMPLE_RATE_AT, 3) >>> 4;
  for (let at = from + STREAM_INFO_END; ; ) {
    if (sound.isDue()) yield;
    const start = sound.seek(at, FRAME_HEADER_BYTES_MAX + 1);
    const { bytes } = sound;
    if (start + FRAME_BODY_BYTES_MIN > bytes.length) break;
    const isLast = bytes.length - start <= FRAME_HEADER_BYTES_MAX;
    const end = isLast
      ? bytes.length
      : Math.min(bytes.length - FRAME_HEADER_BYTES_MAX, start + SCANNED_BYTES);
    scan.index = start;
    findFrames(bytes, end, usual, scan);
    sound.worked(SCANNED_STEPS);
    at += scan.index - start;
  }
  const { frames, seconds } = scan;
  return frames === 0 ? undefined : { seconds, strayBytes: 0, mostBytes: MOST_BYTES.pcm };
}

interface Scan {
  /** Where the search begins, and then where it continues. */
  index: number;
  frames: number;
  seconds: number;
}

function findFrames(bytes: Buffer, end: number, usual: number, scan: Scan): void {
  let { index } = scan;
  while (index < end) {
    // Sixteen bits of sync, of which the last says how blocks are numbered.
    const isSync = bytes[index] === 0xff && ((bytes[index + 1] as number) & 0xfe) === 0xf8;
    const headerBytes = isSync ? readHeader(bytes, index) : 0;
    if (headerBytes === 0) {
      index++;
      continue;
    }
    scan.frames++;
    scan.seconds += block.samples / Math.min(block.sampleRate || usual || 1, SAMPLE_RATE_MAX);
    index += headerBytes + FRAME_BODY_BYTES_MIN;
  }
  scan.index = index;
}

/** The last header read. */
const block = { samples: 0, sampleRate: 0 };

/** The samples of the frame that begins here; 0 if none does. */
export function flacSamples(bytes: Buffer, at: number): number {
  return bytes[at] === 0xff && ((bytes[at + 1] as number) & 0xfe) === 0xf8 && readHeader(bytes, at) > 0
    ? block.samples
    : 0;
}

/** The length of a header, whose values go into `block`; 0 if its checksum is not right. */
function readHeader(bytes: Buffer, at: number): number {
  const third = bytes[at + 2] as number;
  const fourth = bytes[at + 3] as number;
  const size = third >> 4;
  const rate = third & 15;
  // Ten ways to have channels; reserved bits.
  if (size === 0 || rate === 15 || fourth >> 4 > 10 || (fourth & 1) !== 0) return 0;
  const numberBytes = codedBytes(bytes[at + 4] as number);
  if (numberBytes === 0) return 0;
  let next = at + 4 + numberBytes;
  if (size === 6) block.samples = 1 + (bytes[next++] as number);
  else if (size === 7) {
    block.samples = 1 + (((bytes[next] as number) << 8) | (bytes[next + 1] as number));
    next += 2;
  } else block.samples = size === 1 ? 192 : size < 6 ? 576 << (size - 2) : 256 << (size - 8);
  if (rate < 12) block.sampleRate = SAMPLE_RATES[rate] as number;
  else if (rate === 12) block.sampleRate = 1_000 * (bytes[next++] as number);
  else {
    const written = ((bytes[next] as number) << 8) | (bytes[next + 1] as number);
    block.sampleRate = rate === 13 ? written : 10 * written;
    next += 2;
  }
  if (next >= bytes.length) return 0;
  let sum = 0;
  for (let index = at; index < next; index++) sum = CHECK[sum ^ (bytes[index] as number)] as number;
  return sum === bytes[next] ? next + 1 - at : 0;
}

/** The bytes of a number that is coded like a character of UTF-8; 0 if it is not. */
function codedBytes(first: number): number {
  if (first < 0x80) return 1;
  const ones = Math.clz32(~(first << 24));
  return ones < 2 || ones > 7 ? 0 : ones;
}
