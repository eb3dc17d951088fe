/** The limits of the gate on Redis, each with its reason. All others are in src/bounds.ts. */

/** Lifetime of a lease in Redis, unless its process renews it. */
export const GATE_LEASE_MS = 90_000;
export const GATE_RENEW_AFTER_MS = 30_000;
export const GATE_RENEW_LOOK_MS = 5_000;
/** After this time without an answer for an account, its leases are renewed before its next call. */
export const GATE_RENEW_OVERDUE_MS = GATE_LEASE_MS - GATE_RENEW_AFTER_MS - GATE_RENEW_LOOK_MS;
/** Accounts whose leases are renewed at the same time; the rest waits. */
export const GATE_RENEW_AT_ONCE = 64;
/** An unused account is deleted from Redis after a week, or when its longest window has ended. */
export const GATE_KEEP_MS = 604_800_000;
/** A gate that lost its memory trusts funds that are not older than this. */
export const GATE_FUNDS_AGE_MS = 5_000;
/** Calls that one script renews or settles. */
export const GATE_CALLS_PER_SCRIPT = 200;
/** Operations, and characters of their lines, of one run of the script: about a millisecond. */
export const GATE_OPERATIONS_PER_RUN = 16;
export const GATE_OPERATIONS_CHARS = 16_384;
/** Ends of calls that wait to be sent to Redis. Beyond it the oldest are dropped, and their leases expire. */
export const GATE_UNTOLD_MAX = 100_000;
export const GATE_UNTOLD_AT_ONCE = 8;
export const GATE_RETELL_MS = 100;
/**
 * How long Redis may take to answer (ten thousand calls at once take a second of its time), how much longer a
 * connection may be silent, time to connect, and how long a stream that needs money waits.
 */
export const REDIS_TIMEOUT_MS = 2_000;
export const REDIS_SILENCE_MS = 500;
export const REDIS_CONNECT_TIMEOUT_MS = 2_000;
export const REDIS_EXTEND_WAIT_MS = 2_000;
/** Waits between two attempts to reach Redis. */
export const REDIS_RETRY_MS = 50;
export const REDIS_RETRY_MS_MAX = 500;
/** Time from the first connection until a cluster is complete. Then the next address is tried. */
export const REDIS_OPEN_MS = 5_000;
/** How often Redis is checked, so that readiness is known when there are no calls. */
export const REDIS_LOOK_MS = 500;
