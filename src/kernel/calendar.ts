/** Months and shown times in the configured time zone. */
const QUARTER_HOUR_MS = 900_000;

export interface Calendar {
  /** `2026-11`: the month a spending cap counts in. */
  month(nowMs: number): string;
}

/**
 * Intl is slow and months are asked for on every call; every time zone's offset is a multiple of fifteen
 * minutes, so one answer per quarter of an hour is exact.
 */
export function createCalendar(timeZone: string): Calendar {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit' });
  let cachedQuarter = Number.NaN;
  let cachedMonth = '';
  const month = (nowMs: number): string => {
    const quarter = Math.floor(nowMs / QUARTER_HOUR_MS);
    if (quarter !== cachedQuarter) {
      const parts = new Map(format.formatToParts(nowMs).map((part) => [part.type, part.value]));
      cachedMonth = `${parts.get('year')}-${parts.get('month')}`;
      cachedQuarter = quarter;
    }
    return cachedMonth;
  };
  return { month };
}
