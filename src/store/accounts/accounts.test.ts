import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CATALOG_TEXT, catalogDocument } from '../../../test/support/catalog.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { hashApiKey, newApiKey } from '../../accounts/api-key.ts';
import { KEYS_PER_ACCOUNT_MAX } from '../../bounds.ts';
import { newSealer } from '../../kernel/encoding/seal.ts';
import { silentLogger } from '../../kernel/log.ts';
import { systemRandom } from '../../kernel/random.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import { applyCatalog, loadCatalog } from '../catalog/catalog.ts';
import { type CredentialWrite, insertCredential } from '../catalog/write.ts';
import { type Change, followChanges } from '../changes.ts';
import { openDatabase } from '../database.ts';
import { ACCOUNT_COLUMNS, type AccountRow, accountFromRow } from './account-row.ts';
import {
  createAccount,
  findAccount,
  findCaller,
  findLogin,
  type NewAccount,
  updateAccount,
} from './accounts.ts';
import { createKey, deleteKeys, findKey, listKeys, setKeyStatus } from './api-keys.ts';
import { cancelSubscription, grantSubscription } from './subscriptions.ts';

const sealer = newSealer(['the secret of this test, long enough'], systemRandom);
const unsealing = { sealer, log: silentLogger };
const ACCOUNT: NewAccount = {
  email: 'someone@example.com',
  passwordHash: 'hash',
  status: 'enabled',
  role: 'user',
  userType: 0,
  userRateMicro: 100_000_000n,
  apiBilling: true,
  autoExchange: false,
  extraApiQuotaMicro: 0n,
  preference: { fallbackModel: null, byokFallback: false },
};
const KEY = { name: 'laptop', policyId: undefined, expiresAtMs: undefined, status: 'enabled' } as const;

let fresh: FreshDatabase;
let accountId: number;
let strangerId: number;

async function newAccount(email: string): Promise<number> {
  const created = await createAccount(fresh.database, { ...ACCOUNT, email });
  if (created.kind !== 'created') throw new Error('the address is new');
  return created.accountId;
}

async function newKey(owner: number, name = 'laptop'): Promise<{ id: number; text: string }> {
  const created = await createKey(fresh.database, { ...KEY, accountId: owner, name }, systemRandom);
  if (created.kind !== 'created') throw new Error(created.kind);
  return { id: created.key.id, text: created.text };
}

function callerOf(text: string) {
  return findCaller(fresh.database, hashApiKey(text), unsealing);
}

async function versionOf(id: number): Promise<number> {
  return (await findAccount(fresh.database, id, unsealing))?.version ?? 0;
}

beforeEach(async () => {
  fresh = await freshDatabase();
  const document = { ...catalogDocument(CATALOG_TEXT), accounts: [] };
  const hashPassword = (): Promise<string> => Promise.resolve('hash');
  await applyCatalog(fresh.database, document, { ...unsealing, clock: systemClock, hashPassword });
  accountId = await newAccount('someone@example.com');
  strangerId = await newAccount('stranger@example.com');
});
afterEach(() => fresh.drop());

