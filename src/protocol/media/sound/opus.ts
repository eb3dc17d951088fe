/** Samples of an Opus packet at 48 kHz, whatever was recorded (RFC 6716). */
export const OPUS_RATE = 48_000;
/** No packet is longer than 120 ms. */
export const OPUS_SAMPLES_MAX = 5_760;
const MS = OPUS_RATE / 1_000;

/** By its first two bytes: how long its frames are, and how many. */
export function opusSamples(bytes: Buffer, at: number, length: number): number {
  if (length < 1) return 0;
  const first = bytes[at] as number;
  const code = first & 3;
  const many = length < 2 ? 0 : (bytes[at + 1] as number) & 63;
  const frames = code === 0 ? 1 : code === 3 ? many : 2;
  return Math.min(frames * frameSamples(first >> 3), OPUS_SAMPLES_MAX);
}

function frameSamples(config: number): number {
  const place = config & 3;
  if (config < 12) return place === 3 ? 60 * MS : (10 * MS) << place;
  if (config < 16) return (10 * MS) << (config & 1);
  return (2.5 * MS) << place;
}
