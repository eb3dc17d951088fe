import { describe, expect, it } from 'vitest';
import {
  count,
  countDown,
  countShort,
  credits,
  delta,
  duration,
  money,
  percent,
  percentDelta,
  pricePerMillion,
  written,
} from './format.ts';
import { clock, exactTime, listTime, relativeTime } from './times.ts';

describe('amounts', () => {
  it('adds separators and decimals and keeps every digit', () => {
    expect(money('1284.5')).toBe('¥1,284.50');
    expect(money('0.263301', { decimals: 6 })).toBe('¥0.263301');
    expect(money('0.3', { decimals: 6 })).toBe('¥0.300000');
    expect(money('0.263301083136', { decimals: 6 })).toBe('¥0.263301083136');
    expect(money('123456789012345678901.123456')).toBe('¥123,456,789,012,345,678,901.123456');
    expect(money('500', { currency: '' })).toBe('500.00');
    expect(money('2.160000')).toBe('¥2.16');
  });

  it('writes a true minus, and a sign on what is more when asked', () => {
    expect(money('-3.2')).toBe('−¥3.20');
    expect(money('3.2', { signed: true })).toBe('+¥3.20');
    expect(money('-0.00')).toBe('¥0.00');
    expect(money('0', { signed: true })).toBe('¥0.00');
  });

  it('shows nothing as a dash and what it cannot read as it came', () => {
    expect(money(null)).toBe('–');
    expect(money('')).toBe('–');
    expect(money('free')).toBe('free');
    expect(credits(undefined)).toBe('–');
    expect(pricePerMillion(null)).toBe('–');
  });

  it('drops the trailing zeros of Credits', () => {
    expect(credits('263.301000')).toBe('263.301');
    expect(credits('48475.000')).toBe('48,475');
    expect(credits('-0.25')).toBe('−0.25');
    expect(credits('5', { signed: true })).toBe('+5');
  });

  it('writes prices for a million', () => {
    expect(pricePerMillion('21.6')).toBe('¥21.60/M');
    expect(pricePerMillion('0.0025')).toBe('¥0.0025/M');
  });
});

describe('counts', () => {
  it('writes them in full', () => {
    expect(count(30192)).toBe('30,192');
    expect(count(9007199254740993n)).toBe('9,007,199,254,740,993');
    expect(count('1048576')).toBe('1,048,576');
    expect(count(-12)).toBe('−12');
    expect(count(null)).toBe('–');
    expect(count(0)).toBe('0');
  });

  it('writes them in short by language', () => {
    expect(written(countShort(96_400_000, 'en'))).toBe('96.4 M');
    expect(written(countShort(96_400_000, 'zh'))).toBe('9,640 万');
    expect(written(countShort(1_860_000, 'en'))).toBe('1.86 M');
    expect(written(countShort(123_000_000, 'zh'))).toBe('1.23 亿');
    expect(written(countShort(18_204, 'en'))).toBe('18.2 K');
    expect(written(countShort(9_999, 'en'))).toBe('9,999');
    expect(written(countShort(999_999, 'en'))).toBe('1 M');
    expect(written(countShort(0, 'zh'))).toBe('0');
  });
});

describe('ratios', () => {
  it('has a space before the sign', () => {
    expect(percent(0.0042)).toBe('0.42 %');
    expect(percent(0.424)).toBe('42.4 %');
    expect(percent(1)).toBe('100 %');
    expect(percent(0)).toBe('0 %');
    expect(percent(Number.NaN)).toBe('–');
  });

  it('has a sign on every change', () => {
    expect(percentDelta(-0.082)).toBe('−8.2 %');
    expect(percentDelta(0.124)).toBe('+12.4 %');
    expect(percentDelta(0)).toBe('0 %');
    expect(delta(0.09, 2)).toBe('+0.09');
    expect(delta(0.1, 2)).toBe('+0.10');
    expect(delta(-31)).toBe('−31');
    expect(delta(0)).toBe('0');
  });
});

describe('waits', () => {
  it('takes milliseconds below a second and seconds above', () => {
    expect(written(duration(412))).toBe('412 ms');
    expect(written(duration(999.6))).toBe('1.00 s');
    expect(written(duration(9_414))).toBe('9.41 s');
    expect(written(duration(72_000))).toBe('1 min 12 s');
    expect(written(duration(11_040_000))).toBe('3 h 04');
    expect(written(duration(null))).toBe('–');
  });

  it('counts down', () => {
    expect(countDown(38_000)).toBe('0:38');
    expect(countDown(11_040_000)).toBe('3 h 04');
    expect(countDown(-5)).toBe('0:00');
    expect(countDown(200_000_000)).toBe('2 d 8 h');
    expect(countDown(11_040_000, 'zh')).toBe('3 小时 4 分');
    expect(countDown(200_000_000, 'zh')).toBe('2 天 8 小时');
  });
});

describe('times', () => {
  const now = Date.UTC(2026, 10, 18, 14, 32, 7);

  it('says how long ago, or how soon', () => {
    expect(relativeTime(now - 120_000, now, 'en')).toBe('2 min ago');
    expect(relativeTime(now + 2 * 86_400_000, now, 'en')).toBe('in 2 days');
    expect(relativeTime(now - 86_400_000, now, 'en')).toBe('1 day ago');
    expect(relativeTime(now - 120_000, now, 'zh')).toBe('2 分钟前');
    expect(relativeTime(now, now, 'en')).toBe('just now');
    expect(relativeTime(now - 800 * 86_400_000, now, 'en')).toBe('2 years ago');
  });

  it('shows the clock for today', () => {
    expect(clock(now)).toBe('14:32:07');
    expect(exactTime(now)).toBe('2026-11-18 14:32:07');
    expect(listTime(now - 60_000, now, 'en')).toBe('14:31:07');
    expect(listTime(now - 3 * 86_400_000, now, 'en')).toBe('3 days ago');
  });
});
