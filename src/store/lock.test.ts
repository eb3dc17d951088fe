import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acquireLock, lockDataDirectory } from './lock.ts';
import { thisProcess } from './process-identity.ts';

const HOLDER = fileURLToPath(new URL('../../test/store/lock-holder.ts', import.meta.url));

let directory: string;
let children: ChildProcess[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tollgate-lock-'));
  children = [];
});

afterEach(async () => {
  for (const child of children) await kill(child);
  rmSync(directory, { recursive: true, force: true });
});

interface Starter {
  readonly child: ChildProcess;
  /** Its first line: `locked`, or why not. */
  readonly said: Promise<string>;
}

function startHolder(startAt = 0): Starter {
  const child = spawn(process.execPath, [HOLDER, directory, String(startAt)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const said = once(child.stdout as NodeJS.ReadableStream, 'data').then(([data]) => String(data).trim());
  return { child, said };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

test('a second server on one data directory is refused, 20 times of 20, and told who has it', async () => {
  const first = startHolder();
  expect(await first.said).toBe('locked');
  for (let round = 0; round < 4; round++) {
    const others = Array.from({ length: 5 }, () => startHolder());
    for (const { child, said } of others) {
      expect(await said).toMatch(
        new RegExp(`in use by another Tollgate server \\(process ${first.child.pid}, since 20`),
      );
      if (child.exitCode === null) await once(child, 'exit');
      expect(child.exitCode).toBe(1);
    }
  }
});

test('the lock of a killed server is taken over', async () => {
  const first = startHolder();
  expect(await first.said).toBe('locked');
  await kill(first.child);
  expect(await startHolder().said).toBe('locked');
});

test('of ten servers that start at once exactly one wins', async () => {
  await race();
});

test('of ten servers that start at once exactly one takes over from a dead one', async () => {
  const first = startHolder();
  expect(await first.said).toBe('locked');
  await kill(first.child);
  await race();
});

async function race(): Promise<void> {
  const startAt = Date.now() + 2_500;
  const said = await Promise.all(Array.from({ length: 10 }, () => startHolder(startAt).said));
  expect(said.filter((text) => text === 'locked')).toHaveLength(1);
  expect(said.filter((text) => text.includes('in use by another Tollgate server'))).toHaveLength(9);
  expect(readdirSync(directory)).toEqual(['tollgate.lock']);
}

test('a lock whose process number now belongs to another process is taken over', async () => {
  const stolen = JSON.stringify({
    ...thisProcess(),
    started: 'another boot:1',
    since: '2026-01-01T00:00:00Z',
  });
  writeFileSync(join(directory, 'tollgate.lock'), stolen);
  expect((await lockDataDirectory(directory)).kind).toBe('locked');
});

test('a lock file that a power loss left empty is taken over', async () => {
  writeFileSync(join(directory, 'tollgate.lock'), '');
  expect((await lockDataDirectory(directory)).kind).toBe('locked');
});

test('a taker that died while it took over does not block the next one', async () => {
  const dead = JSON.stringify({ pid: 4_194_000, started: 'gone:1' });
  writeFileSync(join(directory, 'tollgate.lock'), dead);
  writeFileSync(join(directory, 'tollgate.lock.takeover'), dead);
  expect((await lockDataDirectory(directory)).kind).toBe('locked');
  expect(readdirSync(directory)).toEqual(['tollgate.lock']);
});

test('a released lock is free, and releasing it twice does not free the next owner', async () => {
  const path = join(directory, 'some.lock');
  const first = await acquireLock(path);
  expect((await acquireLock(path)).kind).toBe('held');
  if (first.kind === 'locked') first.release();
  expect((await acquireLock(path)).kind).toBe('locked');
  if (first.kind === 'locked') first.release();
  expect(readFileSync(path, 'utf8')).toContain(`"pid":${process.pid}`);
});
