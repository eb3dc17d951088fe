import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPort } from '../../../src/http/port.ts';
import { pgbouncer } from '../../prerequisites.ts';
import { until } from '../processes.ts';

export interface TestPooler {
  /** The database, by way of the pooler. */
  readonly connection: string;
  close(): Promise<void>;
}

export interface PoolerOptions {
  readonly mode: 'transaction' | 'session';
  /** Settings of a session that clients may send and that are ignored. Others are refused. */
  readonly ignored: readonly string[];
  /** Connections to the server. */
  readonly size: number;
}

/** A real PgBouncer in front of a database of the tests' own server. */
export async function startPooler(database: string, options: PoolerOptions): Promise<TestPooler> {
  const url = new URL(database);
  const socketFolder = url.searchParams.get('host') ?? '';
  const { uid, gid } = statSync(socketFolder);
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-pooler-'));
  const port = await findPort('127.0.0.1', 0);
  const name = url.pathname.slice(1);
  const server = `host=${socketFolder} port=${url.searchParams.get('port') ?? '5432'}`;
  const password = url.password === '' ? '' : ` password=${decodeURIComponent(url.password)}`;
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
${name} = ${server} dbname=${name} user=${url.username}${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${options.mode}
default_pool_size = ${options.size}
ignore_startup_parameters = ${options.ignored.join(',')}
`,
  );
  // It refuses to be root. The owner of the server may use its socket.
  if (process.getuid?.() === 0) chownSync(folder, uid, gid);
  const child: ChildProcess = spawn(String(pgbouncer), [join(folder, 'pgbouncer.ini')], {
    cwd: folder,
    ...(process.getuid?.() === 0 && { uid, gid }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr?.on('data', (bytes) => (said += bytes));
  const exited = once(child, 'exit');
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  await until(() => {
    if (child.exitCode !== null) throw new Error(`PgBouncer does not run:\n${said}`);
    return isOpen(port);
  });
  return { connection: `postgresql://${url.username}@127.0.0.1:${port}/${name}`, close };
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const opened = once(socket, 'connect').then(
    () => true,
    () => false,
  );
  return opened.finally(() => socket.destroy());
}
