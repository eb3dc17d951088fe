import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { COOL_DOWN_MS_DEFAULT, COOL_DOWN_MS_MAX } from '../../bounds.ts';
import { askedWaitMs, coolDownMs } from './cool-down.ts';

const NOW = Date.UTC(2026, 10, 5, 12, 0, 0);
const wait = (headers: Record<string, string>, body?: string): number =>
  coolDownMs(headers, body === undefined ? undefined : Buffer.from(body), NOW);

test.each([
  ['3', 3_000],
  ['0', 0],
  ['1.5', 1_500],
  [' 7 ', 7_000],
  ['1000000000', COOL_DOWN_MS_MAX],
  ['Thu, 05 Nov 2026 12:00:30 GMT', 30_000],
  ['Thu, 05 Nov 2026 11:00:00 GMT', 0],
  ['Fri, 05 Nov 2027 12:00:00 GMT', COOL_DOWN_MS_MAX],
  ['-5', COOL_DOWN_MS_DEFAULT],
  ['soon', COOL_DOWN_MS_DEFAULT],
  ['', COOL_DOWN_MS_DEFAULT],
  ['1e9', COOL_DOWN_MS_DEFAULT],
  ['Infinity', COOL_DOWN_MS_DEFAULT],
  ['9'.repeat(400), COOL_DOWN_MS_DEFAULT],
  ['Thu, 99 Nov 2026 12:00:30 GMT', COOL_DOWN_MS_DEFAULT],
])('Retry-After "%s" is a wait of %d ms', (value, expected) => {
  expect(wait({ 'retry-after': value })).toBe(expected);
});

test('retry-after-ms wins over retry-after, because it is more exact', () => {
  expect(wait({ 'retry-after-ms': '2500', 'retry-after': '3' })).toBe(2_500);
  expect(wait({ 'retry-after-ms': 'x', 'retry-after': '3' })).toBe(3_000);
});

test.each([
  ['6m0s', 300_000],
  ['1m30s', 90_000],
  ['1s', 1_000],
  ['20ms', 20],
  ['1.5s', 1_500],
  ['1h', 300_000],
  ['17', 17_000],
  ['2026-11-05T12:00:12Z', 12_000],
])('an exhausted limit that resets in "%s" is a wait of %d ms', (reset, expected) => {
  expect(wait({ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': reset })).toBe(expected);
});

test('only exhausted limits count, and of those the furthest', () => {
  expect(
    wait({
      'anthropic-ratelimit-requests-remaining': '40',
      'anthropic-ratelimit-requests-reset': '2026-11-05T12:04:00Z',
      'anthropic-ratelimit-input-tokens-remaining': '0',
      'anthropic-ratelimit-input-tokens-reset': '2026-11-05T12:00:09Z',
      'anthropic-ratelimit-output-tokens-remaining': '0',
      'anthropic-ratelimit-output-tokens-reset': '2026-11-05T12:00:21Z',
    }),
  ).toBe(21_000);
  expect(wait({ 'x-ratelimit-remaining-requests': '0' })).toBe(COOL_DOWN_MS_DEFAULT);
});

const retryInfo = (delay: unknown): object => ({
  error: {
    code: 429,
    details: [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure' },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: delay },
    ],
  },
});

test('Google’s RetryInfo in the body counts, also in the array form', () => {
  expect(wait({}, JSON.stringify(retryInfo('34s')))).toBe(34_000);
  expect(wait({}, JSON.stringify([retryInfo('34.074824224s')]))).toBe(34_075);
  for (const odd of ['x', -1, null, { seconds: 1 }]) {
    expect(wait({}, JSON.stringify(retryInfo(odd)))).toBe(COOL_DOWN_MS_DEFAULT);
  }
  expect(wait({}, '{"RetryInfo":')).toBe(COOL_DOWN_MS_DEFAULT);
  expect(wait({}, 'null RetryInfo')).toBe(COOL_DOWN_MS_DEFAULT);
  expect(wait({ 'retry-after': '2' }, JSON.stringify(retryInfo('34s')))).toBe(2_000);
});

test('the wait is short without any hint, and marked as a guess', () => {
  expect(wait({})).toBe(COOL_DOWN_MS_DEFAULT);
  expect(askedWaitMs({}, NOW)).toBeUndefined();
});

test('the wait is finite, not negative and bounded for any headers', () => {
  const text = fc.oneof(
    fc.string(),
    fc.double().map(String),
    fc.bigInt().map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.stringMatching(/^[0-9]{0,12}(\.[0-9]{0,4})?(h|m|s|ms)?$/),
  );
  const names = ['retry-after', 'retry-after-ms', 'x-ratelimit-remaining-a', 'x-ratelimit-reset-a'];
  const headers = fc.dictionary(fc.constantFrom(...names), fc.oneof(text, fc.constant('0')));
  fc.assert(
    fc.property(headers, fc.option(fc.string(), { nil: undefined }), (given, body) => {
      const found = wait(given, body);
      return Number.isInteger(found) && found >= 0 && found <= COOL_DOWN_MS_MAX;
    }),
    { numRuns: runs(2_000) },
  );
});
