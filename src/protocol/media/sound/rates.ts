/**
 * Bytes per second. No usual file of its kind has more, so no file is shorter than its size by these,
 * whatever it says of itself.
 */
export const MOST_BYTES = {
  /** 192 kHz in stereo, or 48 kHz in eight channels, with 32 bits: the most that usual tools write. */
  pcm: 1_536_000,
  /** 320 kilobits: the last row of ISO 11172-3 for layer III. */
  mp3: 40_000,
  /** 6,144 bits for each channel and 1,024 samples (ISO 14496-3): stereo at 48 kHz. */
  aac: 72_000,
  /** RFC 6716: 510 kilobits. Vorbis ends at about 500. */
  opus: 63_750,
  /** 40 megabits: a camera in 4K. */
  film: 5_000_000,
} as const;

/** The slowest sound that is usual: 8 kilobits. What no reader of ours understands may be that. */
export const SLOWEST_BYTES = 1_000;

/** What a file says of itself, held against what its data can hold. */
export interface Measured {
  readonly seconds: number;
  /** Bytes that belong to no frame. A decoder may know more than we do. */
  readonly strayBytes: number;
  /** By size the file is not shorter than this. */
  readonly mostBytes: number;
}
