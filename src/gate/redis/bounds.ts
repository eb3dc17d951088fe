/** The limits of the gate on Redis, each with its reason; all others stand in src/bounds.ts. */

/** The gate on Redis: what a call holds frees itself after this, unless its process renews it by then. */
export const GATE_LEASE_MS = 90_000;
export const GATE_RENEW_AFTER_MS = 30_000;
export const GATE_RENEW_LOOK_MS = 5_000;
/** An account was not heard for so long that leases may run out: they are renewed before its next call. */
export const GATE_RENEW_OVERDUE_MS = GATE_LEASE_MS - GATE_RENEW_AFTER_MS - GATE_RENEW_LOOK_MS;
/** Accounts whose leases are renewed at the same time; when so many were not heard, the rest waits. */
export const GATE_RENEW_AT_ONCE = 64;
/** An account nobody uses is forgotten there after a week, or when its longest window has ended. */
export const GATE_KEEP_MS = 604_800_000;
/** A gate that lost its memory believes funds that were read no longer ago than this. */
export const GATE_FUNDS_AGE_MS = 5_000;
/** What one script is told of at once: calls that are renewed or settled. */
export const GATE_CALLS_PER_SCRIPT = 200;
/** Ends of calls that Redis has not heard of; the oldest are dropped beyond it, and free themselves there. */
export const GATE_UNTOLD_MAX = 100_000;
export const GATE_UNTOLD_AT_ONCE = 8;
export const GATE_RETELL_MS = 100;
/**
 * How long Redis may take to answer (ten thousand calls at once take a second of its time), how much longer a
 * connection may be silent, how long one may take to be made, and how long a stream waits that needs money.
 */
export const REDIS_TIMEOUT_MS = 2_000;
export const REDIS_SILENCE_MS = 500;
export const REDIS_CONNECT_TIMEOUT_MS = 2_000;
export const REDIS_EXTEND_WAIT_MS = 2_000;
/** Waits between two tries to reach Redis again. */
export const REDIS_RETRY_MS = 50;
export const REDIS_RETRY_MS_MAX = 500;
/** From the first connection until a cluster says that it is whole; then the next address is tried. */
export const REDIS_OPEN_MS = 5_000;
/** How often it is looked whether Redis answers, so that readiness is known when nobody calls. */
export const REDIS_LOOK_MS = 500;
