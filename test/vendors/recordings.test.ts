import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { vendorPresets } from '../../src/catalog/presets/presets.ts';
import { needs, RECORDINGS } from '../needs.ts';
import { recordingsFolder } from '../prerequisites.ts';

const HOST = /"host": "([^"]{1,253})"/g;

test('a preset that was tried with recordings has recordings of its own address', needs(RECORDINGS), () => {
  const files = readdirSync(recordingsFolder).filter((name) => name.endsWith('.jsonl'));
  const hosts = new Set(
    files.flatMap((name) => {
      const text = readFileSync(join(recordingsFolder, name), 'utf8');
      return [...text.matchAll(HOST)].map(([, host = '']) => host);
    }),
  );
  const tried = vendorPresets().filter((preset) => preset.tried === 'recordings');
  expect(tried.length).toBeGreaterThan(8);
  for (const { code, addresses } of tried) {
    const own = addresses.map(({ baseUrl }) => new URL(baseUrl).host);
    expect(
      own.some((host) => hosts.has(host)),
      code,
    ).toBe(true);
  }
});

test('no preset claims to have been tried with the vendor itself', () => {
  expect(vendorPresets().filter(({ tried }) => tried === 'vendor')).toEqual([]);
});
