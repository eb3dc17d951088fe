import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../src/kernel/random.ts';
import { loadWindows } from '../../src/store/ledger/windows.ts';
import { examine } from '../../src/store/operations/doctor.ts';
import { accountWith, NOVEMBER } from '../support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { startProgram } from '../support/processes.ts';
import { SEED } from '../support/property-runs.ts';
import { type Racer, racer, windowsOf, writeJournal } from './settle-race-calls.ts';

/** `npm run prove` asks for forty times as many. */
const CHARGES = Number(process.env.TEST_SETTLE_CALLS ?? 5_000);
const FREE = CHARGES / 20;
const CALLS = CHARGES + FREE;
const ATTEMPTS = CHARGES * 5;
const PROCESSES = 4;
/** Each recovers the whole journal; the rest of the attempts is picked at random. */
const PICKS = Math.ceil((ATTEMPTS - CALLS * PROCESSES) / PROCESSES);
const ACCOUNTS = 25;
const OPENING_MICRO = 1_000_000_000_000_000n;
const PATIENCE_MS = 300_000 + CHARGES * 10;

let fresh: FreshDatabase;
let folder: string;

beforeAll(async () => {
  fresh = await freshDatabase();
  folder = await mkdtemp(join(tmpdir(), 'tollgate-settle-'));
});

afterAll(async () => {
  await fresh?.drop();
  await rm(folder, { recursive: true, force: true });
});

test(
  `${ATTEMPTS} attempts of ${PROCESSES} processes to settle ${CHARGES} charges, with replays of whole journals, charge each exactly once (seed ${SEED})`,
  async () => {
    const accountIds: number[] = [];
    for (let count = 0; count < ACCOUNTS; count++) {
      accountIds.push(await accountWith(fresh.database, { creditsMicro: OPENING_MICRO }));
    }
    const racers = racersOf(accountIds);
    await writeJournal(join(folder, 'journal'), racers);
    const startedAt = performance.now();
    const attempts = await settleByProcesses();
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(attempts).toBeGreaterThanOrEqual(ATTEMPTS);
    await expectChargedOnce(racers, accountIds);
    const size = `${attempts} attempts of ${CHARGES} charges, ${PROCESSES} processes`;
    const result = `${await count('consumptions where credits_micro > 0')} charges, ${seconds.toFixed(1)} s`;
    console.log(`proof | exactly once | ${size} | ${result}`);
  },
  PATIENCE_MS,
);

/** One in twenty charges is of a call that the journal does not know the end of. */
function racersOf(accountIds: readonly number[]): readonly Racer[] {
  const random = seededRandom(SEED);
  return Array.from({ length: CALLS }, (_, index) => {
    const accountId = accountIds[Math.floor(random.unit() * accountIds.length)] ?? 0;
    const kind = index < FREE ? 'free' : index < FREE * 2 ? 'interrupted' : 'charged';
    return racer(random, accountId, kind);
  }).sort((one, other) => (one.call.callId < other.call.callId ? -1 : 1));
}

async function settleByProcesses(): Promise<number> {
  const parties = await Promise.all(
    Array.from({ length: PROCESSES }, async (_, index) => {
      const copy = join(folder, `copy-${index}`);
      await cp(join(folder, 'journal'), copy, { recursive: true });
      const args = [fresh.connection, copy, SEED + index, PICKS].map(String);
      return startProgram(['test/store/settle-race-party.ts', ...args]);
    }),
  );
  const exits = await Promise.all(parties.map(({ exited }) => exited));
  expect(exits.map(({ code }, index) => [code, parties[index]?.stderr()])).toEqual(exits.map(() => [0, '']));
  const told = parties.map((party) => JSON.parse(party.stdout()) as Record<string, number>);
  for (const one of told) {
    expect(one).toMatchObject({ ended: CALLS - FREE, cut: FREE, rejected: 0, skipped: 0 });
  }
  return told.reduce((sum, one) => sum + (one.attempts ?? 0), 0);
}

async function expectChargedOnce(racers: readonly Racer[], accountIds: readonly number[]): Promise<void> {
  const expected = new Map(accountIds.map((id) => [BigInt(id), OPENING_MICRO]));
  for (const { call, charge } of racers) {
    const id = BigInt(call.accountId);
    expected.set(id, (expected.get(id) ?? 0n) - charge);
  }
  const accounts = await fresh.database.query<{ id: bigint; credits_micro: bigint }>(
    'select id, credits_micro from accounts',
  );
  expect(new Map(accounts.map((row) => [row.id, row.credits_micro]))).toEqual(expected);
  expect(await count('calls')).toBe(CALLS);
  expect(await count('consumptions')).toBe(CALLS);
  expect(await count('consumptions where credits_micro > 0')).toBe(CHARGES);
  expect(await count(`ledger_entries where kind = 'consumption' and account_id is not null`)).toBe(CHARGES);
  const amount = racers.reduce((sum, one) => sum + one.amount, 0n);
  const credits = racers.reduce((sum, one) => sum + one.charge, 0n);
  const sums = { calls: BigInt(CALLS), amount, credits };
  for (const table of ['usage_hourly', 'model_hourly']) expect(await sumsOf(table)).toEqual(sums);
  const byScope = (one: { scope: string }, other: { scope: string }) => (one.scope < other.scope ? -1 : 1);
  expect((await loadWindows(fresh.database, NOVEMBER)).toSorted(byScope)).toEqual(
    windowsOf(racers).toSorted(byScope),
  );
  expect(await examine(fresh.database)).toEqual([]);
}

async function sumsOf(table: string): Promise<unknown> {
  const [row] = await fresh.database.query(
    `select sum(calls)::bigint as calls, sum(amount_micro)::bigint as amount,
       sum(credits_micro)::bigint as credits from ${table}`,
  );
  return row;
}

async function count(what: string): Promise<number> {
  const [row] = await fresh.database.query<{ count: bigint }>(`select count(*) from ${what}`);
  return Number(row?.count);
}
