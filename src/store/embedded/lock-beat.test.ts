import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Logger, silentLogger } from '../../kernel/log.ts';
import { acquireLock, describeHeld } from './lock.ts';
import { isBeating, SILENCE_MS, startBeat } from './lock-beat.ts';

let directory: string;
let path: string;
let stops: (() => void)[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tollgate-beat-'));
  path = join(directory, 'some.lock');
  stops = [];
});
afterEach(() => {
  for (const stop of stops) stop();
  rmSync(directory, { recursive: true, force: true });
});

describe('the beat of a file', () => {
  beforeEach(() => writeFileSync(path, ''));
  const touchedMs = (): number => statSync(path).mtimeMs;

  test('is seen while it goes on, and its silence after it stopped', async () => {
    const stop = startBeat(path, 20);
    expect(await isBeating(touchedMs, 5_000)).toBe(true);
    stop();
    await sleep(50);
    expect(await isBeating(touchedMs, 300)).toBe(false);
  });

  test('does not mind that the file is gone', async () => {
    stops.push(startBeat(path, 10));
    rmSync(path);
    await sleep(50);
  });

  test('is not that of another file in its place', async () => {
    let looks = 0;
    expect(await isBeating(() => (looks++ === 0 ? 1 : undefined), 5_000)).toBe(false);
    expect(await isBeating(() => undefined, 5_000)).toBe(false);
  });
});

describe('the lock of a process on another machine', () => {
  const owner = { pid: 1, started: 'boot-b:1', namespace: 'pid:[1]', host: 'another-machine' };
  beforeEach(() => writeFileSync(path, JSON.stringify({ ...owner, since: '2026-01-01T00:00:00Z' })));

  test('is held while its owner beats, and who asks is told where', async () => {
    stops.push(startBeat(path, 100));
    const result = await acquireLock(path, silentLogger);
    expect(result.kind === 'held' && describeHeld(directory, result)).toContain(
      '(process 1 on another-machine, since 2026-01-01T00:00:00Z)',
    );
  });

  test('is taken over after a silence that the log tells of', async () => {
    const said: object[] = [];
    const log: Logger = { ...silentLogger, warn: (fields) => said.push(fields) };
    const startedMs = performance.now();
    const result = await acquireLock(path, log);
    expect(performance.now() - startedMs).toBeGreaterThan(SILENCE_MS - 100);
    expect(said).toEqual([{ lock: path, ownerPid: 1, ownerHost: 'another-machine', waitMs: SILENCE_MS }]);
    expect(result.kind).toBe('locked');
    if (result.kind === 'locked') result.release();
  }, 30_000);
});
