import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { exampleCell as cell, exampleRun, exampleSoak } from '../../test/support/bench-results.ts';
import { renderDocument, writeDocument } from './document.ts';
import { barChart, curveChart } from './svg.ts';

const docs = mkdtempSync(join(tmpdir(), 'bench-document-'));
afterAll(() => rmSync(docs, { recursive: true, force: true }));

const memory = [0, 10].map((streams) => ({
  target: 'tollgate',
  kind: 'streams' as const,
  streams,
  gatewayBytes: 2 ** 20 * (1 + streams),
  databaseBytes: 0,
}));
const run = exampleRun(
  [
    cell('bare', 0, { cpuMs: 100 }),
    cell('tollgate', 0, { cpuMs: 300 }),
    ...[300, 600].map((ratePerSecond) =>
      cell('tollgate', 0, { cpuMs: 100, ratePerSecond, scenario: `load-${ratePerSecond}` }),
    ),
    ...[10, 1000].map((count) => cell(`tollgate-accounts-${count}`, 0, { part: 'growth', cpuMs: 100 })),
  ],
  { memory },
);

it('writes a page with one title, whose plots are all there', () => {
  const [page = '', ...images] = writeDocument(run, docs);
  const text = readFileSync(page, 'utf8');
  const shown = [...text.matchAll(/\]\((images\/[^)]+)\)/g)].map(([, path = '']) => join(docs, path));
  expect(shown).toEqual(images);
  expect(images).toHaveLength(5);
  expect(text.match(/^# /gm)).toHaveLength(1);
  expect(text).not.toContain('{{');
  for (const image of images) expect(readFileSync(image, 'utf8')).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
});

it('shows a soak with its plot, and says so when none is kept', () => {
  const [page = '', ...images] = writeDocument(run, docs, { soak: exampleSoak() });
  expect(readFileSync(page, 'utf8')).toContain('](images/soak-memory.svg)');
  expect(images).toHaveLength(6);
  writeDocument(run, docs);
  expect(readFileSync(page, 'utf8')).toContain('No run is kept yet.');
});

it('refuses a template that asks for what nobody makes', () => {
  expect(() => renderDocument(run, [], '# {{nothing}}')).toThrow('"nothing"');
});

it('draws bars in order of their length and keeps marks out of texts', () => {
  const bar = (value: number) => ({ label: 'a < b & "c"', value, text: String(value), isOurs: true });
  const widths = [...barChart('costs', [bar(1), bar(2), bar(4)]).matchAll(/ width="([\d.]+)"/g)];
  expect(widths.map(([, width]) => Number(width))).toEqual([110, 220, 440]);
  expect(barChart('costs', [bar(1)])).toContain('a &lt; b &amp; &quot;c&quot;');
  expect(barChart('costs', [bar(1), bar(1000)])).toContain('logarithm');
});

it('draws a higher value higher', () => {
  const svg = curveChart({ title: 't', x: 'x', y: 'y' }, [
    {
      label: 'a',
      points: [
        [1, 1],
        [2, 5],
      ],
    },
  ]);
  const [low = 0, high = 0] = [...svg.matchAll(/ cy="([\d.]+)"/g)].map(([, y]) => Number(y));
  expect(high).toBeLessThan(low);
});
