import { describe, expect, test } from 'vitest';
import { sleep } from '../../support/processes.ts';
import type { Arena } from '../arena.ts';
import { type Answered, ask, openWallet, parallel, tally, type WalletOptions } from '../wallet.ts';

const POLICY = { one: 2, ten: 3, sevenAtOnce: 4, short: 5, shortTokens: 8, shortAmount: 9 } as const;
const RICH = { credits: 1_000_000 };

/** At limit L, of N simultaneous requests exactly L pass: told by the vendor's own count. */
export function limitRaces(arena: () => Arena): void {
  describe('at limit L, of N simultaneous requests exactly L pass', () => {
    test.each([
      { count: 10, limit: 1, policy: 'one' },
      { count: 1_000, limit: 10, policy: 'ten' },
    ] as const)(
      '$count requests, limit $limit',
      async ({ count, limit, policy }) => {
        const { key } = await openWallet(arena(), { ...RICH, policyId: POLICY[policy] });
        const before = arena().simulator.stats.requests;
        const answers = await parallel(count, (index) => quick(arena(), key, index));
        expect(tally(answers)).toEqual({ 200: limit, 42902: count - limit });
        expect(arena().simulator.stats.requests - before).toBe(limit);
        for (const answer of answers) if (answer.code === 42902) expectToldWell(answer);
        const size = `${count} at ${limit}`;
        console.log(`proof | limit exactness by HTTP, ${arena().name} | ${size} | exactly ${limit} passed`);
      },
      300_000,
    );

    test('exactly c run at once, by the vendor’s own count', async () => {
      const { key } = await openWallet(arena(), { ...RICH, policyId: POLICY.sevenAtOnce });
      arena().simulator.stats.clear();
      const answers = await parallel(60, (index) =>
        // All of them have asked before the first is done, also on a busy machine.
        ask(arena().at(index), { key, max: 10, directive: 'tokens=2 delay=5000' }),
      );
      expect(tally(answers)).toEqual({ 200: 7, 42901: 53 });
      expect(arena().simulator.stats.peakOpen).toBe(7);
      for (const { code, headers } of answers) {
        if (code === 42901) expect(headers.get('retry-after')).toBe('1');
      }
      await arena().settled();
      const again = await parallel(7, (index) =>
        ask(arena().at(index), { key, max: 10, directive: 'tokens=2 delay=100' }),
      );
      expect(tally(again)).toEqual({ 200: 7 });
    });
  });
}

const quick = (arena: Arena, key: string, index: number): Promise<Answered> =>
  ask(arena.at(index), { key, max: 10, directive: 'tokens=2' });

function expectToldWell({ headers }: Answered): void {
  const wait = Number(headers.get('retry-after'));
  expect(wait).toBeGreaterThan(3_400);
  expect(wait).toBeLessThanOrEqual(3_600);
  // Nobody waits an hour: the SDKs are told not to try.
  expect(headers.get('x-should-retry')).toBe('false');
  expect(headers.get('x-tollgate-limit')).toMatch(
    /^requests; limit=\d+; used=\d+; window=3600; reset=\d+; scope=key$/,
  );
}

/** Windows of four seconds, each used up by calls of ten Credits, or of a hundred tokens and some. */
const WINDOWS: Readonly<Record<string, { readonly wallet: WalletOptions; readonly code: number }>> = {
  requests: { wallet: { ...RICH, policyId: POLICY.short }, code: 42902 },
  tokens: { wallet: { ...RICH, policyId: POLICY.shortTokens }, code: 42903 },
  amount: { wallet: { ...RICH, policyId: POLICY.shortAmount }, code: 42902 },
  coverage: { wallet: { ...RICH, plan: 'SHORT', apiBilling: false }, code: 42902 },
};
const WINDOW_MS = 4_000;
const SECOND_MS = 1_000;
/** A machine that is busy elsewhere for longer than a window tells nothing about it. */
const TRIES = 4;

/** `Retry-After` is never early and less than a second late: who waits so long passes, a second less not. */
export function retryAfter(arena: () => Arena): void {
  test('Retry-After is exactly long enough', async () => {
    const told = await Promise.all(
      Object.entries(WINDOWS).map(async ([name, { wallet, code }]) => {
        for (let tries = 0; tries < TRIES; tries++) {
          const { key } = await openWallet(arena(), wallet);
          const waited = await waitOut(arena(), key, code);
          if (waited !== 'too-slow') return `${name} ${waited}`;
        }
        throw new Error('the machine was too busy to measure');
      }),
    );
    const result = 'refused a second before, passed then';
    console.log(`proof | Retry-After, ${arena().name} | ${told.join(', ')} | ${result}`);
  });
}

async function waitOut(arena: Arena, key: string, code: number): Promise<string> {
  const next = (): Promise<Answered> => ask(arena.at(calls++), { key, max: 100, directive: 'tokens=100' });
  let calls = 0;
  const sentAt = performance.now();
  expect((await next()).status).toBe(200);
  const begunBy = performance.now();
  const use: Answered[] = [];
  while (calls < 5 && use.at(-1)?.code === undefined) use.push(await next());
  if (performance.now() - sentAt > SECOND_MS) return 'too-slow';
  expect(use.at(-1)?.code).toBe(code);
  // A moment after a whole second of the window: its rest is rounded up by almost one.
  await sleep(SECOND_MS + 100 - (performance.now() - begunBy));
  const refused = await next();
  const refusedAt = performance.now();
  if (refusedAt - sentAt > WINDOW_MS - 2_000) return 'too-slow';
  expect(refused.code).toBe(code);
  const waitMs = Number(refused.headers.get('retry-after')) * SECOND_MS;
  expect(waitMs).toBeLessThan(WINDOW_MS - (refusedAt - begunBy) + SECOND_MS + (refusedAt - sentAt));
  await sleep(waitMs - SECOND_MS);
  const early = await next();
  if (performance.now() - sentAt > WINDOW_MS) return 'too-slow';
  expect(early.code).toBe(code);
  await sleep(waitMs - (performance.now() - refusedAt));
  expect((await next()).status).toBe(200);
  return `${waitMs / SECOND_MS} s`;
}
