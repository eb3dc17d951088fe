import { afterEach, beforeEach, expect, it } from 'vitest';
import { accountWith } from '../../test/support/calls.ts';
import { CATALOG_TEXT, catalogDocument } from '../../test/support/catalog.ts';
import { type FreshDatabase, freshDatabase } from '../../test/support/postgres.ts';
import { SEAL_AGAIN_BATCH } from '../bounds.ts';
import { newSealer, opensCheckValue, type Sealer } from '../kernel/encoding/seal.ts';
import { silentLogger } from '../kernel/log.ts';
import { systemRandom } from '../kernel/random.ts';
import { updateAccount } from './accounts/accounts.ts';
import { findVerification, submitVerification } from './accounts/verifications.ts';
import { readCatalog } from './catalog/read.ts';
import { insertCredential, writeVendor } from './catalog/write.ts';
import { findCheckValue, isRightSecret, sealAgain } from './sealing.ts';

const OLD = 'an old secret of more than thirty-two bytes';
const NEW = 'a new secret of more than thirty-two bytes!';
const createSealer = (...secrets: string[]): Sealer => newSealer(secrets, systemRandom);

let fresh: FreshDatabase;
beforeEach(async () => {
  fresh = await freshDatabase();
});
afterEach(() => fresh.drop());

it('the first start determines the master secret', async () => {
  expect(await isRightSecret(fresh.database, createSealer(OLD))).toBe(true);
  expect(await isRightSecret(fresh.database, createSealer(OLD))).toBe(true);
  expect(await isRightSecret(fresh.database, createSealer(NEW))).toBe(false);
  expect(await isRightSecret(fresh.database, createSealer(NEW, OLD))).toBe(true);
});

it('everything opens with the new secret alone after a rotation, and a second run does nothing', async () => {
  const old = createSealer(OLD);
  const count = SEAL_AGAIN_BATCH + 20;
  const { vendors, credentials } = catalogDocument(CATALOG_TEXT);
  const [entry] = credentials;
  if (entry === undefined) throw new Error('the fixture has a credential');
  await isRightSecret(fresh.database, old);
  await fresh.database.transaction(async (transaction) => {
    for (const vendor of vendors) await writeVendor(transaction, vendor);
    for (let index = 0; index < count; index++) {
      const credential = { ...entry, name: `n${index}`, secret: `sk-${index}`, ownerAccountId: undefined };
      await insertCredential(transaction, credential, old);
    }
  });
  const accountId = await accountWith(fresh.database);
  await updateAccount(fresh.database, accountId, { userType: 0 });
  const fields = { name: 'Ada', documentNumber: 'X1234567', contact: undefined };
  await submitVerification(fresh.database, { accountId, kind: 'personal' }, fields, old);
  const both = createSealer(NEW, OLD);
  const again = () => fresh.database.transaction((transaction) => sealAgain(transaction, both));
  expect(await again()).toEqual({ sealed: count + 1, unreadable: 0, conversations: 0 });
  expect(await again()).toEqual({ sealed: 0, unreadable: 0, conversations: 0 });
  const check = await findCheckValue(fresh.database);
  expect(opensCheckValue(createSealer(NEW), check ?? '')).toBe(true);
  const fromNow = createSealer(NEW);
  expect(await isRightSecret(fresh.database, fromNow)).toBe(true);
  expect(await isRightSecret(fresh.database, old)).toBe(false);
  expect(await findVerification(fresh.database, accountId, fromNow)).toMatchObject({ fields });
  const stored = await readCatalog(fresh.database, { sealer: fromNow, log: silentLogger });
  expect(stored.credentials.size).toBe(count);
  for (const credential of stored.credentials.values()) {
    expect(credential.secret).toBe(`sk-${credential.name.slice(1)}`);
  }
});
