/** Limits for reading bodies. src/bounds.ts has all others. */
const KIB = 1024;
const MIB = 1024 * KIB;

/** The part of the budget reserved for owners with few bytes, and the share of the free rest for each. */
export const BODIES_RESERVE_SHARE = 1 / 4;
export const BODIES_SMALL_SHARE = 1 / 64;
/** Characters of header names in a preflight request; SDKs send a few hundred. */
export const CORS_HEADER_NAMES_CHARS_MAX = 4 * KIB;
/** A body may be slow for this long. After that, every interval must bring this many bytes. */
export const BODY_SLOW_AFTER_MS = 30_000;
export const BODY_RATE_INTERVAL_MS = 10_000;
export const BODY_RATE_BYTES_MIN = 10 * KIB;
/**
 * A body with more bytes than this is aborted sooner, because its memory is needed: each of these intervals
 * must bring this many bytes. A poor uplink brings 16 KiB a second.
 */
export const BODY_LARGE_BYTES = 1 * MIB;
export const BODY_LARGE_INTERVAL_MS = 5_000;
export const BODY_LARGE_RATE_BYTES_MIN = 64 * KIB;
/** Bytes of a refused body that are read and discarded, so that the client sees the answer, not a reset. */
export const BODY_DISCARD_BYTES_MAX = 256 * MIB;
export const BODY_DISCARD_MS = 10_000;
