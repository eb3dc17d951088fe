import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountWith } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { silentLogger } from '../../kernel/log.ts';
import { announceAndWait, followChanges } from '../changes.ts';
import { openDatabase } from '../database.ts';
import { examine } from '../operations/doctor.ts';
import { type Movement, postExchange, postMovement } from './movement.ts';

let fresh: FreshDatabase;

beforeAll(async () => {
  fresh = await freshDatabase();
});

afterAll(() => fresh.drop());

const post = (movement: Movement) =>
  fresh.database.transaction((transaction) => postMovement(transaction, movement));

test('a top-up adds to its pool, is one entry, and notifies running servers', async () => {
  const heard: unknown[] = [];
  const follower = { onChange: (change: unknown) => void heard.push(change), onMissed: () => {} };
  const server = await openDatabase({ connection: fresh.connection, log: silentLogger });
  await followChanges(server, follower, silentLogger);
  const accountId = await accountWith(fresh.database);
  const result = await post({
    accountId,
    kind: 'top_up',
    pool: 'balance',
    changeMicro: 12_500_000n,
    ref: 'order 7',
  });
  expect(result).toEqual({
    kind: 'posted',
    funds: { version: 1, creditsMicro: 0n, balanceMicro: 12_500_000n, monthSpentMicro: 0n, month: '' },
  });
  expect(await announceAndWait(fresh.database, 60_000)).toBe('in-force');
  expect(heard).toEqual([{ kind: 'account', accountId, version: 2 }]);
  await server.close();
  const entries = await fresh.database.query(
    'select kind, pool, change_micro, after_micro, ref, call_at from ledger_entries where account_id = $1',
    [accountId],
  );
  expect(entries).toEqual([
    {
      kind: 'top_up',
      pool: 'balance',
      change_micro: 12_500_000n,
      after_micro: 12_500_000n,
      ref: 'order 7',
      call_at: null,
    },
  ]);
});

test('an adjustment takes away at most what is there, and only an adjustment takes away', async () => {
  const accountId = await accountWith(fresh.database, { creditsMicro: 100n });
  const taken = { accountId, kind: 'adjustment', pool: 'credits', ref: 'mistake' } as const;
  expect(await post({ ...taken, changeMicro: -101n })).toEqual({ kind: 'insufficient' });
  expect(await post({ ...taken, changeMicro: -100n })).toMatchObject({
    funds: { creditsMicro: 0n, version: 2 },
  });
  await expect(post({ ...taken, kind: 'grant', changeMicro: -1n })).rejects.toThrow(
    'only an adjustment takes away',
  );
});

test('an exchange moves balance into Credits at the rate, and at most the balance', async () => {
  const accountId = await accountWith(fresh.database, { balanceMicro: 2_000_000n });
  const exchange = (amountMicro: bigint) =>
    fresh.database.transaction((transaction) =>
      postExchange(transaction, { accountId, amountMicro, creditsPerYuan: 1000, ref: 'asked for' }),
    );
  expect(await exchange(2_000_001n)).toEqual({ kind: 'insufficient' });
  expect(await exchange(1_500_000n)).toMatchObject({
    funds: { balanceMicro: 500_000n, creditsMicro: 1_500_000_000n },
  });
});

test('a hundred simultaneous movements of one account are all kept', async () => {
  const accountId = await accountWith(fresh.database);
  const one = { accountId, kind: 'top_up', pool: 'credits', changeMicro: 3n, ref: 'race' } as const;
  const results = await Promise.all(Array.from({ length: 100 }, () => post(one)));
  const highest = results.map((result) => (result.kind === 'posted' ? result.funds.creditsMicro : 0n)).sort();
  expect(new Set(highest).size).toBe(100);
  expect(await post(one)).toMatchObject({ funds: { creditsMicro: 303n, version: 101 } });
  expect(await examine(fresh.database)).toEqual([]);
});
