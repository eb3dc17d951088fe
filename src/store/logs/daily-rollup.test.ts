import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf } from '../../../test/support/calls.ts';
import { closeAllDays } from '../../../test/support/days.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { runs } from '../../../test/support/property-runs.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { createDays } from '../../kernel/time/days.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { CallRecord, LedgerStore } from '../../ledger/contract.ts';
import type { LogFilter, TimeRange } from '../../ledger/log.ts';
import { sumCredentialUse } from '../accounts/credential-use.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { examine } from '../operations/doctor.ts';
import { pageOfLog } from './log-pages.ts';
import { usageBetween, usageBy } from './usage-sums.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Summer time ends in New York and has begun on Lord Howe, by half an hour. */
const START = Date.UTC(2026, 9, 30);
const DAYS = 5;
/** Midnight on an hour of UTC, at half past, and with days of 25 hours. */
const ZONES = ['UTC', 'Asia/Shanghai', 'Asia/Kolkata', 'America/New_York', 'Australia/Lord_Howe'] as const;

let fresh: FreshDatabase;
let ledger: LedgerStore;

beforeAll(async () => {
  fresh = await freshDatabase();
  ledger = createLedgerStore({
    database: fresh.database,
    creditsPerYuan: CREDITS_PER_YUAN,
    calendar: createCalendar('UTC'),
  });
});
afterAll(() => fresh.drop());

const newAccount = () => accountWith(fresh.database, { creditsMicro: 10n ** 12n });
const closedDays = (accountId: number) =>
  fresh.database.query<{ from: Date; to: Date; calls: bigint }>(
    `select starts_at as from, ends_at as to, sum(calls)::bigint as calls from usage_daily
     where account_id = $1 group by 1, 2 order by 1`,
    [accountId],
  );

interface Made {
  readonly minute: number;
  readonly kind: number;
}

function callFrom(accountId: number, { minute, kind }: Made): CallRecord {
  const own = { payer: 'byok', chargeMicro: 0n, freeReason: 'byok' } as const;
  return callOf({
    accountId,
    createdAtMs: START + minute * MINUTE,
    modelUsed: `model-${kind % 3}`,
    keyId: 1 + (kind % 2),
    usage: { ...NO_USAGE, inputFresh: 100 + kind, cacheRead: kind, outputText: 400, outputReasoning: 7 },
    ...(kind % 5 === 0 && { verdict: 'failed' as const, status: 500 }),
    ...(kind % 4 === 0 && own),
  });
}

const call = fc.record({ minute: fc.nat(DAYS * 24 * 60 - 1), kind: fc.nat(30) });
const step = fc.oneof(
  { weight: 3, arbitrary: fc.array(call, { minLength: 1, maxLength: 25 }) },
  {
    weight: 2,
    arbitrary: fc.record({ zone: fc.constantFrom(...ZONES), day: fc.integer({ min: 1, max: 7 }) }),
  },
);
const moment = fc.oneof(
  fc.nat(DAYS * 24 * 60).map((minute) => START + minute * MINUTE),
  fc.nat(DAYS * 24).map((hour) => START + hour * HOUR),
  fc
    .record({ zone: fc.constantFrom(...ZONES), day: fc.nat(DAYS) })
    .map(({ zone, day }) => createDays(zone).startOf(START + day * DAY + 12 * HOUR)),
);
const moments = fc
  .array(moment, { minLength: 2, maxLength: 6 })
  .map((some) => some.toSorted((a, b) => a - b));

/** A plain sum over the calls. */
function sumOf(some: readonly CallRecord[]) {
  const add = (pick: (each: CallRecord) => number): number => some.reduce((sum, each) => sum + pick(each), 0);
  return {
    calls: some.length,
    failed: add(({ verdict }) => (verdict === 'complete' ? 0 : 1)),
    inputTokens: add(({ usage }) => usage.inputFresh + usage.cacheRead),
    outputTokens: add(({ usage }) => usage.outputText + usage.outputReasoning),
    cacheReadTokens: add(({ usage }) => usage.cacheRead),
    reasoningTokens: add(({ usage }) => usage.outputReasoning),
    amountMicro: some.reduce((sum, each) => sum + each.amountMicro, 0n),
    creditsMicro: some.reduce((sum, each) => sum + each.chargeMicro, 0n),
  };
}

const within = (calls: readonly CallRecord[], { fromMs = 0, toMs = Infinity }: TimeRange) =>
  calls.filter(({ createdAtMs }) => createdAtMs >= fromMs && createdAtMs < toMs);

