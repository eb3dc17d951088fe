import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf } from '../../../test/support/calls.ts';
import { closeAllDays } from '../../../test/support/days.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { runs } from '../../../test/support/property-runs.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import type { CallRecord, LedgerStore } from '../../ledger/contract.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { findSeries } from './operator-series.ts';
import { findAccountSales, findTraffic, type Period } from './operator-stats.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 9, 30);
const DAYS = 5;
/** Midnight on an hour of UTC, at half past, and with a day of 25 hours. */
const ZONES = ['UTC', 'Asia/Shanghai', 'Asia/Kolkata', 'America/New_York'] as const;

let fresh: FreshDatabase;
let ledger: LedgerStore;

beforeAll(async () => {
  fresh = await freshDatabase();
  const { database } = fresh;
  const calendar = createCalendar('UTC');
  ledger = createLedgerStore({ database, creditsPerYuan: CREDITS_PER_YUAN, calendar });
});
afterAll(() => fresh.drop());

interface Made {
  readonly minute: number;
  readonly kind: number;
}

function callFrom(accounts: readonly number[], { minute, kind }: Made): CallRecord {
  const free = { chargeMicro: 0n };
  return callOf({
    accountId: accounts[kind % accounts.length] ?? 0,
    createdAtMs: START + minute * 60_000,
    modelUsed: `model-${kind % 2}`,
    ...(kind % 5 === 0 && { verdict: 'failed' as const, status: kind % 2 === 0 ? 500 : 429 }),
    ...(kind % 4 === 0 && { ...free, payer: 'byok' as const, freeReason: 'byok' as const }),
    ...(kind % 4 === 1 && { ...free, payer: 'subscription' as const, freeReason: 'covered' as const }),
  });
}

/** A plain sum over the calls. */
function trafficOf(calls: readonly CallRecord[]) {
  const count = (fits: (call: CallRecord) => boolean): number => calls.filter(fits).length;
  return {
    calls: calls.length,
    failed: count(({ verdict }) => verdict === 'failed'),
    byokCalls: count(({ payer }) => payer === 'byok'),
    coveredMicro: sumOf(
      calls.filter(({ payer }) => payer === 'subscription').map((each) => each.amountMicro),
    ),
  };
}

function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, each) => sum + each, 0n);
}

function errorsOf(calls: readonly CallRecord[]) {
  const byStatus = Map.groupBy(
    calls.filter(({ status }) => status >= 400),
    ({ status }) => status,
  );
  return [...byStatus]
    .map(([status, some]) => ({ status, calls: some.length }))
    .toSorted((one, other) => other.calls - one.calls || one.status - other.status);
}

function salesOf(calls: readonly CallRecord[]) {
  return [...Map.groupBy(calls, ({ accountId }) => accountId)]
    .map(([accountId, some]) => ({
      accountId,
      calls: some.length,
      creditsMicro: sumOf(some.map((each) => each.chargeMicro)),
      amountMicro: sumOf(some.map((each) => each.amountMicro)),
    }))
    .toSorted(
      (one, other) =>
        Number(other.creditsMicro - one.creditsMicro) ||
        Number(other.amountMicro - one.amountMicro) ||
        one.accountId - other.accountId,
    );
}

async function expectTruth(calls: readonly CallRecord[], { fromMs, toMs }: Period, stepMs: number) {
  const { database } = fresh;
  const within = (from: number, to: number) =>
    calls.filter(({ createdAtMs }) => createdAtMs >= from && createdAtMs < to);
  const asked = within(fromMs, toMs);
  expect(await findTraffic(database, { fromMs, toMs })).toEqual({
    ...trafficOf(asked),
    activeAccounts: new Set(asked.map(({ accountId }) => accountId)).size,
    errors: errorsOf(asked),
  });
  expect(await findAccountSales(database, { fromMs, toMs })).toMatchObject(salesOf(asked));
  const edges: number[] = [];
  for (let edge = fromMs; edge < toMs; edge += stepMs) edges.push(edge);
  const { traffic, errors } = await findSeries(database, { fromMs, toMs, edges });
  expect(traffic).toEqual(edges.map((edge, at) => trafficOf(within(edge, edges[at + 1] ?? toMs))));
  expect(errors).toEqual(
    errorsOf(asked).map(({ status }) => ({
      status,
      points: edges.map((edge, at) => {
        const made = within(edge, edges[at + 1] ?? toMs);
        return errorsOf(made).find((each) => each.status === status)?.calls ?? 0;
      }),
    })),
  );
}