describe('an account', () => {
  it('has a unique address', async () => {
    expect(await createAccount(fresh.database, ACCOUNT)).toEqual({ kind: 'email-taken' });
    expect(await findLogin(fresh.database, 'someone@example.com')).toEqual({
      accountId,
      passwordHash: 'hash',
      status: 'enabled',
      role: 'user',
    });
    expect(await findLogin(fresh.database, 'nobody@example.com')).toBeUndefined();
  });

  it('takes exactly the fields of a change, with a new version', async () => {
    const before = await findAccount(fresh.database, accountId, unsealing);
    const patch = {
      status: 'disabled',
      userType: 2,
      userRateMicro: 85_500_000n,
      apiBilling: false,
      extraApiQuotaMicro: 7n,
      fallbackModel: 'gpt',
    } as const;
    expect(await updateAccount(fresh.database, accountId, patch)).toBe(true);
    const { fallbackModel, ...fields } = patch;
    expect(await findAccount(fresh.database, accountId, unsealing)).toEqual({
      ...before,
      ...fields,
      preference: { fallbackModel, byokFallback: false },
      version: (before?.version ?? 0) + 1,
    });
    await updateAccount(fresh.database, accountId, { fallbackModel: null });
    expect((await findAccount(fresh.database, accountId, unsealing))?.preference.fallbackModel).toBeNull();
    expect(await updateAccount(fresh.database, 999_999, patch)).toBe(false);
  });

  it('keeps money exact beyond what a float can hold', async () => {
    await fresh.database.query(
      'update accounts set credits_micro = 9007199254740993, user_rate_micro = 99999999999999 where id = $1',
      [accountId],
    );
    const [row] = await fresh.database.query<AccountRow>(
      `select ${ACCOUNT_COLUMNS} from accounts where id = $1`,
      [accountId],
    );
    if (row === undefined) throw new Error('the account is there');
    const account = accountFromRow(row, unsealing);
    expect([account.funds.creditsMicro, account.userRateMicro]).toEqual([
      9_007_199_254_740_993n,
      99_999_999_999_999n,
    ]);
  });

  it('notifies running servers of each write to it or to its parts', async () => {
    const heard: Change[] = [];
    const follower = { onChange: (change: Change) => void heard.push(change), onMissed: () => {} };
    const server = await openDatabase({ connection: fresh.connection, log: silentLogger });
    await followChanges(server, follower, silentLogger);
    const versions = [await versionOf(accountId)];
    const writes = [
      () => updateAccount(fresh.database, accountId, { userType: 1 }),
      () => newKey(accountId),
      () => setKeyStatus(fresh.database, accountId, [1], 'disabled'),
      () => deleteKeys(fresh.database, accountId, [1]),
      () => grantSubscription(fresh.database, { accountId, planCode: 'PRO', startsAtMs: 0, endsAtMs: 1 }),
    ];
    for (const write of writes) {
      await write();
      versions.push(await versionOf(accountId));
    }
    expect(versions).toEqual(versions.map((_version, index) => (versions[0] ?? 0) + index));
    await expect
      .poll(() => heard)
      .toEqual(versions.slice(1).map((version) => ({ kind: 'account', accountId, version })));
    await server.close();
  });
});

describe('an API key', () => {
  it('finds its caller by its hash, and is not stored', async () => {
    const { id, text } = await newKey(accountId);
    const caller = await callerOf(text);
    expect(caller?.key).toEqual({ id, accountId, ...KEY, prefix: text.slice(0, 9) });
    expect(caller?.account).toMatchObject({
      id: accountId,
      subscriptions: [],
      byok: [],
      funds: { creditsMicro: 0n },
    });
    const rows = await fresh.database.query<object>('select to_jsonb(api_keys) as row from api_keys');
    expect(JSON.stringify(rows)).not.toContain(text.slice(9));
    expect(await callerOf(newApiKey(systemRandom))).toBeUndefined();
  });

  it('has its policy and expiry; an unknown policy is refused', async () => {
    const wanted = { ...KEY, accountId, policyId: 2, expiresAtMs: 1_900_000_000_123 };
    const created = await createKey(fresh.database, wanted, systemRandom);
    expect(created).toMatchObject({ kind: 'created', key: { policyId: 2, expiresAtMs: 1_900_000_000_123 } });
    expect(await createKey(fresh.database, { ...wanted, policyId: 9 }, systemRandom)).toEqual({
      kind: 'unknown-policy',
    });
    expect(await createKey(fresh.database, { ...wanted, accountId: 999 }, systemRandom)).toEqual({
      kind: 'unknown-account',
    });
  });

  it('can be disabled, enabled and deleted by its owner, and by no other account', async () => {
    const { id, text } = await newKey(accountId);
    expect(await setKeyStatus(fresh.database, strangerId, [id], 'disabled')).toBe(0);
    expect(await deleteKeys(fresh.database, strangerId, [id])).toBe(0);
    expect(await findKey(fresh.database, strangerId, id)).toBeUndefined();
    expect(await setKeyStatus(fresh.database, accountId, [id], 'disabled')).toBe(1);
    expect((await callerOf(text))?.key.status).toBe('disabled');
    expect(await setKeyStatus(fresh.database, accountId, [id], 'enabled')).toBe(1);
    expect(await deleteKeys(fresh.database, accountId, [id, 999]), 'all or none').toBe(0);
    expect(await callerOf(text)).toBeDefined();
    expect(await deleteKeys(fresh.database, accountId, [id])).toBe(1);
    expect(await callerOf(text)).toBeUndefined();
  });

  it('is listed by pages, newest first, for its owner only', async () => {
    for (const name of ['one', 'two', 'three']) await newKey(accountId, name);
    await newKey(strangerId);
    const page = await listKeys(fresh.database, accountId, { offset: 0, limit: 2 });
    expect([page.total, page.items.map((key) => key.name)]).toEqual([3, ['three', 'two']]);
    const next = await listKeys(fresh.database, accountId, { offset: 2, limit: 2 });
    expect(next.items.map((key) => key.name)).toEqual(['one']);
  });

  it('is limited in number, also when many are made at once', async () => {
    await fresh.database.query(
      `insert into api_keys (account_id, name, prefix, key_hash, status)
       select $1, 'k', 'tg-', 'hash ' || n, 'enabled' from generate_series(1, $2::int) n`,
      [accountId, KEYS_PER_ACCOUNT_MAX - 1],
    );
    const wanted = { ...KEY, accountId };
    const made = await Promise.all(
      Array.from({ length: 5 }, () => createKey(fresh.database, wanted, systemRandom)),
    );
    expect(made.filter((each) => each.kind === 'created')).toHaveLength(1);
    expect(made.filter((each) => each.kind === 'too-many')).toHaveLength(4);
  });
});

