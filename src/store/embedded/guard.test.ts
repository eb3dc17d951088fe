import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLogger } from '../../kernel/log.ts';
import { openDatabase } from '../database.ts';
import { guardEmbedded } from './guard.ts';
import { startEmbedded } from './server.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-guard-'));
  chmodSync(folder, 0o755);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const postmasterPid = (data: string): number =>
  Number(readFileSync(join(data, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);

test.each([
  ['in the data directory', 'data'],
  ['elsewhere, where the path is too long for a socket', `data-${'x'.repeat(90)}`],
])(
  'a killed database returns at its address, %s',
  async (_place, name) => {
    const data = join(folder, name);
    const server = await startEmbedded(data, silentLogger);
    const endGuard = guardEmbedded(server, silentLogger);
    const database = await openDatabase({ connection: server.connection, log: silentLogger });
    await database.query('create table kept (value int)');
    await database.query('insert into kept values (7)');
    const killed = postmasterPid(data);
    process.kill(killed, 'SIGKILL');
    await vi.waitFor(() => expect(postmasterPid(data)).not.toBe(killed), { timeout: 60_000 });
    const back = async () => expect(await database.query('select value from kept')).toEqual([{ value: 7 }]);
    await vi.waitFor(back, { timeout: 60_000 });
    await database.close();
    await endGuard();
    await server.stop();
    expect(() => postmasterPid(data)).toThrow(/ENOENT/);
  },
  40_000,
);

test('a database that does not return is started again, with growing waits', async () => {
  vi.useFakeTimers();
  const revive = vi.fn(async () => {
    throw new Error('not yet');
  });
  const endGuard = guardEmbedded({ isRunning: () => false, revive }, silentLogger);
  await vi.advanceTimersByTimeAsync(20_000);
  // At 0, 0.25, 0.75, 1.75, 3.75, 7.75, then every 5 s.
  expect(revive).toHaveBeenCalledTimes(8);
  await endGuard();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(revive).toHaveBeenCalledTimes(8);
  vi.useRealTimers();
});