const call = fc.record({ minute: fc.nat(DAYS * 24 * 60 - 1), kind: fc.nat(30) });
const step = fc.oneof(
  { weight: 3, arbitrary: fc.array(call, { minLength: 1, maxLength: 40 }) },
  {
    weight: 2,
    arbitrary: fc.record({ zone: fc.constantFrom(...ZONES), day: fc.integer({ min: 1, max: 7 }) }),
  },
);
const asked = fc.record({
  from: fc.oneof(fc.constant(0), fc.nat(DAYS * 24 - 1)),
  hours: fc.integer({ min: 1, max: DAYS * 24 }),
  step: fc.constantFrom(HOUR, DAY),
});

test('sums over all accounts are those of the calls, whichever days are closed and however late calls come', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 2, maxLength: 6 }),
      fc.array(asked, { minLength: 4, maxLength: 4 }),
      async (steps, questions) => {
        const { database } = fresh;
        await database.query(
          'truncate usage_hourly, usage_daily, traffic_daily, traffic_hourly, model_hourly',
        );
        const accounts = await Promise.all(
          [1, 2, 3].map(() => accountWith(database, { creditsMicro: 10n ** 12n })),
        );
        const calls: CallRecord[] = [];
        for (const each of steps) {
          if ('zone' in each) await closeAllDays(database, each.zone, START + each.day * DAY);
          else {
            const made = each.map((one) => callFrom(accounts, one));
            await ledger.settle(made);
            calls.push(...made);
          }
        }
        for (const { from, hours, step: stepMs } of questions) {
          const fromMs = START + from * HOUR;
          await expectTruth(calls, { fromMs, toMs: fromMs + hours * HOUR }, stepMs);
        }
      },
    ),
    { numRuns: runs(12) },
  );
});

test('a long time of an account reads closed days, and no hour of them', async () => {
  const { database } = fresh;
  const accountId = await accountWith(database, { creditsMicro: 10n ** 12n });
  await database.query('truncate usage_hourly, usage_daily, traffic_daily, traffic_hourly, model_hourly');
  await ledger.settle([callOf({ accountId, createdAtMs: START + 2 * HOUR })]);
  await closeAllDays(database, 'UTC', START + 3 * DAY);
  await database.query('truncate usage_hourly');
  const period = { fromMs: START, toMs: START + 3 * DAY };
  expect(await findAccountSales(database, period)).toMatchObject([{ accountId, calls: 1 }]);
});

test('settlers side by side add to the same hours without waiting for each other in a circle', async () => {
  const { database } = fresh;
  const accounts = await Promise.all(
    Array.from({ length: 12 }, () => accountWith(database, { creditsMicro: 10n ** 12n })),
  );
  await database.query('truncate usage_hourly, usage_daily, traffic_daily, traffic_hourly, model_hourly');
  const rounds = Array.from({ length: 10 }, (_, round) =>
    accounts.map((accountId, at) =>
      Array.from({ length: 8 }, (_, index) => ({
        ...callFrom([accountId], {
          minute: ((at + index) % 6) * 60 + round,
          kind: 5 * ((at + round + index) % 6),
        }),
      })),
    ),
  );
  for (const batches of rounds) await Promise.all(batches.map((batch) => ledger.settle(batch)));
  await expectTruth(rounds.flat(2), { fromMs: START, toMs: START + DAY }, HOUR);
});
