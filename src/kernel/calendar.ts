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

/** How times are shown: `2026-11-15 09:05:00`, in the configured time zone. */
export function createTimeFormat(timeZone: string): (timeMs: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  return (timeMs) => {
    const parts = new Map(format.formatToParts(timeMs).map((part) => [part.type, part.value]));
    const day = `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
    return `${day} ${parts.get('hour')}:${parts.get('minute')}:${parts.get('second')}`;
  };
}
