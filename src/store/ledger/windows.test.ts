import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf, NOVEMBER } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import type { RememberedWindow } from '../../gate/contract.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import type { LedgerStore } from '../../ledger/contract.ts';
import { createLedgerStore } from './ledger.ts';
import { loadWindows, pruneWindows } from './windows.ts';

let fresh: FreshDatabase;
let ledger: LedgerStore;
let accountId: number;

beforeAll(async () => {
  fresh = await freshDatabase();
  ledger = createLedgerStore({
    database: fresh.database,
    creditsPerYuan: CREDITS_PER_YUAN,
    calendar: createCalendar('UTC'),
  });
  accountId = await accountWith(fresh.database, { creditsMicro: 10n ** 12n });
});

beforeEach(() => fresh.database.query('delete from gate_windows'));
afterAll(() => fresh.drop());

const createWindow = (parts: Partial<RememberedWindow> = {}): RememberedWindow => ({
  scope: 'key:7',
  dimension: 'requests',
  seconds: 60,
  startedAtMs: NOVEMBER,
  used: 1n,
  ...parts,
});

const settleWith = (...windows: RememberedWindow[]) => ledger.settle([callOf({ accountId, windows })]);

describe('the windows of settled calls', () => {
  test('add up, within a batch and over batches, for each dimension, length and scope', async () => {
    const tokens = createWindow({ dimension: 'tokens', seconds: 3_600, used: 150n });
    const other = createWindow({ scope: 'account:3', used: 9n });
    const calls = [
      callOf({ accountId, windows: [createWindow(), tokens] }),
      callOf({ accountId, windows: [createWindow()] }),
    ];
    await ledger.settle(calls);
    await settleWith(createWindow(), tokens, other);
    const loaded = await loadWindows(fresh.database, NOVEMBER);
    expect(new Set(loaded)).toEqual(new Set([createWindow({ used: 3n }), { ...tokens, used: 300n }, other]));
  });

  test('count a call once, however often it is settled', async () => {
    const call = callOf({ accountId, windows: [createWindow()] });
    await ledger.settle([call, call]);
    await ledger.settle([call]);
    expect(await loadWindows(fresh.database, NOVEMBER)).toEqual([createWindow()]);
  });

  test('of a newer window replace the older one, and a late call of the older one changes nothing', async () => {
    const newer = createWindow({ startedAtMs: NOVEMBER + 61_000, used: 5n });
    await settleWith(createWindow({ used: 40n }));
    await settleWith(newer);
    await settleWith(createWindow({ used: 2n }));
    expect(await loadWindows(fresh.database, NOVEMBER)).toEqual([newer]);
    const newest = createWindow({ startedAtMs: NOVEMBER + 122_000, used: 1n });
    await ledger.settle([
      callOf({ accountId, windows: [newest] }),
      callOf({ accountId, windows: [newer] }),
      callOf({ accountId, windows: [newest] }),
    ]);
    expect(await loadWindows(fresh.database, NOVEMBER)).toEqual([{ ...newest, used: 2n }]);
  });

  test('are loaded while they run and not a millisecond longer', async () => {
    await settleWith(createWindow());
    expect(await loadWindows(fresh.database, NOVEMBER + 59_999)).toHaveLength(1);
    expect(await loadWindows(fresh.database, NOVEMBER + 60_000)).toEqual([]);
  });

  test('are deleted after their end, and only then', async () => {
    await settleWith(createWindow(), createWindow({ seconds: 3_600 }));
    expect(await pruneWindows(fresh.database, NOVEMBER + 59_999)).toBe(0);
    expect(await pruneWindows(fresh.database, NOVEMBER + 60_000)).toBe(1);
    expect(await fresh.database.query('select seconds from gate_windows')).toEqual([{ seconds: 3_600n }]);
  });

  test('of simultaneous settlers are all counted', async () => {
    const scopes = Array.from({ length: 20 }, (_, index) => createWindow({ scope: `key:${index}` }));
    const rounds = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? scopes : scopes.toReversed()));
    await Promise.all(rounds.map((windows) => settleWith(...windows)));
    const loaded = await loadWindows(fresh.database, NOVEMBER);
    expect(loaded.map((window) => window.used)).toEqual(scopes.map(() => 12n));
  });
});
