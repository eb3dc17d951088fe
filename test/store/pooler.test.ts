import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/kernel/log.ts';
import { announce, announceAndWait, followChanges } from '../../src/store/changes.ts';
import { openStore } from '../../src/store/open.ts';
import { examine } from '../../src/store/operations/doctor.ts';
import { PoolerRefused } from '../../src/store/pooler.ts';
import { needs, PGBOUNCER } from '../needs.ts';
import { freshDatabase } from '../support/postgres.ts';
import { type PoolerOptions, startPooler, type TestPooler } from '../support/servers/pgbouncer.ts';
import { startWorld } from '../support/world.ts';

const SETTINGS = ['statement_timeout', 'idle_in_transaction_session_timeout'];
const STRICT: PoolerOptions = { mode: 'transaction', ignored: [], size: 2 };
const LAX: PoolerOptions = { ...STRICT, ignored: SETTINGS };
const CALLS = 40;

const folder = mkdtempSync(join(tmpdir(), 'tollgate-pooled-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const place = { dataDirectory: join(folder, 'untouched'), log: silentLogger };

describe('PgBouncer', needs(PGBOUNCER), () => {
  test.each([
    ['that refuses settings of a session', STRICT],
    ['that ignores them', LAX],
  ])('in transaction mode %s is refused at start, with what to do', async (_kind, options) => {
    const fresh = await freshDatabase();
    const pooler = await startPooler(fresh.connection, options);
    const opening = openStore({ ...place, databaseUrl: pooler.connection });
    await expect(opening).rejects.toThrow(PoolerRefused);
    await expect(opening).rejects.toThrow('set TOLLGATE_DATABASE_DIRECT_URL');
    await pooler.close();
    await fresh.drop();
  });

  test('in session mode needs no other way: notices are heard', async () => {
    const fresh = await freshDatabase();
    const pooler = await startPooler(fresh.connection, { mode: 'session', ignored: SETTINGS, size: 30 });
    const store = await openStore({ ...place, databaseUrl: pooler.connection });
    const heard: unknown[] = [];
    const follower = { onChange: (change: unknown) => void heard.push(change), onMissed: () => {} };
    await followChanges(store.database, follower, silentLogger);
    await announce(fresh.database, { kind: 'catalog' });
    expect(await announceAndWait(fresh.database, 60_000)).toBe('in-force');
    expect(heard).toEqual([{ kind: 'catalog' }]);
    await store.close();
    await pooler.close();
    await fresh.drop();
  });

  test('in transaction mode serves a gateway that has the direct way: calls, changes, books', async () => {
    let pooler: TestPooler | undefined;
    const world = await startWorld({
      environmentOf: async (connection) => {
        pooler = await startPooler(connection, STRICT);
        return { DATABASE_URL: pooler.connection, TOLLGATE_DATABASE_DIRECT_URL: connection };
      },
    });
    // More calls at once than the pooler has connections to the server.
    const messages = [{ role: 'user', content: 'Hello [[sim tokens=5]]' }];
    const body = { model: 'gpt-5', max_completion_tokens: 50, messages };
    const ask = () => world.post('/v1/chat/completions', body);
    const statuses = await Promise.all(Array.from({ length: CALLS }, async () => (await ask()).status));
    expect(statuses).toEqual(Array.from({ length: CALLS }, () => 200));
    await world.settled();
    const token = await world.login('user@example.com');
    const { body: page } = await world.api('GET', '/call-log/page', { token });
    expect(page.total).toBe(CALLS);
    // A key that an account no longer has is refused by the next request.
    const [key] = (await world.api('GET', '/api-key/page', { token })).body.data;
    await world.api('PUT', '/api-key', { token, body: { id: key.id, status: 'disabled' } });
    expect((await ask()).status).toBe(401);
    expect(await announceAndWait(world.database, 60_000)).toBe('in-force');
    expect(await examine(world.database)).toEqual([]);
    await world.close();
    await pooler?.close();
  });
});
