import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountWith } from '../../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { SEAL_AGAIN_BATCH } from '../../bounds.ts';
import { newSealer } from '../../kernel/encoding/seal.ts';
import { systemRandom } from '../../kernel/random.ts';
import { updateAccount } from './accounts.ts';
import { findVerification, sealClearDocuments, submitVerification } from './verifications.ts';

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

const sealer = newSealer(['0'.repeat(64)], systemRandom);
const FIELDS = { name: 'Ada 字', documentNumber: 'X1234567', contact: undefined };

async function newAccount(userType: number): Promise<number> {
  const accountId = await accountWith(fresh.database);
  await updateAccount(fresh.database, accountId, { userType });
  return accountId;
}

test('a verification is stored as submitted, and the last one of the account is found', async () => {
  const accountId = await newAccount(0);
  expect(await findVerification(fresh.database, accountId, sealer)).toBeUndefined();
  const first = await submitVerification(fresh.database, { accountId, kind: 'personal' }, FIELDS, sealer);
  expect(first).toMatchObject({
    kind: 'submitted',
    verification: { accountId, kind: 'personal', fields: FIELDS, status: 'pending', reason: undefined },
  });
  await fresh.database.query(
    `update verifications set status = 'refused', decided_at = now(), reason = 'no' where account_id = $1`,
    [accountId],
  );
  const fields = { ...FIELDS, contact: 'ada@example.com' };
  await submitVerification(fresh.database, { accountId, kind: 'enterprise' }, fields, sealer);
  expect(await findVerification(fresh.database, accountId, sealer)).toMatchObject({
    kind: 'enterprise',
    fields,
  });
});

test('one of many simultaneous submissions waits for its decision', async () => {
  const accountId = await newAccount(0);
  const submit = () => submitVerification(fresh.database, { accountId, kind: 'personal' }, FIELDS, sealer);
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
  const submitted = await submitVerification(fresh.database, { accountId, kind }, FIELDS, sealer);
  expect(submitted.kind).toBe(answer);
});

test('an account that does not exist cannot submit', async () => {
  const nobody = { accountId: 999_999, kind: 'personal' } as const;
  expect(await submitVerification(fresh.database, nobody, FIELDS, sealer)).toEqual({
    kind: 'unknown-account',
  });
});

const stored = async (accountId: number): Promise<string> => {
  const [row] = await fresh.database.query<{ row: string }>(
    'select to_jsonb(verifications)::text as row from verifications where account_id = $1',
    [accountId],
  );
  return row?.row ?? '';
};

test('the document number is stored sealed, for its row and owner only', async () => {
  const [one, other] = [await newAccount(0), await newAccount(0)];
  for (const [accountId, documentNumber] of [
    [one, 'FIRST-DOCUMENT'],
    [other, 'OTHER-DOCUMENT'],
  ] as const) {
    const wanted = { accountId, kind: 'personal' } as const;
    await submitVerification(fresh.database, wanted, { ...FIELDS, documentNumber }, sealer);
    expect(await stored(accountId)).toMatch(/"document_sealed": "s1\./);
    expect(await stored(accountId)).not.toContain('DOCUMENT');
  }
  // Moved to another row it does not open, and neither does it for another secret.
  await fresh.database.query(
    `update verifications set document_sealed =
       (select document_sealed from verifications where account_id = $1) where account_id = $2`,
    [one, other],
  );
  expect((await findVerification(fresh.database, other, sealer))?.fields.documentNumber).toBe('');
  const stranger = newSealer(['1'.repeat(64)], systemRandom);
  expect((await findVerification(fresh.database, one, stranger))?.fields.documentNumber).toBe('');
  const found = await findVerification(fresh.database, one, sealer);
  expect(found?.fields.documentNumber).toBe('FIRST-DOCUMENT');
});

test('plain numbers of an older version are sealed once', async () => {
  const accountId = await newAccount(0);
  const count = SEAL_AGAIN_BATCH + 5;
  await fresh.database.query(
    `insert into verifications (account_id, kind, fields, status, decided_at)
     select $1, 'personal', jsonb_build_object('name', 'Ada', 'document_number', 'CLEAR-' || turn, 'contact', null),
       'refused', now() from generate_series(1, $2) turn`,
    [accountId, count],
  );
  const sealed = await Promise.all([1, 2].map(() => sealClearDocuments(fresh.database, sealer)));
  expect(sealed.reduce((sum, each) => sum + each)).toBe(count);
  expect(await sealClearDocuments(fresh.database, sealer)).toBe(0);
  expect(await stored(accountId)).not.toContain('CLEAR');
  expect(await findVerification(fresh.database, accountId, sealer)).toMatchObject({
    fields: { name: 'Ada', documentNumber: `CLEAR-${count}`, contact: undefined },
  });
});
