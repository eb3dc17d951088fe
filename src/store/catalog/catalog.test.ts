import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CATALOG_TEXT, catalogDocument } from '../../../test/support/catalog.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { type CatalogChange, formatChange } from '../../catalog/diff.ts';
import { newSealer } from '../../kernel/encoding/seal.ts';
import { silentLogger } from '../../kernel/log.ts';
import { systemRandom } from '../../kernel/random.ts';
import { ManualClock } from '../../kernel/time/clock.ts';
import { type Change, followChanges } from '../changes.ts';
import { openDatabase } from '../database.ts';
import { previewEdit, readStoredCatalog } from './apply.ts';
import { type ApplyOptions, applyCatalog, loadCatalog } from './catalog.ts';
import { readCatalog } from './read.ts';

const clock = new ManualClock(Date.now());
const options: ApplyOptions = {
  sealer: newSealer(['the secret of this test, long enough'], systemRandom),
  log: silentLogger,
  clock,
  hashPassword: (password) => Promise.resolve(`hash of ${password}`),
};

let fresh: FreshDatabase;
beforeEach(async () => {
  fresh = await freshDatabase();
});
afterEach(() => fresh.drop());

async function apply(text: string): Promise<string[]> {
  const changes = await applyCatalog(fresh.database, catalogDocument(text), options);
  return changes.map(formatChange);
}

async function preview(text: string): Promise<readonly CatalogChange[]> {
  const context = { ...options, database: fresh.database };
  const wanted = { document: catalogDocument(text), extent: 'part' } as const;
  return (await previewEdit(context, wanted, await readStoredCatalog(context))).changes;
}

function one<Row>(text: string, values: readonly unknown[] = []): Promise<Row | undefined> {
  return fresh.database.query<Row>(text, values).then((rows) => rows[0]);
}

/** A smaller file that refers to what CATALOG_TEXT stored is read without it here. */
const VENDOR =
  'vendors: [{ code: openai, name: OpenAI, protocols: [chat, responses], base_url: "https://openai.example/v1", byok: true }]';
const MAIN = '{ name: main, vendor: openai, secret: sk-first-secret-value, limits: { rpm: 60 } }';

