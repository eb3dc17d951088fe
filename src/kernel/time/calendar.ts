/** Months and times in the configured time zone. */
const QUARTER_HOUR_MS = 900_000;

export interface Calendar {
  /** For example `2026-11`: the month of a spending cap. */
  month(nowMs: number): string;
}

/**
 * Intl is slow and every call needs the month. Every time zone's offset is a multiple of fifteen minutes, so
 * one result per quarter of an hour is exact.
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

/** The format of times: `2026-11-15 09:05:00`, in the configured time zone. */
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

/** ISO format, in the configured time zone: `2026-11-15T09:05:00.000+08:00`, in UTC with a `Z`. */
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
 * Parses a time of that format. Undefined for a text of another form and for a time that does not exist in
 * the time zone, such as 30 February or the hour that summer time skips. If a time exists twice, in autumn,
 * it is the earlier one.
 */
export function createTimeParser(timeZone: string): (text: string) => number | undefined {
  const show = createTimeFormat(timeZone);
  return (text) => {
    if (!SHOWN_TIME.test(text)) return undefined;
    const asUtcMs = Date.parse(`${text.replace(' ', 'T')}Z`);
    if (Number.isNaN(asUtcMs)) return undefined;
    const offsetsMs = [asUtcMs - DAY_MS, asUtcMs + DAY_MS].map((nearMs) => offsetMs(show, nearMs));
    // Years with more than four digits cannot be written in this format.
    const moments = offsetsMs
      .filter((offset) => !Number.isNaN(offset))
      .map((offset) => asUtcMs - offset)
      .sort((one, other) => one - other);
    return moments.find((moment) => show(moment) === text);
  };
}

const DAY_MS = 86_400_000;

/** The offset of the zone from UTC at that time: one of those a day before and a day after. */
function offsetMs(show: (timeMs: number) => string, timeMs: number): number {
  return Date.parse(`${show(timeMs).replace(' ', 'T')}Z`) - Math.floor(timeMs / 1000) * 1000;
}

/** Times as the platform shows and reads them. */
export interface Times {
  /** TOLLGATE_TIMEZONE. */
  readonly timeZone: string;
  /** `YYYY-MM-DD hh:mm:ss` in that time zone. */
  showTime(timeMs: number): string;
  /** Undefined if the time does not exist in that time zone. */
  readTime(text: string): number | undefined;
}

export function createTimes(timeZone: string): Times {
  return { timeZone, showTime: createTimeFormat(timeZone), readTime: createTimeParser(timeZone) };
}
