import { afterEach, beforeEach, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf, jobOf } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { silentLogger } from '../../kernel/log.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { ManualClock } from '../../kernel/time/clock.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { ensurePartitions } from '../logs/partitions.ts';
import { examine } from './doctor.ts';
import { type StoreUpkeep, startStoreUpkeep } from './upkeep.ts';

let fresh: FreshDatabase;
const running: StoreUpkeep[] = [];

beforeEach(async () => {
  fresh = await freshDatabase();
});

afterEach(async () => {
  for (const upkeep of running.splice(0)) await upkeep.stop();
  await fresh.drop();
});

const start = (clock: ManualClock, logMonths: number): StoreUpkeep => {
  const upkeep = startStoreUpkeep({
    database: fresh.database,
    clock,
    log: silentLogger,
    logMonths,
    timeZone: 'UTC',
  });
  running.push(upkeep);
  return upkeep;
};

const months = async () => {
  const rows = await fresh.database.query<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'calls'::regclass order by 1",
  );
  return rows.map((row) => row.name);
};

/** Long ago for the database's own clock, so that only the one of the test counts. */
const MARCH = Date.UTC(2021, 2, 31, 12);

test('the upkeep keeps a number of whole months of logs besides the current one, or all of them', async () => {
  await ensurePartitions(fresh.database, ['2020-12', '2021-01', '2021-02']);
  await start(new ManualClock(MARCH), 0).round();
  expect(await months()).toHaveLength(4);
  await start(new ManualClock(MARCH), 2).round();
  expect(await months()).toEqual(['calls_2021_01', 'calls_2021_02', 'calls_2021_03']);
});

test('the upkeep of many nodes drops each month once, and runs again only the next day', async () => {
  await ensurePartitions(fresh.database, ['2020-12', '2021-01']);
  const clock = new ManualClock(MARCH);
  const nodes = Array.from({ length: 5 }, () => start(clock, 1));
  await Promise.all(nodes.map((node) => node.round()));
  expect(await months()).toEqual(['calls_2021_02']);
  await ensurePartitions(fresh.database, ['2020-12']);
  clock.advance(3_600_000);
  await nodes[0]?.round();
  expect(await months()).toHaveLength(3);
  clock.advance(86_400_000);
  await nodes[0]?.round();
  // April by now.
  expect(await months()).toEqual([]);
});

test('the upkeep deletes no logs after the wall clock jumped ahead', async () => {
  const [row] = await fresh.database.query<{ month: string }>("select to_char(now(), 'YYYY-MM') as month");
  await ensurePartitions(fresh.database, [row?.month ?? '']);
  await start(new ManualClock(Date.UTC(2099, 0, 1)), 1).round();
  expect(await months()).toHaveLength(2);
});

test('the upkeep does not wait for a reader of old logs; they are dropped in a later round', async () => {
  await ensurePartitions(fresh.database, ['2020-12']);
  const upkeep = start(new ManualClock(MARCH), 1);
  await fresh.database.transaction(async (transaction) => {
    await transaction.query('select count(*) from calls');
    await upkeep.round();
    expect(await months()).toHaveLength(2);
  });
  await upkeep.round();
  expect(await months()).toEqual([]);
});

test('the upkeep closes days an hour after their end, once for all nodes, and not by a clock that jumped ahead', async () => {
  const accountId = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
  const ledger = createLedgerStore({
    database: fresh.database,
    creditsPerYuan: CREDITS_PER_YUAN,
    calendar: createCalendar('UTC'),
  });
  const [row] = await fresh.database.query<{ now: Date }>('select now() as now');
  const nowMs = row?.now.getTime() ?? 0;
  await ledger.settle([MARCH, MARCH - 86_400_000, nowMs].map((at) => callOf({ accountId, createdAtMs: at })));
  const closed = async () =>
    (
      await fresh.database.query<{ day: string }>(
        `select to_char(starts_at, 'MM-DD') as day from usage_daily order by 1`,
      )
    ).map(({ day }) => day);
  const clock = new ManualClock(Date.UTC(2021, 3, 1, 0, 59));
  const nodes = Array.from({ length: 4 }, () => start(clock, 0));
  const round = () => Promise.all(nodes.map((node) => node.round()));
  await round();
  expect(await closed()).toEqual(['03-30']);
  clock.advance(60_000);
  await round();
  expect(await closed()).toEqual(['03-30', '03-31']);
  clock.advance(20 * 365 * 86_400_000);
  await round();
  expect(await closed()).toEqual(['03-30', '03-31']);
});

test('the upkeep deletes ended windows, and the books agree when logs were dropped', async () => {
  const accountId = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
  const ledger = createLedgerStore({
    database: fresh.database,
    creditsPerYuan: CREDITS_PER_YUAN,
    calendar: createCalendar('UTC'),
  });
  const window = {
    scope: 'key:1',
    dimension: 'requests',
    seconds: 60,
    startedAtMs: MARCH,
    used: 1n,
  } as const;
  const windows = [window, { ...window, seconds: 86_400 }];
  await ledger.settle([
    callOf({ accountId, createdAtMs: Date.UTC(2021, 0, 5) }),
    callOf({ accountId, createdAtMs: MARCH, windows }),
  ]);
  await start(new ManualClock(MARCH + 60_000), 1).round();
  expect(await fresh.database.query('select seconds from gate_windows')).toEqual([{ seconds: 86_400n }]);
  expect(await fresh.database.query('select count(*) as calls from calls')).toEqual([{ calls: 1n }]);
  expect(await fresh.database.query('select count(*) as hours from usage_hourly')).toEqual([{ hours: 2n }]);
  expect(await examine(fresh.database)).toEqual([]);
});

test('the upkeep forgets jobs thirty days after their end, and never one that runs', async () => {
  const accountId = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
  const ledger = createLedgerStore({
    database: fresh.database,
    creditsPerYuan: CREDITS_PER_YUAN,
    calendar: createCalendar('UTC'),
  });
  const jobs = Array.from({ length: 3 }, () => jobOf({ accountId }));
  await ledger.settle(jobs);
  const [running, done, gone] = jobs.map(({ callId }) => callId);
  await ledger.endJob(done ?? '', { state: 'complete' });
  await ledger.endJob(gone ?? '', { state: 'void' });
  const clock = new ManualClock(Date.now() + 29 * 86_400_000);
  await start(clock, 0).round();
  expect(await fresh.database.query('select call_id from jobs')).toHaveLength(3);
  clock.advance(2 * 86_400_000);
  await start(clock, 0).round();
  expect(await fresh.database.query('select call_id from jobs')).toEqual([{ call_id: running }]);
  expect(await examine(fresh.database)).toEqual([]);
});
