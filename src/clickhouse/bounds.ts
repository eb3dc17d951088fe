/** Calls of one batch. ClickHouse likes few large inserts; a batch of this size is one part of a table. */
export const BATCH_CALLS_MAX = 10_000;
/** Bytes of one batch. A single call may be larger than that, and is then a batch of its own. */
export const BATCH_BYTES_MAX = 8 * 1024 * 1024;
/** Between two looks when there is nothing to send. */
export const SINK_ROUND_MS = 1_000;
/** Wait after the first failure; it doubles with each further one. */
export const SINK_PAUSE_MS_MIN = 1_000;
export const SINK_PAUSE_MS_MAX = 60_000;
/** Time for one insert, from the connection to the last byte of the answer. */
export const INSERT_MS_MAX = 30_000;
/** Nobody else sends for this long after the holder was last heard. Longer than an insert may take. */
export const SINK_LEASE_MS = 60_000;
/** Time that an insert gets to end when the server stops; then it is cut, and repeated by who comes next. */
export const SINK_STOP_MS = 3_000;
/** An insert is answered with nothing; more is an error text, or not ClickHouse. */
export const ANSWER_BYTES_MAX = 64 * 1024;
/** Range of call numbers that is looked at in one step where there are no calls. */
export const EMPTY_RANGE_MAX = 2 ** 40;
