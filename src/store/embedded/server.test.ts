import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { needs, ROOT } from '../../../test/needs.ts';
import { StoreUnavailable } from '../../accounts/contract.ts';
import { silentLogger } from '../../kernel/log.ts';
import { openDatabase } from '../database.ts';
import { hasProcess } from './process-identity.ts';
import { openToOlder, startEmbedded } from './server.ts';

const USER = fileURLToPath(new URL('../../../test/store/embedded-user.ts', import.meta.url));

/** A cluster that was created and stopped once. */
let made: string;
let directory: string;
let children: ChildProcess[];

beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'tollgate-made-'));
  chmodSync(made, 0o755);
  await (await startEmbedded(made, silentLogger)).stop();
});
afterAll(() => rmSync(made, { recursive: true, force: true }));

/** Creation takes longer than all the rest, so a test that asks for something else copies the cluster. */
function copyCluster(): void {
  execFileSync('cp', ['-a', join(made, 'postgres'), join(made, 'postgres-password'), directory]);
}

/** As a version without passwords left it: no file, and an open socket. */
function copyOlderCluster(): void {
  copyCluster();
  rmSync(join(directory, 'postgres-password'));
  rmSync(join(directory, 'postgres', 'tollgate-password.sha256'));
  writeFileSync(join(directory, 'postgres', 'pg_hba.conf'), 'local all all trust\n');
}

/** What the server says first to a user who says nothing but the name. `R` and 0 let the user in. */
async function firstAnswer(connection: string): Promise<string> {
  const { searchParams } = new URL(connection);
  const words = Buffer.from('user\0tollgate\0database\0postgres\0\0');
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + words.length);
  head.writeInt32BE(3 << 16, 4);
  const socket = connect(`${searchParams.get('host')}/.s.PGSQL.${searchParams.get('port')}`);
  try {
    socket.write(Buffer.concat([head, words]));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return `${answer.toString('latin1', 0, 1)} ${answer.readInt32BE(5)}`;
  } finally {
    socket.destroy();
  }
}

/** Authentication by SASL. */
const ASKS = 'R 10';

function withPassword(connection: string, password: string): string {
  const url = new URL(connection);
  url.password = password;
  return url.href;
}

