import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CONSOLE_SOURCES, hashSources } from './sources.ts';

test('the hash of the sources is the same until one of them changes', () => {
  expect(existsSync(join(CONSOLE_SOURCES, 'main.tsx'))).toBe(true);
  expect(hashSources()).toMatch(/^[0-9a-f]{64}$/);
  expect(hashSources()).toBe(hashSources());
});
