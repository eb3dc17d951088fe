import { createTimeFormat, createTimeParser } from './calendar.ts';

/** Days and months of the configured time zone. */
export interface Days {
  /** The first moment of the day. */
  startOf(timeMs: number): number;
  startOfMonth(timeMs: number): number;
  /** The first moment of the day after. */
  after(timeMs: number): number;
}

/** A day has 23 to 25 hours, so this long after its start is always in the next one. */
const INTO_NEXT_DAY_MS = 36 * 3_600_000;
/** Where summer time begins at midnight, the day begins with a later hour. */
const FIRST_TIMES = ['00:00:00', '00:30:00', '01:00:00'];

export function createDays(timeZone: string): Days {
  const show = createTimeFormat(timeZone);
  const read = createTimeParser(timeZone);
  const firstMoment = (day: string): number | undefined => {
    for (const time of FIRST_TIMES) {
      const moment = read(`${day} ${time}`);
      if (moment !== undefined) return moment;
    }
    return undefined;
  };
  const startOf = (timeMs: number): number => firstMoment(show(timeMs).slice(0, 10)) ?? timeMs;
  return {
    startOf,
    startOfMonth: (timeMs) => firstMoment(`${show(timeMs).slice(0, 7)}-01`) ?? timeMs,
    after: (timeMs) => startOf(startOf(timeMs) + INTO_NEXT_DAY_MS),
  };
}
