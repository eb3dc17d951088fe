import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { needs } from '../../../test/needs.ts';
import { CONTAINER, container } from '../../../test/support/container.ts';
import { acquireLock, describeHeld, lockDataDirectory } from './lock.ts';
import { thisProcess } from './process-identity.ts';

const HOLDER = fileURLToPath(new URL('../../../test/store/lock-holder.ts', import.meta.url));

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

function startHolder(startAt = 0, container: readonly string[] = []): Starter {
  const [program, ...args] = [...container, process.execPath, HOLDER, directory, String(startAt)] as const;
  const child = spawn(program ?? '', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const said = once(child.stdout as NodeJS.ReadableStream, 'data').then(([data]) => String(data).trim());
  return { child, said };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  // When its output ends, what runs in the container is dead too.
  const ended = once(child, 'close');
  child.kill('SIGKILL');
  await ended;
}

test('a second server on one data directory is refused, 20 times of 20, with the name of the owner', async () => {
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

test('exactly one of ten simultaneous servers gets the lock', async () => {
  await race();
});

test('exactly one of ten simultaneous servers takes over from a dead one', async () => {
  const first = startHolder();
  expect(await first.said).toBe('locked');
  await kill(first.child);
  await race();
});

async function race(container: readonly string[] = []): Promise<void> {
  const startAt = Date.now() + 2_500;
  const said = await Promise.all(Array.from({ length: 10 }, () => startHolder(startAt, container).said));
  expect(said.filter((text) => text === 'locked')).toHaveLength(1);
  expect(said.filter((text) => text.includes('in use by another Tollgate server'))).toHaveLength(9);
  expectOneLock();
}

/** And its owner's socket, where the system has namespaces. */
function expectOneLock(): void {
  const names = readdirSync(directory).filter(
    (name) => !/^\.tollgate\.lock\.[0-9a-f]{16}\.socket$/.test(name),
  );
  expect(names).toEqual(['tollgate.lock']);
  expect(readdirSync(directory)).toHaveLength(thisProcess().namespace === '' ? 1 : 2);
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

test('an empty lock file after a power loss is taken over', async () => {
  writeFileSync(join(directory, 'tollgate.lock'), '');
  expect((await lockDataDirectory(directory)).kind).toBe('locked');
});

test('a server that died during its takeover does not block the next one', async () => {
  const dead = JSON.stringify({ pid: 4_194_000, started: 'gone:1' });
  writeFileSync(join(directory, 'tollgate.lock'), dead);
  writeFileSync(join(directory, 'tollgate.lock.takeover'), dead);
  expect((await lockDataDirectory(directory)).kind).toBe('locked');
  expectOneLock();
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

test('a clean end leaves no file', async () => {
  const lock = await lockDataDirectory(directory);
  if (lock.kind === 'locked') lock.release();
  expect(readdirSync(directory)).toEqual([]);
});

test('a lock that an older version left is judged by its process number', async () => {
  const { pid, started } = thisProcess();
  writeFileSync(join(directory, 'tollgate.lock'), JSON.stringify({ pid, started, since: '2026', count: 1 }));
  expect(await lockDataDirectory(directory)).toMatchObject({ kind: 'held', pid, host: '' });
});

describe('a lock whose owner cannot be checked', () => {
  const owner = { ...thisProcess(), pid: 1, since: '2026-01-01T00:00:00Z' };

  test.each([
    ['of another machine', { started: 'boot-b:1', namespace: 'pid:[1]', host: 'another-machine' }],
    ['of another container that has no socket', { namespace: 'pid:[1]', host: 'another-container' }],
  ])('with %s is refused, with a message that says what to do', async (_name, other) => {
    const path = join(directory, 'tollgate.lock');
    writeFileSync(path, JSON.stringify({ ...owner, ...other }));
    const result = await lockDataDirectory(directory);
    const said = result.kind === 'held' ? describeHeld(directory, result) : '';
    expect(said).toContain(`(process 1 on ${other.host}, since 2026-01-01T00:00:00Z)`);
    expect(said).toContain('If it does not run any more, delete the .lock files in the directory.');
    rmSync(path);
    expect((await lockDataDirectory(directory)).kind).toBe('locked');
  });
});

describe('in two containers', needs(CONTAINER), () => {
  // Longer than the path of a socket may be.
  beforeEach(() => {
    directory = join(directory, 'data'.repeat(30));
    mkdirSync(directory);
  });

  test('the second server is refused while the first runs, also when it is paused', async () => {
    const first = startHolder(0, container);
    expect(await first.said).toBe('locked');
    const held = /in use by another Tollgate server \(process 1, since 20/;
    expect(await startHolder(0, container).said).toMatch(held);
    const { pid } = first.child;
    const inside = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));
    process.kill(inside, 'SIGSTOP');
    expect(await startHolder(0, container).said).toMatch(held);
    expect(await startHolder().said).toMatch(held);
    expectOneLock();
  });

  test('the lock of a killed server is taken over at once', async () => {
    const first = startHolder(0, container);
    expect(await first.said).toBe('locked');
    await kill(first.child);
    expect(await startHolder(0, container).said).toBe('locked');
    expectOneLock();
  });

  test('exactly one of ten simultaneous servers takes over from a dead one', async () => {
    const first = startHolder(0, container);
    expect(await first.said).toBe('locked');
    await kill(first.child);
    await race(container);
  });
});