async function expectTruth(accountId: number, calls: readonly CallRecord[], asked: readonly number[]) {
  const { database } = fresh;
  const edges = asked.slice(1, -1);
  for (const range of [{}, { fromMs: asked[0], toMs: asked.at(-1) }]) {
    const found = await usageBetween(database, accountId, { range, edges });
    const parts = [range.fromMs, ...edges, range.toMs];
    expect(found).toMatchObject(
      parts.slice(1).map((toMs, at) => sumOf(within(calls, { fromMs: parts[at], toMs }))),
    );
    const models = await usageBy(database, accountId, { by: 'model', range, most: 200 });
    const own = Object.groupBy(within(calls, range), ({ modelUsed }) => modelUsed);
    expect(new Map(models.map(({ group, amountMicro }) => [group, amountMicro]))).toEqual(
      new Map(Object.entries(own).map(([model, some = []]) => [model, sumOf(some).amountMicro])),
    );
    await expectPages(accountId, calls, range);
  }
  const [use] = await sumCredentialUse(database, accountId, { fromMs: START, toMs: START + DAYS * DAY });
  const byok = calls.filter(({ payer }) => payer === 'byok');
  expect(Number(use?.calls ?? 0)).toBe(byok.length);
}

async function expectPages(accountId: number, calls: readonly CallRecord[], range: TimeRange) {
  for (const only of [{}, { models: ['model-1'] }, { keyId: 2, status: 'failed' }] satisfies LogFilter[]) {
    const fits = within(calls, range)
      .filter(({ modelUsed }) => !('models' in only) || only.models?.includes(modelUsed))
      .filter(({ keyId, verdict }) => !('keyId' in only) || (keyId === 2 && verdict === 'failed'))
      .toSorted((one, other) => other.createdAtMs - one.createdAtMs);
    const place = { skip: Math.floor(fits.length / 3), size: 4 };
    const page = await pageOfLog(fresh.database, 'calls', {
      accountId,
      filter: { ...range, ...only },
      place,
    });
    expect(page.total).toBe(fits.length);
    expect(page.items.map(({ createdAtMs }) => createdAtMs)).toEqual(
      fits.slice(place.skip, place.skip + place.size).map(({ createdAtMs }) => createdAtMs),
    );
  }
}

test('whatever is closed when, in whichever zone, and settled late: statistics and pages are those of the log', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 7 }), moments, async (steps, asked) => {
      const accountId = await newAccount();
      const calls: CallRecord[] = [];
      for (const each of steps) {
        if (Array.isArray(each)) {
          const settled = each.map((made) => callFrom(accountId, made));
          await ledger.settle(settled);
          calls.push(...settled);
        } else await closeAllDays(fresh.database, each.zone, START + each.day * DAY);
      }
      await expectTruth(accountId, calls, asked);
    }),
    { numRuns: runs(25) },
  );
  expect(await examine(fresh.database)).toEqual([]);
  // Or else nothing was tried.
  const [closed] = await fresh.database.query<{ days: bigint }>('select count(*) as days from usage_daily');
  expect(closed?.days).toBeGreaterThan(20n);
});

test('days are those of the time zone; an hour that contains midnight is in none', async () => {
  const accountId = await newAccount();
  const hourly = Array.from({ length: 72 }, (_, hour) => callFrom(accountId, { minute: hour * 60, kind: 1 }));
  await ledger.settle(hourly);
  await closeAllDays(fresh.database, 'Asia/Kolkata', START + 3 * DAY);
  const at = (hour: number) => new Date(START + hour * HOUR);
  expect(await closedDays(accountId)).toEqual([
    { from: at(-5), to: at(18), calls: 18n },
    { from: at(19), to: at(42), calls: 23n },
    { from: at(43), to: at(66), calls: 23n },
  ]);
});

test('closed days stay after a change of the time zone, and the next one begins where they end', async () => {
  const accountId = await newAccount();
  const hourly = Array.from({ length: 72 }, (_, hour) => callFrom(accountId, { minute: hour * 60, kind: 1 }));
  await ledger.settle(hourly);
  await closeAllDays(fresh.database, 'UTC', START + DAY + HOUR);
  await closeAllDays(fresh.database, 'Asia/Shanghai', START + 3 * DAY);
  const at = (hour: number) => new Date(START + hour * HOUR);
  expect(await closedDays(accountId)).toEqual([
    { from: at(0), to: at(24), calls: 24n },
    { from: at(24), to: at(40), calls: 16n },
    { from: at(40), to: at(64), calls: 24n },
  ]);
  await expectTruth(accountId, hourly, [
    START + HOUR,
    START + 30 * HOUR,
    START + 50 * HOUR,
    START + 71 * HOUR,
  ]);
});

