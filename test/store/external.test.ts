import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/kernel/log.ts';
import { createCalendar } from '../../src/kernel/time/calendar.ts';
import { announce, announceAndWait, followChanges } from '../../src/store/changes.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { createLedgerStore } from '../../src/store/ledger/ledger.ts';
import { migrate } from '../../src/store/migrate.ts';
import { examine } from '../../src/store/operations/doctor.ts';
import { needs, POSTGRES } from '../needs.ts';
import { postgres } from '../prerequisites.ts';
import { accountWith, CREDITS_PER_YUAN, callOf } from '../support/calls.ts';

const PASSWORD = 'not a secret';

function findServerUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const home = statSync('/var/lib/postgresql', { throwIfNoEntry: false });
  return { uid: home?.uid ?? 65_534, gid: home?.gid ?? 65_534 };
}

/** Reached over TCP with a password, as DATABASE_URL would. */
describe("a PostgreSQL of the user's", needs(POSTGRES), () => {
  let folder: string;
  let connection: string;
  let database: Database;

  const run = (program: string, parameters: readonly string[]) =>
    execFileSync(join(dirname(String(postgres)), program), parameters, {
      cwd: folder,
      ...findServerUser(),
      stdio: 'pipe',
    });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-external-'));
    chmodSync(folder, 0o711);
    const user = findServerUser();
    if (user !== undefined) chownSync(folder, user.uid, user.gid);
    writeFileSync(join(folder, 'password'), `${PASSWORD}\n`);
    const initialise = ['-D', 'cluster', '-U', 'tollgate', '-A', 'scram-sha-256', '--pwfile=password', '-N'];
    run('initdb', initialise);
    const port = await freePort();
    const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off`;
    run('pg_ctl', ['start', '-w', '-D', 'cluster', '-l', 'log', '-o', options]);
    connection = `postgresql://tollgate:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`;
    await migrate({ connection, log: silentLogger });
    database = await openDatabase({ connection, log: silentLogger });
  });

  afterAll(async () => {
    await database.close();
    run('pg_ctl', ['stop', '-w', '-m', 'fast', '-D', 'cluster']);
    rmSync(folder, { recursive: true, force: true });
  });

  test('an external PostgreSQL applies the migrations once', async () => {
    const [row] = await database.query<{ server_version: string }>('show server_version');
    console.log(`proof | external | PostgreSQL ${row?.server_version} | migrated`);
    expect(await migrate({ connection, log: silentLogger })).toEqual([]);
  });

  test('an external PostgreSQL settles calls exactly once, and its books are sound', async () => {
    const accountId = await accountWith(database, {
      creditsMicro: 60_000_000n,
      balanceMicro: 100_000n,
      autoExchange: true,
    });
    const calendar = createCalendar('UTC');
    const ledger = createLedgerStore({ database, creditsPerYuan: CREDITS_PER_YUAN, calendar });
    const calls = Array.from({ length: 5 }, () => callOf({ accountId }));
    await Promise.all([ledger.settle(calls), ledger.settle(calls.toReversed())]);
    const [settled] = await ledger.settle(calls);
    // 125 Credits: 60 were there, 65 are bought for 0.065 yuan.
    expect(settled?.funds).toMatchObject({
      creditsMicro: 0n,
      balanceMicro: 35_000n,
      monthSpentMicro: 125_000n,
    });
    expect(await examine(database)).toEqual([]);
  });

  test('an external PostgreSQL delivers change notices', async () => {
    const heard: unknown[] = [];
    const follower = { onChange: (change: unknown) => void heard.push(change), onMissed: () => {} };
    const server = await openDatabase({ connection, log: silentLogger });
    await followChanges(server, follower, silentLogger);
    await announce(database, { kind: 'catalog' });
    expect(await announceAndWait(database, 60_000)).toBe('in-force');
    expect(heard).toEqual([{ kind: 'catalog' }]);
    await server.close();
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
