import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { journalFolder, lockJournal, orphanFolders, removeIfEmpty } from './worker-slot.ts';

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'tollgate-post-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const post = (number: number) => ({ number, collectMetrics: async (own: string) => own });
const leave = (...numbers: readonly number[]): void => {
  for (const number of numbers)
    mkdirSync(join(data, 'workers', String(number), 'journal'), { recursive: true });
};
const worker = (number: number): string => join(data, 'workers', String(number));

test('a single process keeps its journal, and a worker has its own', () => {
  expect(journalFolder(data, undefined)).toBe(data);
  expect(journalFolder(data, post(3))).toBe(worker(3));
});

test('a single process recovers the journals of all former workers', () => {
  expect(orphanFolders(data, 1, undefined)).toEqual([]);
  leave(1, 2, 10);
  mkdirSync(join(data, 'workers', 'compiled'));
  expect(orphanFolders(data, 1, undefined)).toEqual([worker(1), worker(2), worker(10)]);
});

test('the first of several workers recovers those of former workers, and of the single process', () => {
  leave(1, 2, 3, 4);
  expect(orphanFolders(data, 2, post(1))).toEqual([data, worker(3), worker(4)]);
  expect(orphanFolders(data, 2, post(2))).toEqual([]);
});

test('a journal is waited for while another process finishes with it', async () => {
  const first = await lockJournal(worker(1));
  let got = false;
  const second = lockJournal(worker(1)).then((held) => {
    got = true;
    return held;
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(got).toBe(false);
  first.release();
  const held = await second;
  expect(held.directory).toBe(join(worker(1), 'journal'));
  held.release();
});

test('an empty folder of a former worker is removed; one with refused calls stays', () => {
  leave(1, 2);
  writeFileSync(join(worker(2), 'journal', 'rejected.log'), 'a call');
  for (const number of [1, 2]) removeIfEmpty(worker(number));
  expect([1, 2].map((number) => existsSync(worker(number)))).toEqual([false, true]);
});
