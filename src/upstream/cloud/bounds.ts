const KIB = 1_024;
const MIB = 1_024 * KIB;

/** Tokens that are kept. The oldest is dropped, and requested again when it is needed. */
export const CLOUD_TOKENS_MAX = 1_000;
/** A token is requested within this time, and its answer is short. */
export const CLOUD_TOKEN_WAIT_MS = 10_000;
export const CLOUD_TOKEN_BYTES_MAX = 64 * KIB;
/** A token is renewed this long before it ends, or at four fifths of its life if that is later. */
export const CLOUD_TOKEN_AHEAD_MS = 5 * 60_000;
/** After a renewal ahead of time failed, the next one waits this long. */
export const CLOUD_TOKEN_RETRY_MS = 10_000;
/** Bytes of a body that are searched or hashed in one turn. */
export const CLOUD_TURN_BYTES = 1 * MIB;
/** One message of an AWS event stream. AWS allows 16 MiB; an event of Claude has some kilobytes. */
export const EVENT_MESSAGE_BYTES_MAX = 4 * MIB;
