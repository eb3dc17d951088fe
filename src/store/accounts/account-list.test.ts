import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { postOpening } from '../ledger/movement.ts';
import { listAccounts } from './account-list.ts';
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

async function found(emailPart: string, offset = 0, limit = 10) {
  const { items, total } = await listAccounts(fresh.database, { emailPart, offset, limit });
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
  const { items } = await listAccounts(fresh.database, { emailPart: 'bert', offset: 0, limit: 1 });
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
