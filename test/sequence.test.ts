import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FIRST, rankOf } from '../vitest.config.ts';
import { projectRoot } from './house/tree.ts';

test('every file of the list exists, once', () => {
  expect(FIRST.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([]);
  expect(new Set(FIRST).size).toBe(FIRST.length);
});

test('a file outside the list comes behind all that are in it', () => {
  expect(rankOf(FIRST.at(-1) ?? '')).toBeLessThan(rankOf('src/kernel/time/clock.test.ts'));
});
