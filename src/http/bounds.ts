/** Limits of the reading of bodies, as src/bounds.ts has those of everything else. */
const KIB = 1024;
const MIB = 1024 * KIB;

/** The part of the budget that is kept for those who hold little, and what each may hold of what is free. */
export const BODIES_RESERVE_SHARE = 1 / 4;
export const BODIES_SMALL_SHARE = 1 / 64;
/** Names of headers that a browser asks for before its request; SDKs send a few hundred characters. */
export const CORS_HEADER_NAMES_CHARS_MAX = 4 * KIB;
/** A body may be as slow as it likes for this long; then every interval brings so many bytes, or it ends. */
export const BODY_SLOW_AFTER_MS = 30_000;
export const BODY_RATE_INTERVAL_MS = 10_000;
export const BODY_RATE_BYTES_MIN = 10 * KIB;
/**
 * A body that holds more than this is cut sooner, because its bytes are missed elsewhere: each of these
 * intervals must bring so much of it. A poor uplink brings 16 KiB a second.
 */
export const BODY_LARGE_BYTES = 1 * MIB;
export const BODY_LARGE_INTERVAL_MS = 5_000;
export const BODY_LARGE_RATE_BYTES_MIN = 64 * KIB;
/** What is read and thrown away of a refused body, so that the client finds our answer instead of a reset. */
export const BODY_DISCARD_BYTES_MAX = 256 * MIB;
export const BODY_DISCARD_MS = 10_000;
