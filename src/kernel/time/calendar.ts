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

/** As programs write it, in the configured time zone: `2026-11-15T09:05:00.000+08:00`, in UTC with a `Z`. */
export function createIsoFormat(timeZone: string): (timeMs: number) => string {
  const show = createTimeFormat(timeZone);
  return (timeMs) => {
    const minutes = Math.round(offsetMs(show, timeMs) / 60_000);
    const part = (number: number, length = 2): string => String(number).padStart(length, '0');
    const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
    const offset = minutes === 0 ? 'Z' : `${minutes < 0 ? '-' : '+'}${part(hours)}:${part(rest)}`;
    return `${show(timeMs).replace(' ', 'T')}.${part(timeMs % 1000, 3)}${offset}`;
  };
}

const SHOWN_TIME = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)$/;

/**
 * The way back: a shown time as the moment it means. Nothing for a text of another form and for a time that
 * no clock there ever shows, such as 30 February or the hour that summer time skips. Of the two moments that
 * an autumn night shows alike it is the earlier one.
 */
export function createTimeParser(timeZone: string): (text: string) => number | undefined {
  const show = createTimeFormat(timeZone);
  return (text) => {
    if (!SHOWN_TIME.test(text)) return undefined;
    const asUtcMs = Date.parse(`${text.replace(' ', 'T')}Z`);
    if (Number.isNaN(asUtcMs)) return undefined;
    const offsetsMs = [asUtcMs - DAY_MS, asUtcMs + DAY_MS].map((nearMs) => offsetMs(show, nearMs));
    // Beyond the years of four digits nothing is shown that could be read.
    const moments = offsetsMs
      .filter((offset) => !Number.isNaN(offset))
      .map((offset) => asUtcMs - offset)
      .sort((one, other) => one - other);
    return moments.find((moment) => show(moment) === text);
  };
}

const DAY_MS = 86_400_000;

/** How far the zone is ahead of UTC then. A day before and a day after, it is one of the two that count. */
function offsetMs(show: (timeMs: number) => string, timeMs: number): number {
  return Date.parse(`${show(timeMs).replace(' ', 'T')}Z`) - Math.floor(timeMs / 1000) * 1000;
}
