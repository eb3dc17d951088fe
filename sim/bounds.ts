/** Every limit of the simulators over foreign data, in one place, as src/bounds.ts is for the gateway. */

const KIB = 1024;
const MIB = 1024 * KIB;

/** A little above the gateway's own limit, so that a body the gateway lets through never fails here. */
export const REQUEST_BODY_BYTES_MAX = 128 * MIB;
/** Rule V-5: Anthropic answers 413 above this. */
export const ANTHROPIC_BODY_BYTES_MAX = 32 * MIB;
/** Calls remembered in the truth; the oldest is forgotten first. */
export const TRUTH_CALLS_MAX = 200_000;
/** Calls of which the raw request is kept, and its largest size. */
export const TRUTH_RAW_CALLS_MAX = 1_000;
export const TRUTH_RAW_BYTES_MAX = 1 * MIB;
/** Calls that `GET /_sim/truth` lists at once (the newest). */
export const TRUTH_LISTED_MAX = 10_000;
/** Rules waiting in the script. */
export const RULES_MAX = 1_000;
/** Tokens one answer may have. */
export const OUTPUT_TOKENS_MAX = 2_000_000;
/** Text is counted exactly up to here; above it four bytes are taken for a token. */
export const COUNT_EXACT_CHARACTERS_MAX = 256 * KIB;
/** Counts of short texts are remembered, because benchmarks send the same prompt again and again. */
export const COUNT_CACHED_MAX = 4_096;
export const COUNT_CACHED_CHARACTERS_MAX = 4 * KIB;
/** Responses that `previous_response_id` may name. */
export const RESPONSES_STORED_MAX = 1_000;
/** Videos that are remembered, and the largest content of one. */
export const VIDEOS_STORED_MAX = 10_000;
export const VIDEO_BYTES_MAX = 64 * MIB;
/** Batches and files that are remembered. */
export const BATCHES_STORED_MAX = 10_000;
export const BATCH_FILES_STORED_MAX = 10_000;
/** The longest silence a fault or directive may ask for. */
export const PAUSE_MS_MAX = 600_000;
/** Events written before other sockets get their turn. */
export const FRAMES_PER_TURN_MAX = 256;
/** Problems of one request that are collected before the first is reported. */
export const PROBLEMS_MAX = 32;
/** Nesting of a request that is walked. */
export const DEPTH_MAX = 64;
/** Nesting of sample values made from a JSON Schema, so that recursive schemas end. */
export const SAMPLE_DEPTH_MAX = 6;
/** Faults that multiply data: events, comments, MiB of a line. */
export const FAULT_COUNT_MAX = 10_000_000;
/** A reset waits this long, so that what was written before it is read and not thrown away with it. */
export const RESET_AFTER_MS = 25;
/** A socket that promised keep-alive is closed this long after its answer. */
export const KEEPALIVE_CLOSE_MS = 5;
/** How long a stopping server waits for its sockets before it destroys them. */
export const CLOSE_WAIT_MS = 200;
