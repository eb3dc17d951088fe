import { expect, test } from 'vitest';
import { createDays } from './days.ts';

const at = (text: string): number => Date.parse(text);

test('a day begins at midnight of the time zone', () => {
  expect(createDays('UTC').startOf(at('2026-11-15T12:34:56Z'))).toBe(at('2026-11-15T00:00:00Z'));
  expect(createDays('Asia/Shanghai').startOf(at('2026-11-15T17:00:00Z'))).toBe(at('2026-11-15T16:00:00Z'));
  expect(createDays('Asia/Kolkata').startOf(at('2026-11-15T17:00:00Z'))).toBe(at('2026-11-14T18:30:00Z'));
});

test('the next day begins at the next midnight, however long the day is', () => {
  const days = createDays('Europe/Berlin');
  expect(days.after(at('2026-03-28T23:00:00Z'))).toBe(at('2026-03-29T22:00:00Z'));
  expect(days.after(at('2026-10-24T22:00:00Z'))).toBe(at('2026-10-25T23:00:00Z'));
});

test('a day without midnight, because of summer time, begins with its first hour', () => {
  const days = createDays('Africa/Cairo');
  expect(days.startOf(at('2026-04-24T12:00:00Z'))).toBe(at('2026-04-23T22:00:00Z'));
  expect(days.after(at('2026-04-23T12:00:00Z'))).toBe(at('2026-04-23T22:00:00Z'));
});

test('a month begins with its first day', () => {
  const days = createDays('America/New_York');
  expect(days.startOfMonth(at('2026-11-15T12:00:00Z'))).toBe(at('2026-11-01T04:00:00Z'));
  expect(days.startOfMonth(at('2026-11-01T03:00:00Z'))).toBe(at('2026-10-01T04:00:00Z'));
});