describe('a subscription', () => {
  const now = Date.now();
  const grant = (endsAtMs: number, planCode = 'PRO') =>
    grantSubscription(fresh.database, { accountId, planCode, startsAtMs: now - 1_000_000, endsAtMs });

  it('belongs to the caller until it ends or is cancelled', async () => {
    const { text } = await newKey(accountId);
    await grant(now - 1_000);
    const granted = await grant(now + 3_600_000);
    if (granted.kind !== 'granted') throw new Error(granted.kind);
    expect((await callerOf(text))?.account.subscriptions).toEqual([
      { id: granted.subscriptionId, planCode: 'PRO', startsAtMs: now - 1_000_000, endsAtMs: now + 3_600_000 },
    ]);
    expect(await cancelSubscription(fresh.database, strangerId, granted.subscriptionId)).toBe(false);
    expect(await cancelSubscription(fresh.database, accountId, granted.subscriptionId)).toBe(true);
    expect(await cancelSubscription(fresh.database, accountId, granted.subscriptionId)).toBe(false);
    expect((await callerOf(text))?.account.subscriptions).toEqual([]);
  });

  it('needs an existing plan and account', async () => {
    expect(await grant(now + 1, 'GOLD')).toEqual({ kind: 'unknown-plan' });
    const nobody = { accountId: 999, planCode: 'PRO', startsAtMs: 0, endsAtMs: 1 };
    expect(await grantSubscription(fresh.database, nobody)).toEqual({ kind: 'unknown-account' });
  });
});

describe('a BYOK credential', () => {
  function host(owner: number, name = 'mine'): Promise<number> {
    const credential: CredentialWrite = {
      vendorCode: 'openai',
      name,
      secret: 'sk-mine-and-mine-only',
      baseUrl: undefined,
      rateMicro: 9_007_199_254_740_993n,
      limits: {},
      status: 'enabled',
      ownerAccountId: owner,
    };
    return insertCredential(fresh.database, credential, sealer);
  }

  it('is loaded with its owner, opened and exact, and with no other account', async () => {
    const { text } = await newKey(accountId);
    const { text: strange } = await newKey(strangerId);
    const credentialId = await host(accountId);
    expect((await callerOf(text))?.account.byok).toMatchObject([
      {
        id: credentialId,
        vendorCode: 'openai',
        secret: 'sk-mine-and-mine-only',
        rateMicro: 9_007_199_254_740_993n,
        ownerAccountId: accountId,
      },
    ]);
    expect((await callerOf(strange))?.account.byok).toEqual([]);
  });

  it('does not open for another account, nor as the platform’s own', async () => {
    const { text } = await newKey(strangerId);
    const move = 'update credentials set owner_account_id = $1 where id = $2';
    const credentialId = await host(accountId);
    await fresh.database.query(move, [strangerId, credentialId]);
    expect((await callerOf(text))?.account.byok).toMatchObject([{ secret: '', status: 'disabled' }]);
    await fresh.database.query(move, [null, credentialId]);
    const catalog = await loadCatalog(fresh.database, unsealing);
    expect(catalog.credentials.get('mine')).toMatchObject({ secret: '', status: 'disabled' });
  });

  it('has a unique name within the account', async () => {
    await host(accountId);
    await host(strangerId);
    await expect(host(accountId)).rejects.toThrow(/unique/);
  });

  it('has at most four characters of its secret, in a separate column', async () => {
    await host(accountId);
    const [row] = await fresh.database.query(
      'select secret_hint from credentials where owner_account_id = $1',
      [accountId],
    );
    expect(row).toEqual({ secret_hint: 'only' });
  });
});
