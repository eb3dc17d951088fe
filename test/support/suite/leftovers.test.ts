import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { needs, PROC } from '../../needs.ts';
import { until } from '../processes.ts';
import { clearFolder, processesOf } from './leftovers.ts';

test('each test file has a temporary folder of its own inside that of the run', () => {
  const [own, ofRun] = [basename(tmpdir()), basename(dirname(tmpdir()))];
  expect([own, ofRun]).toEqual([expect.stringMatching(/^f-/), expect.stringMatching(/^tollgate-/)]);
});

test('processes that a test left behind are ended, and its folder is removed', needs(PROC), async () => {
  const folder = mkdtempSync(join(tmpdir(), 'left-'));
  writeFileSync(join(folder, 'file'), 'text');
  // The shell ends at once; what it started continues, one by its environment and one by its place.
  const line = 'sleep 1000 & cd "$FOLDER" && exec env -i sleep 1000';
  const children = ['sh', 'sh'].map((shell) =>
    spawn(shell, ['-c', line], { env: { ...process.env, FOLDER: folder }, stdio: 'ignore' }),
  );
  const other = spawn('sleep', ['1000'], { stdio: 'ignore' });
  await until(() => processesOf(folder).length === 4);
  const ended = Promise.all(children.map((child) => once(child, 'exit')));
  clearFolder(folder);
  expect(await ended).toEqual([
    [null, 'SIGKILL'],
    [null, 'SIGKILL'],
  ]);
  await until(() => processesOf(folder).length === 0);
  expect(existsSync(folder)).toBe(false);
  expect(other.exitCode).toBe(null);
});
