import type { Format } from './header.ts';

/** Bytes per second if the header has no rate: strongly compressed speech, a small video. */
const USUAL_BYTES: Partial<Record<Format, number>> = { wav: 16_000, flac: 40_000, mp4: 40_000, webm: 40_000 };
const SPEECH_BYTES = 3_000;
/** A header with a lower rate is not trusted. */
const BYTES_MIN = 500;
/** No longer file is sent to a model. */
const SECONDS_MAX = 100_000;

/** Kilobits per second, by the index in the header of an MPEG frame: version 1, and versions 2 and 2.5. */
const MPEG_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0];
const MPEG_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0];

/** The length of an audio or video file, rather too long than too short. */
export function countSeconds(format: Format, head: Buffer, bytes: number): number {
  const declared = bytesPerSecond(format, head);
  const byBytes = bytes / Math.max(BYTES_MIN, declared ?? USUAL_BYTES[format] ?? SPEECH_BYTES);
  const seconds = format === 'mp4' ? (filmSeconds(head, bytes) ?? byBytes) : byBytes;
  return Math.min(Math.ceil(seconds), SECONDS_MAX);
}

/** Sound whose header has no rate is not compressed more than speech at 8 or 16 kilobits a second. */
const LEAST_BYTES: Partial<Record<Format, number>> = { mp4: 2_000 };
const LEAST_SPEECH_BYTES = 1_000;

/** The most seconds that an audio file of this size has. */
export function mostSeconds(format: Format, head: Buffer, bytes: number): number {
  const isKnown =
    bytesPerSecond(format, head) !== undefined ||
    (format === 'mp4' && filmSeconds(head, bytes) !== undefined);
  if (isKnown) return countSeconds(format, head, bytes);
  return Math.min(Math.ceil(bytes / (LEAST_BYTES[format] ?? LEAST_SPEECH_BYTES)), SECONDS_MAX);
}

function bytesPerSecond(format: Format, head: Buffer): number | undefined {
  if (format === 'wav' && head.length >= 32) return head.readUInt32LE(28);
  if (format === 'flac' && head.length >= 21) return flacBytes(head);
  return format === 'mp3' ? mpegBytes(head) : undefined;
}

/** Samples are compressed to about half. An eighth is the least for speech with pauses. */
function flacBytes(head: Buffer): number {
  const samplesPerSecond = head.readUIntBE(18, 3) >>> 4;
  return samplesPerSecond / 4;
}

function mpegBytes(head: Buffer): number | undefined {
  for (let at = 0; at + 3 < head.length; at++) {
    if (head[at] !== 0xff || ((head[at + 1] as number) & 0xe6) !== 0xe2) continue;
    const rates = ((head[at + 1] as number) & 0x08) === 0 ? MPEG_2 : MPEG_1;
    const kilobits = rates[(head[at + 2] as number) >>> 4] ?? 0;
    // The rate may vary from frame to frame: half of the first one's is a safe guess.
    if (kilobits > 0) return (kilobits * 1_000) / 8 / 2;
  }
  return undefined;
}

const MOVIE_HEADER = Buffer.from('mvhd');
/** A video whose header implies a higher rate is longer than its header says. */
const FILM_BYTES_MAX = 5_000_000;

function filmSeconds(head: Buffer, bytes: number): number | undefined {
  const at = head.indexOf(MOVIE_HEADER);
  if (at < 0 || at + 32 > head.length || head[at + 4] !== 0) return undefined;
  const unitsPerSecond = head.readUInt32BE(at + 16);
  const seconds = head.readUInt32BE(at + 20) / Math.max(1, unitsPerSecond);
  return Math.max(seconds, bytes / FILM_BYTES_MAX);
}
