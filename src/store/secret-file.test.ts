import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { systemRandom } from '../kernel/random.ts';
import { readSecret } from './secret-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'tollgate-secret-'));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('a missing secret is created once, with mode 0600, and found again', () => {
  const made = readSecret(undefined, directory, systemRandom);
  expect(made.length).toBeGreaterThanOrEqual(64);
  expect(readSecret(undefined, directory, systemRandom)).toBe(made);
  expect(statSync(join(directory, 'secret')).mode & 0o777).toBe(0o600);
});

test('a configured secret is used and nothing is written', () => {
  expect(readSecret('configured', join(directory, 'none'), systemRandom)).toBe('configured');
  expect(() => statSync(join(directory, 'none'))).toThrow();
});
