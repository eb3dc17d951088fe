import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CATALOG_TEXT, catalogDocument } from '../../../test/support/catalog.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { BYOK_PER_ACCOUNT_MAX, SECRET_LENGTH_MAX } from '../../bounds.ts';
import { newSealer } from '../../kernel/encoding/seal.ts';
import { silentLogger } from '../../kernel/log.ts';
import { systemRandom } from '../../kernel/random.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import { applyCatalog } from '../catalog/catalog.ts';
import { findAccount, findLogin } from './accounts.ts';
import {
  addByok,
  type ByokPatch,
  deleteByok,
  isUsableSecret,
  listByok,
  type NewByok,
  updateByok,
} from './byok.ts';

const sealer = newSealer(['the secret of this test, long enough'], systemRandom);
const byokContext = { sealer, ownHosts: new Set(['10.0.0.7:8081']) };
const unsealing = { sealer, log: silentLogger };
const SECRET = 'sk-mine-and-mine-only';

let fresh: FreshDatabase;
let accountId: number;
let strangerId: number;

async function idOf(email: string): Promise<number> {
  const login = await findLogin(fresh.database, email);
  if (login === undefined) throw new Error(email);
  return login.accountId;
}

beforeEach(async () => {
  fresh = await freshDatabase();
  const hashPassword = (): Promise<string> => Promise.resolve('hash');
  const options = { ...unsealing, clock: systemClock, hashPassword };
  await applyCatalog(fresh.database, catalogDocument(CATALOG_TEXT), options);
  accountId = await idOf('user@example.com');
  strangerId = await idOf('operator@example.com');
});
afterEach(() => fresh.drop());

const host = (change: Partial<NewByok> = {}) =>
  addByok(
    fresh.database,
    { accountId, vendorCode: 'openai', name: 'mine', secret: SECRET, baseUrl: undefined, ...change },
    byokContext,
  );

async function byok(change: Partial<NewByok> = {}): Promise<number> {
  const made = await host(change);
  if (made.kind !== 'added') throw new Error(made.kind);
  return made.credentialId;
}

const update = (credentialId: number, patch: ByokPatch, owner = accountId) =>
  updateByok(fresh.database, { accountId: owner, credentialId }, patch, byokContext);

const allowAddresses = () => fresh.database.query('update vendors set custom_base_url = true');
const snapshotOf = (id: number) => findAccount(fresh.database, id, unsealing);

