import { exactTime, toDate } from '../parts/text/times.ts';

/** Between milliseconds and the texts of the server: `2026-11-15 09:05:00` in its own time zone. */
export interface ServerTimes {
  /** Milliseconds since 1970. Not a number for a text of another form. */
  readonly read: (text: string) => number;
  readonly write: (timeMs: number) => string;
}

const times: ServerTimes = {
  read: (text) => toDate(text).getTime(),
  write: (timeMs) => exactTime(timeMs),
};

export function useServerTimes(): ServerTimes {
  return times;
}
