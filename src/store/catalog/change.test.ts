import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CATALOG_TEXT, catalogDocument } from '../../../test/support/catalog.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { ENTRY_KINDS } from '../../catalog/entries.ts';
import { newSealer } from '../../kernel/encoding/seal.ts';
import { silentLogger } from '../../kernel/log.ts';
import { systemRandom } from '../../kernel/random.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import type { CatalogChanges } from '../../operations/admin-ports.ts';
import { applyCatalog, loadCatalog } from './catalog.ts';
import { catalogChanges } from './change.ts';

let fresh: FreshDatabase;
let changes: CatalogChanges;
const sealer = newSealer(['1'.repeat(64)], systemRandom);
const options = {
  ...{ sealer, log: silentLogger, clock: systemClock },
  hashPassword: async (text: string) => `hash of ${text}`,
};
const ACTOR = { accountId: undefined, address: 'test', action: 'test' };

beforeAll(async () => {
  fresh = await freshDatabase();
  await applyCatalog(fresh.database, catalogDocument(CATALOG_TEXT), options);
  changes = catalogChanges({ database: fresh.database, log: silentLogger, options });
});
afterAll(() => fresh.drop());

describe('an entry of the catalogue', () => {
  test.each(ENTRY_KINDS)('of the %s, written back as it was read, changes nothing', async (kind) => {
    const before = await loadCatalog(fresh.database, options);
    for (const { id, code, model_id: modelId, name, ...entry } of await changes.list(kind)) {
      const key = { vendors: code, models: modelId, plans: code, nodes: name } as Record<string, unknown>;
      const { secret: _hidden, vendor, credential, forward_model_id: forwarded, ...open } = entry;
      const value =
        kind === 'nodes' || kind === 'credentials' ? open : { ...open, ...(name !== undefined && { name }) };
      const changed = await changes.update(kind, String(key[kind] ?? id), { value, actor: ACTOR });
      expect(changed.kind).toBe('changed');
    }
    // Not even the version: nobody has to read it anew.
    expect(await loadCatalog(fresh.database, options)).toEqual(before);
  });

  test('created ten times at once is created once', async () => {
    const value = { code: 'twice', protocols: ['chat'], base_url: 'https://twice.example' };
    const made = await Promise.all(Array.from({ length: 10 }, () => changes.create('vendors', value, ACTOR)));
    expect(made.filter(({ kind }) => kind === 'changed')).toHaveLength(1);
    expect(made.filter(({ kind }) => kind === 'exists')).toHaveLength(9);
    expect(await changes.remove('vendors', 'twice', ACTOR)).toEqual({ kind: 'removed' });
  });

  test('that comes into use at the same moment is not deleted', async () => {
    const made = await changes.create('policies', { name: 'contested' }, ACTOR);
    const id = made.kind === 'changed' ? Number(made.entry.id) : 0;
    const removal = await fresh.database.transaction(async (transaction) => {
      await transaction.query(
        `insert into api_keys (account_id, name, prefix, key_hash, policy_id, status)
         values ((select min(id) from accounts), 'k', 'p', 'h', $1, 'enabled')`,
        [id],
      );
      const removing = changes.remove('policies', String(id), ACTOR);
      await transaction.query('select pg_sleep(0.2)');
      return { removing };
    });
    expect(await removal.removing).toMatchObject({ kind: 'in-use' });
    expect(await changes.find('policies', String(id))).toMatchObject({ name: 'contested' });
  });

  test('never shows its secret', async () => {
    const shown = [await changes.list('credentials'), await fresh.database.query('select * from audit_log')];
    expect(
      JSON.stringify(shown, (_key, value) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toMatch(/first-secret|spare-secret/);
    expect((await changes.list('credentials')).map(({ secret }) => secret)).toEqual(['…alue', '…alue']);
  });

  test('keeps its secret when the change does not contain it', async () => {
    const [main] = await changes.list('credentials');
    await changes.update('credentials', String(main?.id), { value: { rate: '70' }, actor: ACTOR });
    const { credentials } = await loadCatalog(fresh.database, options);
    expect(credentials.get('main')).toMatchObject({
      secret: 'sk-first-secret-value',
      rateMicro: 70_000_000n,
    });
  });
});

test('an applied file is in the audit log, without its secrets', async () => {
  const [row] = await fresh.database.query<{ after: { changes: number; lines: string[] } }>(
    `select after from audit_log where action = 'apply'`,
  );
  expect(row?.after.lines).toContain('created vendor openai');
  expect(row?.after.changes).toBe(row?.after.lines.length);
});