describe('a BYOK credential', () => {
  it('is loaded with its owner, opened, and with no other account', async () => {
    const credentialId = await byok();
    expect((await snapshotOf(accountId))?.byok).toMatchObject([
      { id: credentialId, vendorCode: 'openai', secret: SECRET, ownerAccountId: accountId },
    ]);
    expect((await snapshotOf(strangerId))?.byok).toEqual([]);
    expect(await listByok(fresh.database, strangerId)).toEqual([]);
  });

  it('is listed with the last four characters of its secret, and stored sealed', async () => {
    await byok();
    const shown = await listByok(fresh.database, accountId);
    expect(shown).toMatchObject([{ name: 'mine', hint: 'only', baseUrl: undefined, status: 'enabled' }]);
    const rows = await fresh.database.query('select * from credentials');
    const text = JSON.stringify([shown, rows], (_key, value) =>
      typeof value === 'bigint' ? `${value}` : value,
    );
    expect(text).not.toContain('mine-and');
  });

  it('does not open for another account', async () => {
    const credentialId = await byok();
    await fresh.database.query('update credentials set owner_account_id = $1 where id = $2', [
      strangerId,
      credentialId,
    ]);
    expect((await snapshotOf(strangerId))?.byok).toMatchObject([{ secret: '', status: 'disabled' }]);
  });

  it('is accepted where the vendor allows it, under a free name', async () => {
    expect(await host({ vendorCode: 'google' })).toEqual({ kind: 'vendor-closed' });
    expect(await host({ vendorCode: 'nobody' })).toEqual({ kind: 'vendor-closed' });
    expect(await host({ accountId: 999 })).toEqual({ kind: 'unknown-account' });
    await byok();
    expect(await host()).toEqual({ kind: 'name-taken' });
    expect(await host({ accountId: strangerId })).toMatchObject({ kind: 'added' });
  });

  it('has an address of its own only where the vendor allows it, and only a safe one', async () => {
    const baseUrl = 'https://mine.example/v1/';
    expect(await host({ baseUrl })).toEqual({ kind: 'address-closed' });
    await allowAddresses();
    expect(await host({ baseUrl: 'https://169.254.169.254' })).toEqual({
      kind: 'bad-address',
      why: 'must lead to the public network',
    });
    expect(await host({ baseUrl: 'https://mine.example?x=1' })).toMatchObject({ kind: 'bad-address' });
    await byok({ baseUrl });
    await byok({ name: 'second', baseUrl: 'http://10.0.0.7:8081' });
    const shown = await listByok(fresh.database, accountId);
    expect(shown.map((each) => each.baseUrl)).toEqual(['https://mine.example/v1', 'http://10.0.0.7:8081']);
  });

  it('takes a new name, secret and status, and keeps the other fields', async () => {
    const id = await byok();
    expect(await update(id, { name: 'renamed' })).toEqual({ kind: 'updated' });
    expect(await update(id, { secret: 'sk-newer-than-the-last' })).toEqual({ kind: 'updated' });
    expect((await snapshotOf(accountId))?.byok).toMatchObject([
      { name: 'renamed', secret: 'sk-newer-than-the-last', status: 'enabled', baseUrl: undefined },
    ]);
    expect(await listByok(fresh.database, accountId)).toMatchObject([{ hint: 'last' }]);
    expect(await update(id, { status: 'disabled' })).toEqual({ kind: 'updated' });
    expect((await snapshotOf(accountId))?.byok).toMatchObject([
      { name: 'renamed', secret: 'sk-newer-than-the-last', status: 'disabled' },
    ]);
    await byok({ name: 'second' });
    expect(await update(id, { name: 'second' })).toEqual({ kind: 'name-taken' });
  });

  it('gets a new address only together with its secret', async () => {
    await allowAddresses();
    const id = await byok({ baseUrl: 'https://mine.example' });
    expect(await update(id, { baseUrl: 'https://thief.example' })).toEqual({ kind: 'secret-required' });
    expect(await update(id, { baseUrl: null })).toEqual({ kind: 'secret-required' });
    // The same address said again moves nothing.
    expect(await update(id, { baseUrl: 'https://mine.example/', name: 'n' })).toEqual({ kind: 'updated' });
    expect(await update(id, { baseUrl: 'http://127.0.0.1', secret: SECRET })).toMatchObject({
      kind: 'bad-address',
    });
    const moved = { baseUrl: 'https://other.example', secret: SECRET };
    expect(await update(id, moved)).toEqual({ kind: 'updated' });
    expect(await listByok(fresh.database, accountId)).toMatchObject([{ baseUrl: 'https://other.example' }]);
    expect(await update(id, { baseUrl: null, secret: SECRET })).toEqual({ kind: 'updated' });
    expect(await listByok(fresh.database, accountId)).toMatchObject([{ baseUrl: undefined }]);
  });

  it('of a vendor that no longer allows it can be disabled and renamed, not enabled', async () => {
    await allowAddresses();
    const id = await byok({ baseUrl: 'https://mine.example' });
    await fresh.database.query('update vendors set custom_base_url = false');
    expect(await update(id, { secret: SECRET })).toEqual({ kind: 'address-closed' });
    await fresh.database.query('update vendors set byok = false');
    expect(await update(id, { secret: SECRET })).toEqual({ kind: 'vendor-closed' });
    expect(await update(id, { status: 'disabled', name: 'old' })).toEqual({ kind: 'updated' });
    expect(await update(id, { status: 'enabled' })).toEqual({ kind: 'vendor-closed' });
    expect(await listByok(fresh.database, accountId)).toMatchObject([{ name: 'old', status: 'disabled' }]);
  });

  it('is changed and deleted by its owner only, and gives the account a new version', async () => {
    const id = await byok();
    expect(await update(id, { secret: 'sk-stolen' }, strangerId)).toEqual({ kind: 'not-found' });
    expect(await deleteByok(fresh.database, strangerId, [id])).toBe(0);
    expect((await snapshotOf(accountId))?.byok).toMatchObject([{ secret: SECRET }]);
    const versions = [(await snapshotOf(accountId))?.version ?? 0];
    for (const write of [
      () => update(id, { name: 'renamed' }),
      () => host({ name: 'second' }),
      () => deleteByok(fresh.database, accountId, [id]),
    ]) {
      await write();
      versions.push((await snapshotOf(accountId))?.version ?? 0);
    }
    const [first = 0] = versions;
    expect(versions).toEqual([first, first + 1, first + 2, first + 3]);
    expect((await listByok(fresh.database, accountId)).map((each) => each.name)).toEqual(['second']);
  });

  it('is limited in number, also when many come at once', async () => {
    for (let made = 1; made < BYOK_PER_ACCOUNT_MAX; made++) await byok({ name: `n${made}` });
    const names = ['a', 'b', 'c', 'd'];
    const results = await Promise.all(names.map((name) => host({ name })));
    expect(results.map(({ kind }) => kind).sort()).toEqual(['added', 'too-many', 'too-many', 'too-many']);
  });
});

it('a secret is printable, without spaces, and bounded', () => {
  for (const good of ['a', SECRET, '~!{}', 'x'.repeat(SECRET_LENGTH_MAX)]) {
    expect(isUsableSecret(good)).toBe(true);
  }
  for (const bad of ['', 'two words', 'line\n', 'nul\0', 'schlüssel', 'x'.repeat(SECRET_LENGTH_MAX + 1)]) {
    expect(isUsableSecret(bad)).toBe(false);
  }
});
