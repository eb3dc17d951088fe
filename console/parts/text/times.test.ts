import { afterEach, expect, test } from 'vitest';
import {
  dayOfYear,
  daysLeftInMonth,
  exactTime,
  longDay,
  monthName,
  relativeTime,
  setTimeZone,
  toDate,
} from './times.ts';

afterEach(() => setTimeZone('UTC'));

test.each([
  ['UTC', '2026-11-18 14:31:07', '2026-11-18T14:31:07.000Z'],
  ['Asia/Shanghai', '2026-11-18 14:31:07', '2026-11-18T06:31:07.000Z'],
  ['America/New_York', '2026-07-01 00:00:00', '2026-07-01T04:00:00.000Z'],
  ['Asia/Kolkata', '2026-11-18', '2026-11-17T18:30:00.000Z'],
])('a time of a server in %s is the same moment everywhere', (zone, text, moment) => {
  setTimeZone(zone);
  expect(toDate(text).toISOString()).toBe(moment);
  expect(exactTime(new Date(moment))).toBe(text.length > 10 ? text : `${text} 00:00:00`);
});

test('around a change of clocks a time is read as one that the clock shows', () => {
  setTimeZone('America/New_York');
  for (const text of [
    '2026-11-01 00:59:59',
    '2026-11-01 03:00:00',
    '2026-03-08 01:59:59',
    '2026-03-08 03:00:00',
  ]) {
    expect(exactTime(text)).toBe(text);
  }
});

test('days and distances are written in both languages', () => {
  expect(dayOfYear('2026-11-18 00:00:00', 'en')).toBe('18 Nov');
  expect(dayOfYear('2026-11-18 00:00:00', 'zh')).toBe('11月18日');
  const now = toDate('2026-11-18 14:00:00').getTime();
  expect(relativeTime('2026-11-18 13:58:00', now, 'en')).toBe('2 min ago');
  expect(relativeTime('2026-11-20 14:00:00', now, 'zh')).toBe('2 天后');
});

test('a long day has its year only when it is another one, and months have their length', () => {
  const now = Date.UTC(2026, 10, 18);
  expect(longDay('2026-11-17 08:00:00', now, 'en')).toBe('17 November');
  expect(longDay('2025-02-03 08:00:00', now, 'en')).toBe('3 February 2025');
  expect(longDay('2025-02-03 08:00:00', now, 'zh')).toBe('2025年2月3日');
  expect(monthName('2026-11-30 23:59:59', 'zh')).toBe('11月');
  expect(['2026-11-18', '2026-11-30', '2028-02-01'].map((at) => daysLeftInMonth(at))).toEqual([12, 0, 28]);
});
