/** Telemetry that is lost is noted in the log once in this time. */
export const TELEMETRY_NOTICE_MS = 60_000;
/** At a stop, queued telemetry has this long to reach its receiver. */
export const TELEMETRY_DRAIN_MS = 5_000;
/** Characters of one attribute of a span or a log record. */
export const TELEMETRY_VALUE_CHARS_MAX = 4_096;
/** Spans, or log records, that wait for export. Each takes about a kilobyte. */
export const TELEMETRY_QUEUE_MAX = 100_000;
