import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ERRORS, type ErrorName, isRefusal, refuse } from './errors.ts';

const rows = Object.entries(ERRORS);

describe('the error table', () => {
  it('holds every code with its status', () => {
    const statuses = Object.fromEntries(rows.map(([, row]) => [row.code, row.status]));
    expect(statuses).toEqual({
      40001: 400,
      40002: 400,
      40003: 400,
      40004: 400,
      40101: 401,
      40201: 403,
      40202: 403,
      40203: 403,
      40204: 403,
      40401: 404,
      40402: 404,
      40501: 405,
      41301: 413,
      41501: 415,
      42601: 426,
      42901: 429,
      42902: 429,
      42903: 429,
      50001: 500,
      50201: 502,
      50202: 502,
      50301: 503,
      50401: 504,
    });
  });

  it('has no duplicate code, no empty text, and cannot be changed', () => {
    expect(new Set(rows.map(([, row]) => row.code)).size).toBe(rows.length);
    for (const [, row] of rows) {
      expect([row.message, row.when, row.remedy].every((text) => text.length > 5)).toBe(true);
      expect(Object.isFrozen(row)).toBe(true);
    }
  });

  it('keeps the fixed text of 42902', () => {
    expect(ERRORS.policyLimitExceeded.message).toBe(
      'Rate limit exceeded: too many requests per minute (rpm), please retry later',
    );
  });
});

describe('a refusal', () => {
  it('has a wait in whole seconds, rounded up, at least one', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (waitMs) => {
        const seconds = refuse('concurrencyExceeded', { retryAfterMs: waitMs }).retryAfterSeconds ?? 0;
        expect(Number.isInteger(seconds) && seconds >= 1 && seconds * 1000 >= waitMs).toBe(true);
        expect(seconds === 1 || (seconds - 1) * 1000 < waitMs).toBe(true);
      }),
    );
    expect(() => refuse('unavailable', { retryAfterMs: Number.NaN })).toThrow(/finite/);
  });

  it('carries only the fields it was given', () => {
    for (const name of Object.keys(ERRORS) as ErrorName[]) {
      expect(Object.keys(refuse(name))).toEqual(['kind', 'error', 'message']);
    }
    expect(refuse('policyLimitExceeded', { limit: 'requests' }).limit).toBe('requests');
  });

  it('is distinguished from any other value', () => {
    expect(isRefusal(refuse('internal'))).toBe(true);
    for (const other of [undefined, null, 'refusal', {}, { kind: 'entered' }])
      expect(isRefusal(other)).toBe(false);
  });
});
