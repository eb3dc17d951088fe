import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RememberedWindow } from '../../src/gate/contract.ts';
import { createCalendar } from '../../src/kernel/calendar.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import { type Random, seededRandom } from '../../src/kernel/random.ts';
import { NO_USAGE } from '../../src/kernel/usage.ts';
import type { CallRecord } from '../../src/ledger/contract.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { examine } from '../../src/store/doctor.ts';
import { createLedgerStore } from '../../src/store/ledger.ts';
import { loadWindows } from '../../src/store/windows.ts';
import { accountWith, CREDITS_PER_YUAN, callOf, NOVEMBER } from '../support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';

const SEED = 20_261_115;
const CALLS = 4_000;
const ATTEMPTS = 20_000;
const SETTLERS = 4;
const ACCOUNTS = 25;
const OPENING_MICRO = 1_000_000_000_000n;

/** One that counts every call: the row that all settlers write. */
const WINDOW: RememberedWindow = {
  scope: 'key:1',
  dimension: 'requests',
  seconds: 86_400,
  startedAtMs: NOVEMBER,
  used: 1n,
};

let fresh: FreshDatabase;
let connections: readonly Database[];

beforeAll(async () => {
  fresh = await freshDatabase();
  const open = () => openDatabase({ connection: fresh.connection, log: silentLogger, connectionsMax: 1 });
  connections = await Promise.all(Array.from({ length: SETTLERS }, open));
});

afterAll(async () => {
  await Promise.all(connections.map((each) => each.close()));
  await fresh.drop();
});

test(`${ATTEMPTS} attempts to settle ${CALLS} calls, over ${SETTLERS} connections, charge each exactly once (seed ${SEED})`, async () => {
  const random = seededRandom(SEED);
  const accountIds: number[] = [];
  for (let count = 0; count < ACCOUNTS; count++) {
    accountIds.push(await accountWith(fresh.database, { creditsMicro: OPENING_MICRO }));
  }
  const calls = Array.from({ length: CALLS }, () => randomCall(random, accountIds));
  const attempts = shuffle(repeat(calls, random), random);
  expect(attempts).toHaveLength(ATTEMPTS);

  await Promise.all(connections.map((database, index) => settleShare(database, attempts, index)));

  const expected = new Map(accountIds.map((id) => [BigInt(id), OPENING_MICRO]));
  for (const { accountId, chargeMicro } of calls) {
    expected.set(BigInt(accountId), (expected.get(BigInt(accountId)) ?? 0n) - chargeMicro);
  }
  const accounts = await fresh.database.query<{ id: bigint; credits_micro: bigint }>(
    'select id, credits_micro from accounts',
  );
  expect(new Map(accounts.map((row) => [row.id, row.credits_micro]))).toEqual(expected);
  const charged = calls.filter((call) => call.chargeMicro > 0n).length;
  expect(await count('calls')).toBe(CALLS);
  expect(await count('consumptions')).toBe(CALLS);
  expect(await count('consumptions where credits_micro > 0')).toBe(charged);
  expect(await count(`ledger_entries where kind = 'consumption' and account_id is not null`)).toBe(charged);
  expect(await loadWindows(fresh.database, NOVEMBER)).toEqual([{ ...WINDOW, used: BigInt(CALLS) }]);
  expect(await examine(fresh.database)).toEqual([]);
});

async function settleShare(
  database: Database,
  attempts: readonly CallRecord[],
  index: number,
): Promise<void> {
  const calendar = createCalendar('UTC');
  const ledger = createLedgerStore({ database, creditsPerYuan: CREDITS_PER_YUAN, calendar });
  const own = attempts.filter((_, at) => at % SETTLERS === index);
  for (let start = 0; start < own.length; start += 250) await ledger.settle(own.slice(start, start + 250));
}

function randomCall(random: Random, accountIds: readonly number[]): CallRecord {
  const accountId = accountIds[Math.floor(random.unit() * accountIds.length)] ?? 0;
  const usage = { ...NO_USAGE, inputFresh: Math.floor(random.unit() * 5_000) };
  // Over two months, so that partitions are made on the way.
  const createdAtMs = NOVEMBER + Math.floor(random.unit() * 30 * 86_400_000);
  const call = callOf({ accountId, usage, createdAtMs, windows: [WINDOW] });
  if (call.chargeMicro > 0n) return call;
  return { ...call, freeReason: call.amountMicro > 0n ? 'below-one-credit' : 'nothing-produced' };
}

/** Every call 1 to 9 times, ATTEMPTS in all. */
function repeat(calls: readonly CallRecord[], random: Random): CallRecord[] {
  const times = calls.map(() => 1);
  for (let left = ATTEMPTS - CALLS; left > 0; ) {
    const at = Math.floor(random.unit() * CALLS);
    if ((times[at] ?? 9) >= 9) continue;
    times[at] = (times[at] ?? 0) + 1;
    left--;
  }
  return calls.flatMap((call, at) => Array.from({ length: times[at] ?? 1 }, () => call));
}

function shuffle<T>(items: T[], random: Random): T[] {
  for (let at = items.length - 1; at > 0; at--) {
    const other = Math.floor(random.unit() * (at + 1));
    [items[at], items[other]] = [items[other] as T, items[at] as T];
  }
  return items;
}

async function count(what: string): Promise<number> {
  const [row] = await fresh.database.query<{ count: bigint }>(`select count(*) from ${what}`);
  return Number(row?.count);
}
