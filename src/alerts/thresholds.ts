/** Fewer Credits than these are low, unless the account chose otherwise. */
export const CREDITS_LOW_MICRO = 1_000_000_000n;
/** A key that expires within this time is told. */
export const KEY_EXPIRING_MS = 7 * 86_400_000;
/** A limit that refused a call within this time was hit. */
export const LIMIT_HIT_MS = 3_600_000;
/** A route that fails this long is down, and up again when it works this long. */
export const ROUTE_DOWN_MS = 60_000;
export const ROUTE_UP_MS = 120_000;
/** A credential that was not refused for this long is trusted again. */
export const CREDENTIAL_TRUSTED_MS = 600_000;
/** So many unsettled calls for this long, or none settled for the longer time: settling lags. */
export const LAG_CALLS = 1_000;
export const LAG_MS = 300_000;
export const STANDSTILL_MS = 600_000;
/** A disk with less than this share free is nearly full. */
export const DISK_FREE_MIN = 0.1;
