import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountWith } from '../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../test/support/postgres.ts';
import { updateAccount } from './accounts.ts';
import { findVerification, submitVerification } from './verifications.ts';

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

const FIELDS = { name: 'Ada 字', documentNumber: 'X1234567', contact: undefined };

async function newAccount(userType: number): Promise<number> {
  const accountId = await accountWith(fresh.database);
  await updateAccount(fresh.database, accountId, { userType });
  return accountId;
}

test('one is kept as it was submitted, and the last one of the account is found', async () => {
  const accountId = await newAccount(0);
  expect(await findVerification(fresh.database, accountId)).toBeUndefined();
  const first = await submitVerification(fresh.database, { accountId, kind: 'personal' }, FIELDS);
  expect(first).toMatchObject({
    kind: 'submitted',
    verification: { accountId, kind: 'personal', fields: FIELDS, status: 'pending', reason: undefined },
  });
  await fresh.database.query(
    `update verifications set status = 'refused', decided_at = now(), reason = 'no' where account_id = $1`,
    [accountId],
  );
  const fields = { ...FIELDS, contact: 'ada@example.com' };
  await submitVerification(fresh.database, { accountId, kind: 'enterprise' }, fields);
  expect(await findVerification(fresh.database, accountId)).toMatchObject({ kind: 'enterprise', fields });
});

test('of many at once one waits for its decision', async () => {
  const accountId = await newAccount(0);
  const submit = () => submitVerification(fresh.database, { accountId, kind: 'personal' }, FIELDS);
  const kinds = (await Promise.all(Array.from({ length: 10 }, submit))).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'submitted')).toHaveLength(1);
  expect(kinds.filter((kind) => kind === 'pending')).toHaveLength(9);
});

test.each([
  [0, 'personal', 'submitted'],
  [1, 'personal', 'verified'],
  [1, 'enterprise', 'submitted'],
  [2, 'personal', 'verified'],
  [2, 'enterprise', 'verified'],
] as const)('at level %i the answer to a %s one is %s', async (userType, kind, answer) => {
  const accountId = await newAccount(userType);
  const submitted = await submitVerification(fresh.database, { accountId, kind }, FIELDS);
  expect(submitted.kind).toBe(answer);
});

test('an account that does not exist submits nothing', async () => {
  const nobody = { accountId: 999_999, kind: 'personal' } as const;
  expect(await submitVerification(fresh.database, nobody, FIELDS)).toEqual({ kind: 'unknown-account' });
});
