import { describe, expect, test } from 'vitest';
import { createTimeFormat, createTimeParser } from '../../kernel/time/calendar.ts';
import { createDays } from '../../kernel/time/days.ts';
import { type Granularity, rangeBefore, trendRange } from './trend-range.ts';

function inZone(timeZone: string) {
  const [days, read, show] = [createDays(timeZone), createTimeParser(timeZone), createTimeFormat(timeZone)];
  const moment = (text: string): number => {
    const found = read(text);
    if (found === undefined) throw new Error(`no time: ${text}`);
    return found;
  };
  return (granularity: Granularity, from: string, to: string) => {
    const asked = { fromMs: moment(from), toMs: moment(to) };
    const range = trendRange(granularity, asked, { nowMs: moment(to), days });
    if ('kind' in range) throw new Error(JSON.stringify(range));
    const before = rangeBefore(granularity, range, days);
    return {
      starts: range.edges.map(show),
      before: before.edges.map(show),
      from: show(before.fromMs),
      to: show(before.toMs),
    };
  };
}

describe('the points directly before a range', () => {
  test('are as many, and end with it if it is over', () => {
    const { starts, before, from, to } = inZone('Asia/Shanghai')(
      'day',
      '2026-11-16 00:00:00',
      '2026-11-18 00:00:00',
    );
    expect(starts).toEqual(['2026-11-16 00:00:00', '2026-11-17 00:00:00']);
    expect(before).toEqual(['2026-11-14 00:00:00', '2026-11-15 00:00:00']);
    expect([from, to]).toEqual(['2026-11-14 00:00:00', '2026-11-16 00:00:00']);
  });

  test('end at the same moment of the last one if that is not over', () => {
    const days = inZone('Asia/Kolkata')('day', '2026-11-16 00:00:00', '2026-11-17 09:30:00');
    expect([days.from, days.to]).toEqual(['2026-11-14 00:00:00', '2026-11-15 09:30:00']);
    const hours = inZone('UTC')('hour', '2026-11-16 08:00:00', '2026-11-16 10:15:00');
    expect(hours.before).toEqual(['2026-11-16 05:00:00', '2026-11-16 06:00:00', '2026-11-16 07:00:00']);
    expect([hours.from, hours.to]).toEqual(['2026-11-16 05:00:00', '2026-11-16 07:15:00']);
  });

  test('are days of the time zone, also where clocks change', () => {
    const { before, from, to } = inZone('Europe/Berlin')('day', '2026-10-25 00:00:00', '2026-10-27 00:00:00');
    expect(before).toEqual(['2026-10-23 00:00:00', '2026-10-24 00:00:00']);
    expect([from, to]).toEqual(['2026-10-23 00:00:00', '2026-10-25 00:00:00']);
  });

  test('are weeks that are counted from the first day', () => {
    const { starts, before, to } = inZone('UTC')('week', '2026-11-02 00:00:00', '2026-11-12 12:00:00');
    expect(starts).toEqual(['2026-11-02 00:00:00', '2026-11-09 00:00:00']);
    expect(before).toEqual(['2026-10-19 00:00:00', '2026-10-26 00:00:00']);
    expect(to).toBe('2026-10-29 12:00:00');
  });
});
