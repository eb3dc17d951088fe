import { expect, test } from 'vitest';
import { createCalendar, createTimeFormat } from './calendar.ts';

test('a month begins at midnight of its own time zone', () => {
  const utc = createCalendar('UTC');
  const shanghai = createCalendar('Asia/Shanghai');
  const lastOfOctober = Date.UTC(2026, 9, 31, 15, 59, 59, 999);
  expect(utc.month(lastOfOctober)).toBe('2026-10');
  expect(shanghai.month(lastOfOctober)).toBe('2026-10');
  expect(utc.month(lastOfOctober + 1)).toBe('2026-10');
  expect(shanghai.month(lastOfOctober + 1)).toBe('2026-11');
  expect(shanghai.month(lastOfOctober)).toBe('2026-10');
});

test('a time zone with a quarter-hour offset is exact', () => {
  const nepal = createCalendar('Asia/Kathmandu');
  const midnight = Date.UTC(2026, 10, 30, 18, 15);
  expect(nepal.month(midnight - 1)).toBe('2026-11');
  expect(nepal.month(midnight)).toBe('2026-12');
});

test('times are shown in the time zone, with midnight as 00', () => {
  const time = Date.UTC(2026, 10, 15, 16, 0, 5, 999);
  expect(createTimeFormat('UTC')(time)).toBe('2026-11-15 16:00:05');
  expect(createTimeFormat('Asia/Shanghai')(time)).toBe('2026-11-16 00:00:05');
});
