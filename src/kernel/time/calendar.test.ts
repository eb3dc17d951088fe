import { expect, test } from 'vitest';
import { createCalendar, createIsoFormat, createTimeFormat, createTimeParser } from './calendar.ts';

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

test('times are printed in the time zone, with midnight as 00', () => {
  const time = Date.UTC(2026, 10, 15, 16, 0, 5, 999);
  expect(createTimeFormat('UTC')(time)).toBe('2026-11-15 16:00:05');
  expect(createTimeFormat('Asia/Shanghai')(time)).toBe('2026-11-16 00:00:05');
});

test('a printed time is parsed back to its moment, in every zone', () => {
  for (const zone of ['UTC', 'Asia/Shanghai', 'Asia/Kathmandu', 'America/New_York', 'Pacific/Apia']) {
    const show = createTimeFormat(zone);
    const read = createTimeParser(zone);
    for (const time of [Date.UTC(2026, 0, 31, 23, 59, 59), Date.UTC(2026, 6, 1), Date.UTC(2028, 1, 29, 12)]) {
      expect(read(show(time)), `${zone} ${show(time)}`).toBe(time);
    }
  }
});

test('a time that no clock shows is invalid: the skipped hour, 30 February, another format', () => {
  const read = createTimeParser('America/New_York');
  expect(read('2026-03-08 02:30:00')).toBeUndefined();
  expect(read('2026-03-08 03:00:00')).toBe(Date.UTC(2026, 2, 8, 7));
  expect(read('2026-02-30 10:00:00')).toBeUndefined();
  expect(read('2026-12-31 24:00:00')).toBeUndefined();
  expect(read('2026-12-31T10:00:00')).toBeUndefined();
  expect(read('2026-12-31 10:00:00Z')).toBeUndefined();
});

test('an hour that occurs twice in autumn means the first one', () => {
  expect(createTimeParser('America/New_York')('2026-11-01 01:30:00')).toBe(Date.UTC(2026, 10, 1, 5, 30));
});

test('the first and the last year of four digits are parsed or refused, without a fault', () => {
  const read = createTimeParser('Asia/Kolkata');
  expect(read('9999-12-31 23:59:59')).toBe(Date.UTC(9999, 11, 31, 18, 29, 59));
  expect(read('0000-01-01 00:00:00')).toBeUndefined();
});

test.each([
  ['UTC', '2026-11-15T16:00:05.007Z'],
  ['Asia/Shanghai', '2026-11-16T00:00:05.007+08:00'],
  ['Asia/Kolkata', '2026-11-15T21:30:05.007+05:30'],
  ['America/St_Johns', '2026-11-15T12:30:05.007-03:30'],
])('a program parses the same moment from a time in %s', (zone, text) => {
  const time = Date.UTC(2026, 10, 15, 16, 0, 5, 7);
  expect(createIsoFormat(zone)(time)).toBe(text);
  expect(Date.parse(text)).toBe(time);
});