async function expectClosed(connection: string): Promise<void> {
  expect(await firstAnswer(connection)).toBe(ASKS);
  for (const password of ['', 'wrong'])
    await expect(ask(withPassword(connection, password), 'select 1')).rejects.toThrow(/password/);
  expect(await ask(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tollgate-embedded-'));
  chmodSync(directory, 0o755);
  children = [];
});

afterEach(async () => {
  for (const child of children) if (child.exitCode === null) child.kill('SIGKILL');
  const pid = postmasterPid();
  if (pid !== undefined && hasProcess(pid)) {
    process.kill(pid, 'SIGQUIT');
    await vi.waitFor(() => expect(hasProcess(pid)).toBe(false), { timeout: 60_000 });
  }
  rmSync(directory, { recursive: true, force: true });
});

function postmasterPid(data = directory): number | undefined {
  const path = join(data, 'postgres', 'postmaster.pid');
  return existsSync(path) ? Number(readFileSync(path, 'utf8').split('\n')[0]) : undefined;
}

async function ask<Row>(connection: string, text: string): Promise<Row[]> {
  const database = await openDatabase({ connection, log: silentLogger });
  try {
    return await database.query<Row>(text);
  } finally {
    await database.close();
  }
}

/** Another process that uses the same data directory. An older version knows nothing of passwords. */
async function startUser(
  ...version: readonly 'older'[]
): Promise<{ readonly child: ChildProcess; readonly connection: string }> {
  const child = spawn(process.execPath, [USER, directory, ...version], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const [data] = await once(child.stdout as NodeJS.ReadableStream, 'data');
  return { child, connection: String(data).trim() };
}

async function killHard(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

describe('the embedded server', () => {
  test('keeps its data through a stop, listens on a closed socket only, and syncs to disk', async () => {
    const first = await startEmbedded(directory, silentLogger);
    await ask(first.connection, 'create table kept as select 42 as answer');
    const [settings] = await ask<Record<string, string>>(
      first.connection,
      `select current_setting('listen_addresses') as addresses, current_setting('fsync') as fsync,
         current_setting('server_version_num')::int >= 150000 as recent, inet_server_addr() is null as local,
         pg_size_bytes(current_setting('shared_buffers')) between pg_size_bytes('128MB') and pg_size_bytes('1GB')
           as cached`,
    );
    expect(settings).toEqual({ addresses: '', fsync: 'on', recent: true, local: true, cached: true });
    expect(statSync(join(directory, 'postgres')).mode & 0o777).toBe(0o700);
    const pid = postmasterPid();
    await first.stop();
    await vi.waitFor(() => expect(hasProcess(pid ?? 0)).toBe(false), { timeout: 60_000 });
    await expect(ask(first.connection, 'select 1')).rejects.toThrow(StoreUnavailable);

    const second = await startEmbedded(directory, silentLogger);
    expect(await ask(second.connection, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await second.stop();
  });

  test('is adopted after its gateway was killed, and stopped by the gateway that adopted it', async () => {
    copyCluster();
    const { child, connection } = await startUser();
    await ask(connection, 'create table kept as select 42 as answer');
    const pid = postmasterPid();
    await killHard(child);
    const adopted = await startEmbedded(directory, silentLogger);
    expect(postmasterPid()).toBe(pid);
    expect(await ask(adopted.connection, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await adopted.stop();
    expect(postmasterPid()).toBeUndefined();
  });

  test('runs while any process uses it, and stops with the last', async () => {
    copyCluster();
    const { child } = await startUser();
    const own = await startEmbedded(directory, silentLogger);
    const again = await startEmbedded(directory, silentLogger);
    await own.stop();
    expect(await ask(again.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await again.stop();
    expect(await ask(own.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    const ended = once(child, 'exit');
    child.stdin?.write('end\n');
    await ended;
    expect(postmasterPid()).toBeUndefined();
  });

  test('is started once for several simultaneous requests', async () => {
    const users = await Promise.all([startUser(), startUser(), startUser()]);
    expect(new Set(users.map((user) => user.connection)).size).toBe(1);
    const backends = await ask<{ pid: number }>(users[0].connection, 'select pg_backend_pid() as pid');
    expect(backends).toHaveLength(1);
  });

  test('starts after a power loss whose files name another process, or one that is not collected yet', async () => {
    copyCluster();
    const first = await startEmbedded(directory, silentLogger);
    await ask(first.connection, 'create table kept as select 42 as answer');
    const pidFile = join(directory, 'postgres', 'postmaster.pid');
    const lines = readFileSync(pidFile, 'utf8').split('\n');
    await first.stop();
    const left = [String(process.pid), ...lines.slice(1)].join('\n');
    writeFileSync(pidFile, left);
    writeFileSync(join(lines[4] ?? '', `.s.PGSQL.${lines[3]}.lock`), left);
    const second = await startEmbedded(directory, silentLogger);
    expect(await ask(second.connection, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await second.stop();
  });

  test('starts after a kill during its creation', async () => {
    mkdirSync(join(directory, 'postgres.new-123'));
    writeFileSync(join(directory, 'postgres.new-123', 'PG_VERSION'), '18\n');
    const server = await startEmbedded(directory, silentLogger);
    expect(readdirSync(directory).filter((name) => name.includes('.new-'))).toEqual([]);
    await server.stop();
  });

  test('puts its socket into a short private directory when the data directory has a long path, and removes it', async () => {
    const deep = join(directory, 'a directory, "quoted" and it\'s long'.padEnd(120, 'x'));
    const server = await startEmbedded(deep, silentLogger);
    const socketDirectory = new URL(server.connection).searchParams.get('host') ?? '';
    expect(socketDirectory.startsWith(join(tmpdir(), 'tollgate-socket-'))).toBe(true);
    expect(statSync(socketDirectory).mode & 0o777).toBe(0o700);
    expect(await ask(server.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.stop();
    expect(existsSync(socketDirectory)).toBe(false);
  });

  test('that cannot start reports its log, and leaves no process behind', async () => {
    copyCluster();
    const server = await startEmbedded(directory, silentLogger);
    await server.stop();
    writeFileSync(join(directory, 'postgres', 'custom.conf'), 'max_connections = many\n', { mode: 0o644 });
    await expect(startEmbedded(directory, silentLogger)).rejects.toThrow(/did not start: .*max_connections/s);
    expect(postmasterPid()).toBeUndefined();
    rmSync(join(directory, 'postgres', 'custom.conf'));
    await (await startEmbedded(directory, silentLogger)).stop();
  });
});

describe('the password of the embedded server', () => {
  test('is asked for on its socket, and only the owner of the data directory can read it', async () => {
    copyCluster();
    const server = await startEmbedded(directory, silentLogger);
    await expectClosed(server.connection);
    const { password } = new URL(server.connection);
    expect(password).toMatch(/^[\w-]{64}$/);
    const path = join(directory, 'postgres-password');
    expect(readFileSync(path, 'utf8')).toBe(`${password}\n`);
    expect(statSync(path)).toMatchObject({ uid: statSync(directory).uid, mode: 0o100600 });
    expect(execFileSync('grep', ['-rlF', password, directory], { encoding: 'utf8' }).trim()).toBe(path);
    expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain(password);
    await server.stop();
    // A file that others may read, as after a copy, is closed by the next start.
    chmodSync(path, 0o644);
    const again = await startEmbedded(directory, silentLogger);
    expect(again.connection).toBe(server.connection);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await again.stop();
  });

  test('is set at the next start of a data directory of an older version, and when the file is lost', async () => {
    copyOlderCluster();
    const upgraded = await startEmbedded(directory, silentLogger);
    await expectClosed(upgraded.connection);
    await upgraded.stop();
    for (const text of [undefined, 'cut off']) {
      if (text === undefined) rmSync(join(directory, 'postgres-password'));
      else writeFileSync(join(directory, 'postgres-password'), text);
      const repaired = await startEmbedded(directory, silentLogger);
      expect(repaired.connection).not.toBe(upgraded.connection);
      await expectClosed(repaired.connection);
      await repaired.stop();
    }
  });

  test('is asked for by a server that an older version left running, as soon as no process uses it', async () => {
    copyOlderCluster();
    const older = await startUser('older');
    const pid = postmasterPid();
    expect(await firstAnswer(older.connection)).toBe('R 0');
    const beside = await startEmbedded(directory, silentLogger);
    expect(postmasterPid()).toBe(pid);
    expect(await ask(beside.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await beside.stop();
    await killHard(older.child);
    const adopted = await startEmbedded(directory, silentLogger);
    expect(postmasterPid()).not.toBe(pid);
    await expectClosed(adopted.connection);
    await adopted.stop();
  });

  test('that was changed under a running server is an error with the remedy, and a new start heals it', async () => {
    copyCluster();
    const { child } = await startUser();
    const path = join(directory, 'postgres-password');
    rmSync(path);
    await expect(startEmbedded(directory, silentLogger)).rejects.toThrow(
      `${path} is not the password of the embedded database that is running: stop the server and start it again`,
    );
    await killHard(child);
    const healed = await startEmbedded(directory, silentLogger);
    await expectClosed(healed.connection);
    await healed.stop();
  });

  test('stays that of all connections when the server dies and is started again', async () => {
    copyCluster();
    const server = await startEmbedded(directory, silentLogger);
    const pid = postmasterPid() ?? 0;
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(server.isRunning()).toBe(false), { timeout: 60_000 });
    await vi.waitFor(() => server.revive(), { timeout: 60_000 });
    await expectClosed(server.connection);
    await server.stop();
  });

  test('is not asked for by an older version that the server is opened to', async () => {
    copyCluster();
    const server = await startEmbedded(directory, silentLogger);
    openToOlder(directory);
    await server.stop();
    const older = await startUser('older');
    expect(await firstAnswer(older.connection)).toBe('R 0');
    await killHard(older.child);
    const closed = await startEmbedded(directory, silentLogger);
    expect(closed.connection).toBe(server.connection);
    await expectClosed(closed.connection);
    await closed.stop();
  });
});

describe('an unsupported environment of the embedded server', () => {
  test('without binaries is told to set DATABASE_URL', async () => {
    const spy = vi.spyOn(process, 'arch', 'get').mockReturnValue('mips');
    await expect(startEmbedded(directory, silentLogger)).rejects.toThrow(
      /mips.* is not installed.*set DATABASE_URL/,
    );
    spy.mockRestore();
  });

  test(
    'as root is told which directory is closed to the user of the database, and what to do',
    needs(ROOT),
    async () => {
      const closed = join(directory, 'home');
      mkdirSync(join(closed, 'data'), { recursive: true });
      chmodSync(directory, 0o755);
      chmodSync(closed, 0o700);
      await expect(startEmbedded(join(closed, 'data'), silentLogger)).rejects.toThrow(
        `cannot pass through ${closed}: run "chmod o+x ${closed}", set TOLLGATE_DATA`,
      );
    },
  );
});