describe('the application of a catalogue', () => {
  it('dates a model once, when it enters', async () => {
    const before = Date.now();
    await apply(CATALOG_TEXT);
    const date = async () => (await loadCatalog(fresh.database, options)).models.get('gpt')?.createdAtMs ?? 0;
    const entered = await date();
    expect(Math.abs(entered - before)).toBeLessThan(60_000);
    expect(await apply('models: [{ model_id: gpt, name: Renamed }]')).not.toEqual([]);
    expect(await date()).toBe(entered);
  });

  it('stores everything, and loading resolves it exactly', async () => {
    await apply(CATALOG_TEXT);
    const catalog = await loadCatalog(fresh.database, options);
    expect(catalog).toMatchObject({
      version: 2,
      systemRateMicro: 90_000_000n,
      defaults: { policyId: 1, userRateMicro: 95_000_000n, apiBilling: true, autoExchange: false },
      verificationGrants: { personalMicro: 10_000_000n, enterpriseMicro: 20_500_000n },
    });
    expect(catalog.vendors.get('google')?.rateMicro).toBe(85_500_000n);
    const gpt = catalog.models.get('gpt');
    expect(gpt?.prices).toMatchObject({ outputMicro: 30_123_456n, cacheOutputMicro: undefined });
    expect(gpt?.routes.map((route) => [route.priority, route.credential.name, route.protocols])).toEqual([
      [10, 'main', ['responses']],
      [20, 'spare', ['chat', 'responses']],
    ]);
    const [first, second] = gpt?.routes ?? [];
    expect(first?.credential).toMatchObject({
      secret: 'sk-first-secret-value',
      limits: { rpm: 60 },
      ownerAccountId: undefined,
    });
    expect(first?.vendor).toBe(catalog.vendors.get('openai'));
    expect(second).toMatchObject({ forwardModelId: 'gpt-x', rateMultiplierMicro: 1_500_000n });
    expect(second?.credential.baseUrl).toBe('https://other.example/v1');
    expect(catalog.policies.get(2)?.windows).toEqual([
      { dimension: 'amount', seconds: 3600, limit: 12_500_000n },
    ]);
    expect(catalog.plans.get('PRO')).toMatchObject({
      policyId: 2,
      coversModels: ['gpt'],
      coverageWindows: [{ seconds: 60, amountMicro: 5_000_000n }],
    });
    expect(catalog.nodes).toEqual([
      { name: 'local', baseUrl: 'http://127.0.0.1:8080', region: 'default', rateMicro: 101_000_000n },
    ]);
    expect(catalog.announcements[0]?.title).toBe('Hello');
  });

  it('changes nothing the second time, not even the version', async () => {
    expect(await apply(CATALOG_TEXT)).toHaveLength(16);
    const before = await readCatalog(fresh.database, options);
    expect(await apply(CATALOG_TEXT)).toEqual([]);
    expect(await readCatalog(fresh.database, options)).toEqual(before);
  });

  it('reports what changed, field by field, and never a secret', async () => {
    await apply(CATALOG_TEXT);
    const changes = await apply(
      CATALOG_TEXT.replace('sk-first-secret-value', 'sk-other-secret-value')
        .replace('input: "10"', 'input: "12.5"')
        .replace('priority: 20', 'priority: 5')
        .replace('system_rate: 90', 'system_rate: 85'),
    );
    expect(changes).toEqual([
      'updated settings catalog: system_rate 90 → 85',
      'updated credential main: secret changed',
      'updated model gpt: prices.input 10 → 12.5',
      'updated route gpt via spare as gpt-x: priority 20 → 5',
    ]);
    const catalog = await loadCatalog(fresh.database, options);
    expect(catalog.version).toBe(3);
    expect(catalog.models.get('gpt')?.routes[1]?.credential.secret).toBe('sk-other-secret-value');
  });

  it('keeps what the file does not mention, and disables a route its model no longer lists', async () => {
    await apply(CATALOG_TEXT);
    const changes = await apply(`${VENDOR}
credentials: [${MAIN}]
models:
  - model_id: gpt
    prices: { input: "10", output: "30.123456", cache_input: "1" }
    context_window: 1000
    routes: [{ vendor: openai, credential: main, protocols: [responses], priority: 10, weight: 3 }]`);
    expect(changes).toEqual(['disabled route gpt via spare as gpt-x']);
    const catalog = await loadCatalog(fresh.database, options);
    expect(catalog.models.get('gpt')?.routes.map((route) => route.status)).toEqual(['enabled', 'disabled']);
    expect([...catalog.models.keys()]).toEqual(['gpt', 'painter']);
    expect(catalog.systemRateMicro).toBe(90_000_000n);
    // Listed again, the same route comes back with its id, which the logs know.
    expect(await apply(CATALOG_TEXT)).toEqual([
      'updated route gpt via spare as gpt-x: status disabled → enabled',
    ]);
  });

  it('keeps capabilities of models and routes, previews changes, and removes what is left out', async () => {
    await apply(CATALOG_TEXT);
    const text = CATALOG_TEXT.replace(
      'context_window: 1000',
      'context_window: 1000\n    capabilities: { thinking: effort, efforts: [high, none], prefill: false }',
    ).replace('weight: 3', 'weight: 3, capabilities: { prefill: true, budget_tokens_min: 0 }');
    const expected = [
      'updated model gpt: capabilities.thinking unset → effort, capabilities.efforts unset → [none, high], ' +
        'capabilities.prefill unset → false',
      'updated route gpt via main as gpt: capabilities.budget_tokens_min unset → 0, ' +
        'capabilities.prefill unset → true',
    ];
    const previewed = await preview(text);
    expect(previewed.map(formatChange)).toEqual(expected);
    expect(await apply(text)).toEqual(expected);
    expect(await apply(text)).toEqual([]);
    const catalog = await loadCatalog(fresh.database, options);
    const ofModel = { thinking: 'effort', efforts: ['none', 'high'] };
    expect(catalog.models.get('gpt')?.routes.map((route) => route.capabilities)).toEqual([
      { ...ofModel, prefill: true, budgetTokensMin: 0 },
      { ...ofModel, prefill: false },
    ]);
    expect(await apply(CATALOG_TEXT)).toHaveLength(2);
    const [route] = (await loadCatalog(fresh.database, options)).models.get('gpt')?.routes ?? [];
    expect(route?.capabilities).toBeUndefined();
  });

  it('can be previewed without writing', async () => {
    const document = catalogDocument(CATALOG_TEXT);
    const previewed = await preview(CATALOG_TEXT);
    expect(previewed.map(formatChange)).toContain('created account user@example.com');
    expect((await loadCatalog(fresh.database, options)).vendors.size).toBe(0);
    expect(await applyCatalog(fresh.database, document, options)).toEqual(previewed);
  });

  it('stores no secret in clear', async () => {
    await apply(CATALOG_TEXT);
    const rows = await fresh.database.query('select * from credentials');
    expect(
      JSON.stringify(rows, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
    ).not.toMatch(/first-secret|spare-secret/);
  });

  it('notifies running servers once, at the commit, and not without a change', async () => {
    const heard: Change[] = [];
    const follower = { onChange: (change: Change) => void heard.push(change), onMissed: () => {} };
    const server = await openDatabase({ connection: fresh.connection, log: silentLogger });
    await followChanges(server, follower, silentLogger);
    await apply(VENDOR);
    await apply(VENDOR);
    await expect.poll(() => heard).toEqual([{ kind: 'catalog' }]);
    await server.close();
  });

  it('is atomic', async () => {
    const document = catalogDocument(CATALOG_TEXT);
    const failing = {
      ...options,
      sealer: {
        ...options.sealer,
        seal: () => {
          throw new Error('no seal');
        },
      },
    };
    await expect(applyCatalog(fresh.database, document, failing)).rejects.toThrow('no seal');
    expect((await loadCatalog(fresh.database, options)).vendors.size).toBe(0);
  });

  it('runs one at a time', async () => {
    const [one, other] = await Promise.all([apply(CATALOG_TEXT), apply(CATALOG_TEXT)]);
    expect([one.length, other.length].sort((low, high) => low - high)).toEqual([0, 16]);
  });
});

describe('accounts of a catalogue', () => {
  it('are created with defaults, money through the ledger, and a subscription', async () => {
    await apply(CATALOG_TEXT);
    expect(await one('select * from accounts where email = $1', ['user@example.com'])).toMatchObject({
      password_hash: 'hash of user-password',
      role: 'user',
      user_type: 1,
      user_rate_micro: 95_000_000n,
      balance_micro: 100_000_000n,
      credits_micro: 50_000_500_000n,
    });
    const entries = await fresh.database.query(
      'select kind, pool, change_micro, after_micro from ledger_entries where account_id is not null order by pool',
    );
    expect(entries).toEqual([
      { kind: 'top_up', pool: 'balance', change_micro: 100_000_000n, after_micro: 100_000_000n },
      { kind: 'grant', pool: 'credits', change_micro: 50_000_500_000n, after_micro: 50_000_500_000n },
    ]);
    const subscription = await one<{ days: number }>(
      'select extract(day from ends_at - starts_at)::int as days from subscriptions',
    );
    expect(subscription?.days).toBe(7);
  });

  it('that exist stay unchanged', async () => {
    await apply(CATALOG_TEXT);
    await fresh.database.query(
      `update accounts set password_hash = 'own', user_type = 2 where role = 'user'`,
    );
    expect(await apply(CATALOG_TEXT.replace('user-password', 'other-password'))).toEqual([]);
    expect(await one(`select password_hash, user_type from accounts where role = 'user'`)).toEqual({
      password_hash: 'own',
      user_type: 2,
    });
  });
});

describe('a secret that does not open', () => {
  it('makes its credential unusable and nothing else, and the file repairs it', async () => {
    await apply(CATALOG_TEXT);
    // A copy of another row's secret, as an attacker with write access would try.
    await fresh.database.query(
      `update credentials set secret_sealed = (select secret_sealed from credentials where name = 'spare')
       where name = 'main'`,
    );
    const catalog = await loadCatalog(fresh.database, options);
    expect(catalog.credentials.get('main')).toMatchObject({ secret: '', status: 'disabled' });
    expect(catalog.credentials.get('spare')).toMatchObject({
      secret: 'sk-spare-secret-value',
      status: 'enabled',
    });
    expect(await apply(CATALOG_TEXT)).toEqual([
      'updated credential main: secret changed, status disabled → enabled',
    ]);
    expect((await loadCatalog(fresh.database, options)).credentials.get('main')?.secret).toBe(
      'sk-first-secret-value',
    );
  });
});
