import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACTOR, auditContext } from '../../../test/support/audit.ts';
import { CATALOG_TEXT, catalogDocument } from '../../../test/support/catalog.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { ENTRY_KINDS } from '../../catalog/entries.ts';
import type { AuditContext } from '../operations/audit.ts';
import { applyCatalog, loadCatalog } from './catalog.ts';
import {
  createCatalogEntry,
  deleteCatalogEntry,
  findCatalogEntry,
  listCatalogEntries,
  updateCatalogEntry,
} from './change.ts';

let fresh: FreshDatabase;
let audit: AuditContext;

beforeAll(async () => {
  fresh = await freshDatabase();
  audit = auditContext(fresh.database);
  const hashPassword = async (text: string) => `hash of ${text}`;
  await applyCatalog(fresh.database, catalogDocument(CATALOG_TEXT), { ...audit, hashPassword });
});
afterAll(() => fresh.drop());

describe('an entry of the catalogue', () => {
  test.each(ENTRY_KINDS)('of the %s, written back as it was read, changes nothing', async (kind) => {
    const before = await loadCatalog(fresh.database, audit);
    for (const { id, code, model_id: modelId, name, ...entry } of await listCatalogEntries(audit, kind)) {
      const key = { vendors: code, models: modelId, plans: code, nodes: name } as Record<string, unknown>;
      const { secret: _hidden, vendor, credential, forward_model_id: forwarded, ...open } = entry;
      const value =
        kind === 'nodes' || kind === 'credentials' ? open : { ...open, ...(name !== undefined && { name }) };
      const place = { kind, key: String(key[kind] ?? id) };
      const changed = await updateCatalogEntry(audit, place, value, ACTOR);
      expect(changed.kind).toBe('changed');
    }
    // Not even the version: nobody has to read it anew.
    expect(await loadCatalog(fresh.database, audit)).toEqual(before);
  });

  test('created ten times at once is created once', async () => {
    const value = { code: 'twice', protocols: ['chat'], base_url: 'https://twice.example' };
    const made = await Promise.all(
      Array.from({ length: 10 }, () => createCatalogEntry(audit, 'vendors', value, ACTOR)),
    );
    expect(made.filter(({ kind }) => kind === 'changed')).toHaveLength(1);
    expect(made.filter(({ kind }) => kind === 'exists')).toHaveLength(9);
    expect(await deleteCatalogEntry(audit, { kind: 'vendors', key: 'twice' }, ACTOR)).toEqual({
      kind: 'removed',
    });
  });

  test('that somebody begins to use in the same moment is not deleted', async () => {
    const made = await createCatalogEntry(audit, 'policies', { name: 'contested' }, ACTOR);
    const id = made.kind === 'changed' ? Number(made.entry.id) : 0;
    const place = { kind: 'policies', key: String(id) } as const;
    const removal = await fresh.database.transaction(async (transaction) => {
      await transaction.query(
        `insert into api_keys (account_id, name, prefix, key_hash, policy_id, status)
         values ((select min(id) from accounts), 'k', 'p', 'h', $1, 'enabled')`,
        [id],
      );
      const removing = deleteCatalogEntry(audit, place, ACTOR);
      await transaction.query('select pg_sleep(0.2)');
      return { removing };
    });
    expect(await removal.removing).toMatchObject({ kind: 'in-use' });
    expect(await findCatalogEntry(audit, place)).toMatchObject({ name: 'contested' });
  });

  test('never shows its secret, wherever it is shown', async () => {
    const shown = [
      await listCatalogEntries(audit, 'credentials'),
      await fresh.database.query('select * from audit_log'),
    ];
    expect(
      JSON.stringify(shown, (_key, value) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toMatch(/first-secret|spare-secret/);
    expect((await listCatalogEntries(audit, 'credentials')).map(({ secret }) => secret)).toEqual([
      '…alue',
      '…alue',
    ]);
  });

  test('keeps its secret when the change does not speak of it', async () => {
    const [main] = await listCatalogEntries(audit, 'credentials');
    const place = { kind: 'credentials', key: String(main?.id) } as const;
    await updateCatalogEntry(audit, place, { rate: '70' }, ACTOR);
    const { credentials } = await loadCatalog(fresh.database, audit);
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
