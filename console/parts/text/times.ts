/**
 * How times are written: in the time zone of the server, whose days are the days of usage, limits and months.
 * A reader elsewhere sees the same figures as everybody else.
 */
import type { Language } from '../../texts/language.ts';

/** Milliseconds since 1970, a Date, or a text of the server: `2026-11-18 14:31:07` in its time zone. */
export type Instant = number | string | Date;

interface Wall {
  readonly year: number;
  readonly month: number;
  readonly date: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

let format = createFormat('UTC');

function createFormat(timeZone: string): Intl.DateTimeFormat {
  const two = '2-digit';
  const fields = { year: 'numeric', month: two, day: two, hour: two, minute: two, second: two } as const;
  return new Intl.DateTimeFormat('en-CA', { timeZone, hourCycle: 'h23', ...fields });
}

/** Called once, when the settings of the server are known. */
export function setTimeZone(timeZone: string): void {
  format = createFormat(timeZone);
}

/** What a clock in the time zone of the server shows. */
function wallOf(at: Date): Wall {
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  return {
    ...{ year: part('year'), month: part('month'), date: part('day') },
    ...{ hour: part('hour'), minute: part('minute'), second: part('second') },
  };
}

function utcOf({ year, month, date, hour, minute, second }: Wall): number {
  return Date.UTC(year, month - 1, date, hour, minute, second);
}

const SHOWN = /^(\d{4})-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d))?$/;

export function toDate(at: Instant): Date {
  if (at instanceof Date) return at;
  const [isShown, ...fields] = typeof at === 'string' ? (SHOWN.exec(at) ?? []) : [];
  if (isShown === undefined) return new Date(at);
  const [year = 0, month = 1, date = 1, hour = 0, minute = 0, second = 0] = fields.map((field) =>
    Number(field ?? 0),
  );
  const wanted = utcOf({ year, month, date, hour, minute, second });
  // The offset of the zone is that of the result, which a second look knows also around a change of clocks.
  let found = wanted;
  for (let look = 0; look < 2; look++) found += wanted - utcOf(wallOf(new Date(found)));
  return new Date(found);
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** 2026-11-18 */
export function day(at: Instant): string {
  const { year, month, date } = wallOf(toDate(at));
  return `${year}-${two(month)}-${two(date)}`;
}

/** 14:31:07 */
export function clock(at: Instant): string {
  const { hour, minute, second } = wallOf(toDate(at));
  return `${two(hour)}:${two(minute)}:${two(second)}`;
}

/** 2026-11-18 14:31:07 */
export function exactTime(at: Instant): string {
  return `${day(at)} ${clock(at)}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** 18 Nov; in Chinese 11月18日. For the axis of a chart and for periods. */
export function dayOfYear(at: Instant, language: Language): string {
  const { month, date } = wallOf(toDate(at));
  return language === 'zh' ? `${month}月${date}日` : `${date} ${MONTHS[month - 1]}`;
}

const LONG_MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September'],
  ...['October', 'November', 'December'],
];

/** November; in Chinese 11月. */
export function monthName(at: Instant, language: Language): string {
  const { month } = wallOf(toDate(at));
  return language === 'zh' ? `${month}月` : (LONG_MONTHS[month - 1] ?? '');
}

/** 18 November, with the year if it is another one; in Chinese 11月18日. */
export function longDay(at: Instant, now: number, language: Language): string {
  const { year, date } = wallOf(toDate(at));
  const shownYear = year === wallOf(new Date(now)).year ? undefined : year;
  const month = monthName(at, language);
  if (language === 'zh') return `${shownYear === undefined ? '' : `${shownYear}年`}${month}${date}日`;
  return `${date} ${month}${shownYear === undefined ? '' : ` ${shownYear}`}`;
}

/** Days of the month after this one: 0 on the last. */
export function daysLeftInMonth(at: Instant): number {
  const { year, month, date } = wallOf(toDate(at));
  return new Date(Date.UTC(year, month, 0)).getUTCDate() - date;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

interface Step {
  readonly ms: number;
  readonly below: number;
  readonly en: (count: number) => string;
  readonly zh: string;
}

const plural = (word: string) => (value: number) => `${value} ${word}${value === 1 ? '' : 's'}`;

const STEPS: readonly Step[] = [
  { ms: SECOND, below: MINUTE, en: (value) => `${value} s`, zh: '秒' },
  { ms: MINUTE, below: HOUR, en: (value) => `${value} min`, zh: '分钟' },
  { ms: HOUR, below: DAY, en: (value) => `${value} h`, zh: '小时' },
  { ms: DAY, below: 60 * DAY, en: plural('day'), zh: '天' },
  { ms: 30.44 * DAY, below: 730 * DAY, en: plural('month'), zh: '个月' },
  { ms: 365.25 * DAY, below: Number.POSITIVE_INFINITY, en: plural('year'), zh: '年' },
];

/** “2 min ago”, “in 2 days”. Less than five seconds is now. */
export function relativeTime(at: Instant, now: number, language: Language): string {
  const away = toDate(at).getTime() - now;
  const size = Math.abs(away);
  if (size < 5 * SECOND) return language === 'zh' ? '刚刚' : 'just now';
  const step = STEPS.find((each) => size < each.below) ?? STEPS[STEPS.length - 1];
  if (step === undefined) return '';
  const value = Math.max(1, Math.floor(size / step.ms));
  if (language === 'zh') return `${value} ${step.zh}${away < 0 ? '前' : '后'}`;
  return away < 0 ? `${step.en(value)} ago` : `in ${step.en(value)}`;
}

/** In lists: the clock for today, else how long ago. */
export function listTime(at: Instant, now: number, language: Language): string {
  return day(at) === day(now) ? clock(at) : relativeTime(at, now, language);
}
