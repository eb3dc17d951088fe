import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { postOpening } from '../ledger/movement.ts';
import { type AccountSort, listAccounts } from './account-list.ts';
import { createAccount, type NewAccount } from './accounts.ts';

const ACCOUNT: Omit<NewAccount, 'email'> = {
  passwordHash: 'hash',
  status: 'enabled',
  role: 'user',
  userType: 1,
  userRateMicro: 100_000_000n,
  apiBilling: true,
  autoExchange: false,
  extraApiQuotaMicro: 0n,
  preference: { fallbackModel: null, byokFallback: false },
};

let fresh: FreshDatabase;

beforeAll(async () => {
  fresh = await freshDatabase();
  for (const email of ['anna@one.example', 'bert@two.example', '100%_of@one.example']) {
    const created = await createAccount(fresh.database, { ...ACCOUNT, email });
    if (created.kind !== 'created') throw new Error(created.kind);
    const opening = { accountId: created.accountId, balanceMicro: 7n, creditsMicro: 9n, ref: 'test' };
    await fresh.database.transaction((transaction) => postOpening(transaction, opening));
  }
});
afterAll(() => fresh.drop());

const NEWEST = { month: '2026-11', sort: 'created_at', order: 'desc' } as const;

async function found(emailPart: string, offset = 0, limit = 10) {
  const { items, total } = await listAccounts(fresh.database, { ...NEWEST, emailPart, offset, limit });
  return [total, items.map(({ email }) => email.split('@')[0])];
}

it('accounts are found by any part of their address, newest first', async () => {
  expect(await found('')).toEqual([3, ['100%_of', 'bert', 'anna']]);
  expect(await found('@one.')).toEqual([2, ['100%_of', 'anna']]);
  expect(await found('nobody')).toEqual([0, []]);
});

it('a searched text matches literally, without meaning in SQL', async () => {
  for (const text of ['%', '_', "' or 1=1 --"]) {
    expect(await found(text)).toEqual(text.length === 1 ? [1, ['100%_of']] : [0, []]);
  }
});

it('a page is a part of the result', async () => {
  expect(await found('one', 1, 1)).toEqual([2, ['anna']]);
  expect(await found('one', 2, 1)).toEqual([2, []]);
});

it('an account is listed with its money', async () => {
  const { items } = await listAccounts(fresh.database, {
    ...{ ...NEWEST, emailPart: 'bert', offset: 0, limit: 1 },
  });
  expect(items).toMatchObject([
    {
      email: 'bert@two.example',
      status: 'enabled',
      role: 'user',
      userType: 1,
      balanceMicro: 7n,
      creditsMicro: 9n,
    },
  ]);
});

it('accounts are in the order of their money or their last use, and equal ones newest first', async () => {
  const { database } = fresh;
  const idOf = `(select id from accounts where email like $1 || '@%')`;
  await database.query(`update accounts set month = '2026-11', month_spent_micro = 5 where id = ${idOf}`, [
    'bert',
  ]);
  await database.query(`update accounts set month = '2026-10', month_spent_micro = 9 where id = ${idOf}`, [
    'anna',
  ]);
  await database.query(
    `insert into api_keys (account_id, name, key_hash, prefix, last_used_at, status)
     values (${idOf}, 'key', 'hash', 'tg-', '2026-11-10', 'enabled'), (${idOf}, 'new', 'other', 'tg-', null, 'enabled')`,
    ['anna'],
  );
  await database.query(
    `insert into sessions (id, account_id, kind, secret_hash, created_at, used_at, expires_at, address, user_agent)
     values ('one', ${idOf}, 'cookie', '', '2026-11-01', '2026-11-12', '2026-12-01', '', '')`,
    ['bert'],
  );
  const by = async (sort: AccountSort, order: 'asc' | 'desc', page = { offset: 0, limit: 10 }) => {
    const { items } = await listAccounts(database, { emailPart: '', month: '2026-11', sort, order, ...page });
    return items.map(({ email }) => email.split('@')[0]);
  };
  expect(await by('month_spent', 'desc')).toEqual(['bert', '100%_of', 'anna']);
  expect(await by('month_spent', 'asc')).toEqual(['100%_of', 'anna', 'bert']);
  expect(await by('last_seen_at', 'desc')).toEqual(['bert', 'anna', '100%_of']);
  expect(await by('last_seen_at', 'asc')).toEqual(['100%_of', 'anna', 'bert']);
  expect(await by('last_seen_at', 'desc', { offset: 1, limit: 1 })).toEqual(['anna']);
  expect(await by('created_at', 'asc')).toEqual(['anna', 'bert', '100%_of']);
  expect(await by('balance', 'desc')).toEqual(['100%_of', 'bert', 'anna']);
  const { items } = await listAccounts(database, { ...NEWEST, emailPart: 'example', offset: 0, limit: 10 });
  expect(items.map(({ monthSpentMicro, lastSeenAtMs }) => [monthSpentMicro, lastSeenAtMs])).toEqual([
    [0n, undefined],
    [5n, Date.UTC(2026, 10, 12)],
    [0n, Date.UTC(2026, 10, 10)],
  ]);
});