test('a call that is settled after its day was closed is added at once, and only once', async () => {
  const accountId = await newAccount();
  await ledger.settle([callFrom(accountId, { minute: 30, kind: 1 })]);
  await closeAllDays(fresh.database, 'UTC', START + 2 * DAY);
  const late = [callFrom(accountId, { minute: 50, kind: 1 }), callFrom(accountId, { minute: 600, kind: 2 })];
  // No day was made of the second one, because nothing had been called.
  const alone = callFrom(accountId, { minute: 24 * 60 + 5, kind: 1 });
  for (let turn = 0; turn < 2; turn++) await ledger.settle([...late, alone]);
  expect((await closedDays(accountId)).map(({ calls }) => calls)).toEqual([3n]);
  expect(await usageBetween(fresh.database, accountId, { range: {}, edges: [START + DAY] })).toMatchObject([
    { calls: 3 },
    { calls: 1 },
  ]);
});

test('the doctor finds a day that was changed, lost a row, or ends too late', async () => {
  const accountId = await newAccount();
  await ledger.settle([1, 2].map((kind) => callFrom(accountId, { minute: 30, kind })));
  await closeAllDays(fresh.database, 'UTC', START + DAY);
  const told = async () =>
    (await examine(fresh.database)).map(({ check, subject, detail }) => `${check}: ${subject}: ${detail}`);
  const change = (text: string) => fresh.database.query(`${text} where account_id = $1`, [accountId]);
  const day = 'day from 2026-10-30 00:00:00 UTC of model-';

  await change('update usage_daily set cache_read = cache_read + 1');
  const off = ', the hours less the day: cache_read -1';
  expect(await told()).toEqual(
    ['1', '2'].map((model) => `usage-days: account ${accountId}: ${day}${model}${off}`),
  );
  await change('update usage_daily set cache_read = cache_read - 1');

  await fresh.database.query('update accounts set days_closed_to = $2 where id = $1', [
    accountId,
    new Date(START),
  ]);
  expect(await told()).toEqual([
    `usage-days: account ${accountId}: a day ends at 2026-10-31 00:00:00, its days are closed to 2026-10-30 00:00:00`,
  ]);
  await closeAllDays(fresh.database, 'UTC', START + DAY);
  expect(await told()).toEqual([]);

  await change('update traffic_daily set calls = calls + 1, hour_failed[1] = 7');
  expect(await told()).toEqual([
    expect.stringMatching(/UTC of all models, the hours less the day: calls -1 hour_failed -7$/),
  ]);
  await change('update usage_daily set calls = calls');
  expect(await told()).toEqual([]);

  await fresh.database.query("delete from usage_daily where account_id = $1 and model_id = 'model-1'", [
    accountId,
  ]);
  expect(await told()).toEqual([expect.stringContaining(`${day}1, the hours less the day: calls 1`)]);
  await change('delete from usage_daily');
  expect(await told()).toEqual([]);
});

test('a long history is closed in steps of a week', async () => {
  const accountId = await newAccount();
  const months = Array.from({ length: 60 }, (_, day) =>
    callFrom(accountId, { minute: -day * 1440, kind: 1 }),
  );
  await ledger.settle(months);
  // One step for each week begun, and one that finds nothing left.
  expect(await closeAllDays(fresh.database, 'UTC', START + DAY)).toBe(10);
  expect(await closedDays(accountId)).toHaveLength(60);
  expect(await closeAllDays(fresh.database, 'UTC', START + DAY)).toBe(1);
});

test('nodes that close and settle at the same time lose nothing and count nothing twice', async () => {
  const accounts = await Promise.all(Array.from({ length: 8 }, newAccount));
  const batches = Array.from({ length: 30 }, (_, batch) =>
    accounts.map((accountId, at) => callFrom(accountId, { minute: batch * 180 + at, kind: batch + at })),
  );
  const settlers = batches.map((batch) => ledger.settle(batch));
  const closers = Array.from({ length: 6 }, async (_, at) => {
    for (let day = 1; day <= DAYS; day++)
      await closeAllDays(fresh.database, ZONES[at % 2] ?? 'UTC', START + day * DAY);
  });
  await Promise.all([...settlers, ...closers]);
  for (const [at, accountId] of accounts.entries()) {
    const own = batches.flatMap((batch) => batch[at] ?? []);
    const [all] = await usageBetween(fresh.database, accountId, { range: {}, edges: [START + DAYS * DAY] });
    expect(all).toMatchObject(sumOf(own));
  }
  expect(await examine(fresh.database)).toEqual([]);
});
