import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { JOURNAL_FILE, JournalFiles, journalFolders } from './journal-files.ts';

let directory: string;
let files: JournalFiles;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tollgate-journals-'));
  files = new JournalFiles(directory);
});
afterEach(async () => {
  await files.close();
  await rm(directory, { recursive: true, force: true });
});

const pathOf = (number: number, folder = 'journal'): string =>
  join(directory, folder, `${String(number).padStart(6, '0')}.log`);

function write(number: number, text: string, folder = 'journal'): void {
  mkdirSync(join(directory, folder), { recursive: true });
  writeFileSync(pathOf(number, folder), text);
}

async function contents(): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for await (const { name, content } of files.contents()) found[name] = content.toString();
  return found;
}

it('has no journal where there is none', async () => {
  await files.openAll();
  expect([await files.openNew(), await contents(), journalFolders(directory)]).toEqual([true, {}, []]);
});

it('keeps what a server deletes after the moment, and takes what comes after it, up to the last whole line', async () => {
  write(4, 'settled\n');
  write(5, 'one\n');
  write(1, 'of a worker\n', 'workers/3/journal');
  await files.openAll();
  rmSync(pathOf(4));
  appendFileSync(pathOf(5), 'two\nand ha');
  write(6, 'three\n');
  write(7, '');
  expect(await files.openNew()).toBe(true);
  expect(await contents()).toEqual({
    'journal/000004.log': 'settled\n',
    'journal/000005.log': 'one\ntwo\n',
    'journal/000006.log': 'three\n',
    'workers/3/journal/000001.log': 'of a worker\n',
  });
  expect(Object.keys(await contents()).every((name) => JOURNAL_FILE.test(name))).toBe(true);
});

it('asks for another moment when a segment has come and gone', async () => {
  write(5, 'one\n');
  await files.openAll();
  write(7, 'three\n');
  expect(await files.openNew()).toBe(false);
});

it('has calls that the database refused', async () => {
  mkdirSync(join(directory, 'journal'));
  writeFileSync(join(directory, 'journal', 'rejected.log'), 'refused\n');
  await files.openAll();
  expect(await files.openNew()).toBe(true);
  expect(await contents()).toEqual({ 'journal/rejected.log': 'refused\n' });
});

it.each(['../secret', 'journal/../secret', 'secret', 'journal/1.log', '/journal/000001.log'])(
  'does not take %s for a journal file',
  (name) => {
    expect(JOURNAL_FILE.test(name)).toBe(false);
  },
);
