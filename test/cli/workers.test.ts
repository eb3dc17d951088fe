import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Workers } from '../../src/cli/serve/workers.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import { sleep, until } from '../support/processes.ts';

/** It writes down that it lives into the file it is told of, and serves nothing. */
const PROGRAM = `
  import { appendFileSync } from 'node:fs';
  process.on('SIGTERM', () => process.env.STUBBORN || process.exit(0));
  process.on('message', (word) => {
    if (word.kind !== 'start') return;
    appendFileSync(word.configFile, process.pid + ' ');
    process.send({ kind: 'serves', url: 'http://127.0.0.1:' + word.port, missing: [] });
  });`;
/** More than the kernel takes of one variable, so that no process can be started. */
const TOO_BIG = 'x'.repeat(200 * 1024);

let folder: string;
let alive: string;
const errors: string[] = [];
const log = { ...silentLogger, error: (_: object, message: string) => void errors.push(message) };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-workers-'));
  alive = join(folder, 'alive');
  await writeFile(alive, '');
  await writeFile(join(folder, 'program.mjs'), PROGRAM);
  errors.length = 0;
});

afterEach(async () => {
  delete process.env.STUBBORN;
  delete process.env.TOO_BIG;
  for (const pid of await pids()) killIfAlive(pid);
  await rm(folder, { recursive: true, force: true });
});

const pids = async (): Promise<number[]> => (await readFile(alive, 'utf8')).trim().split(' ').map(Number);

function killIfAlive(pid: number): void {
  try {
    if (pid > 0) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

const workersOf = (stopMs: number): Workers =>
  new Workers({
    count: 1,
    port: 1,
    opsPort: 2,
    databaseUrl: '',
    configFile: alive,
    stopMs,
    log,
    program: join(folder, 'program.mjs'),
  });

const within = (work: Promise<void>): Promise<string> =>
  Promise.race([work.then(() => 'done'), sleep(180_000).then(() => 'too late')]);

test('a worker that cannot be started is tried again until it can', async () => {
  const workers = workersOf(60_000);
  await workers.start();
  process.env.TOO_BIG = TOO_BIG;
  const [first = 0] = await pids();
  process.kill(first, 'SIGKILL');
  await until(() => errors.filter((message) => message.includes('could not be created')).length >= 2);
  delete process.env.TOO_BIG;
  await until(async () => (await pids()).length === 2);
  expect(await within(workers.stop())).toBe('done');
  expect(workers.worstCode).toBe(0);
});

test('a worker that does not end on a signal is killed', async () => {
  process.env.STUBBORN = 'yes';
  const workers = workersOf(200);
  await workers.start();
  expect(await within(workers.stop())).toBe('done');
  expect(errors).toEqual(['worker does not stop in time and is killed']);
  expect(workers.worstCode).toBe(1);
});
