import { expect, test } from 'vitest';
import { moneyRequest, toRefusal } from './enter.ts';

test('the gate is asked for the quote in Credits', () => {
  const payment = { coverage: { scope: 'subscription:3', windows: [] }, wallet: undefined };
  const quote = { mostMicro: 1_000_000n, shareMicro: 50_000n, leastMicro: 1_000n, isBounded: true };
  expect(moneyRequest(quote, payment, 1000)).toEqual({
    wantMicro: 1_000_000_000n,
    shareMicro: 50_000_000n,
    leastMicro: 1_000_000n,
    wholeIfFree: true,
    creditsPerYuan: 1000,
    ...payment,
  });
});

test.each([
  ['concurrency', 42901],
  ['requests', 42902],
  ['images', 42902],
  ['videos', 42902],
  ['amount', 42902],
  ['coverage', 42902],
  ['tokens', 42903],
] as const)('a refusal by %s is %i with Retry-After and the real dimension', (reason, code) => {
  const refused = {
    kind: 'gate-refused',
    reason,
    limit: 5n,
    used: 5n,
    seconds: 60,
    retryAfterMs: 1_001,
    scope: 'key:11',
    freeMicro: 0n,
    heldMicro: 0n,
  } as const;
  expect(toRefusal(refused, { limits: [] })).toMatchObject({
    error: { code, status: 429 },
    retryAfterSeconds: 2,
    limit: `${reason}; limit=5; used=5; window=60; reset=2; scope=key`,
  });
});

test('a gate that cannot be reached is 50301 with its wait', () => {
  expect(toRefusal({ kind: 'gate-away', retryAfterMs: 2_500 }, { limits: [] })).toMatchObject({
    error: { code: 50301, status: 503 },
    retryAfterSeconds: 3,
  });
});

test('42902 keeps its fixed text', () => {
  const refused = {
    kind: 'gate-refused',
    reason: 'images',
    limit: 5n,
    used: 5n,
    seconds: 60,
    retryAfterMs: 1,
    scope: 'account:7',
    freeMicro: 0n,
    heldMicro: 0n,
  } as const;
  expect(toRefusal(refused, { limits: [] }).message).toBe(
    'Rate limit exceeded: too many requests per minute (rpm), please retry later',
  );
});
