import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkModel } from './check.ts';
import { PLOT, renderPage, renderPlot } from './page.ts';
import { readSimulated } from './simulated.ts';
import { readCosts } from './table.ts';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');
const table = readCosts();
const simulated = readSimulated();

it('is the page that docs/scale.md has: else run `npm run simulate:scale -- --document`', () => {
  expect(readFileSync(join(DOCS, 'scale.md'), 'utf8')).toBe(renderPage(table, simulated));
  expect(readFileSync(join(DOCS, 'images', PLOT), 'utf8')).toBe(renderPlot(simulated));
});

it('was simulated with the costs that the table has now', () => {
  expect(simulated.measuredAt).toBe(table.measuredAt);
  const [first] = checkModel(table, simulated.seed);
  const [kept] = simulated.checked;
  expect(kept?.window).toEqual(first?.window);
  expect(kept?.predicted.addedMs.p90).toBeCloseTo(first?.predicted.addedMs.p90 ?? 0, 1);
  expect(kept?.predicted.tripsPerCall).toBeCloseTo(first?.predicted.tripsPerCall ?? 0, 2);
});

it('says that a busy machine was measured if it was', () => {
  const busy = { ...table, server: table.server.map((window) => ({ ...window, othersCores: 1.2 })) };
  expect(renderPage(busy, simulated)).toContain('Other work ran on the machine');
  const quiet = (windows: typeof table.server) => windows.map((each) => ({ ...each, othersCores: 0 }));
  const calm = { ...table, server: quiet(table.server), cluster: quiet(table.cluster) };
  expect(renderPage(calm, simulated)).not.toContain('Other work ran on the machine');
});
