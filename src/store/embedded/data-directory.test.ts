import { mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataDirectoryUnusable, prepareDataDirectory } from './data-directory.ts';

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'tollgate-data-')));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a missing data directory is created, closed to others', () => {
  const path = prepareDataDirectory(join(folder, 'deep', 'data'));
  expect(path).toBe(join(folder, 'deep', 'data'));
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test('two names of one directory are resolved to one path, so that they have one lock', () => {
  prepareDataDirectory(join(folder, 'data'));
  symlinkSync('data', join(folder, 'link'));
  expect(prepareDataDirectory(join(folder, 'link'))).toBe(join(folder, 'data'));
});

test('an unusable data directory is refused with the remedy', () => {
  writeFileSync(join(folder, 'file'), '');
  expect(() => prepareDataDirectory(join(folder, 'file', 'data'))).toThrow(
    /cannot be used.*set TOLLGATE_DATA/,
  );
});

test('a path where no directory can be created is refused at once', () => {
  expect(() => prepareDataDirectory('/proc/no/such/place')).toThrow(DataDirectoryUnusable);
});
