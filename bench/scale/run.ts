/**
 * `npm run simulate:scale`: the simulation with the measured costs. It prints what it found; with
 * `--document` it writes docs/scale.md and its plot. `--seed N` draws other times.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PLOT, renderPage, renderPlot } from './page.ts';
import { readSimulated, simulateAll, writeSimulated } from './simulated.ts';
import { SEED } from './sizing.ts';
import { readCosts } from './table.ts';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');

function main(): void {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: String(SEED) },
      document: { type: 'boolean', default: false },
      /** The page again from what was simulated last, after its words have changed. */
      words: { type: 'boolean', default: false },
    },
  });
  const table = readCosts();
  const say = (line: string): void => console.error(line);
  const simulated = values.words ? readSimulated() : simulateAll(table, say, Number(values.seed));
  const page = renderPage(table, simulated);
  if (!values.document) {
    console.log(page);
    return;
  }
  const files = [join(DOCS, 'scale.md'), join(DOCS, 'images', PLOT)] as const;
  writeFileSync(files[0], page);
  writeFileSync(files[1], renderPlot(simulated));
  for (const file of [writeSimulated(simulated), ...files]) console.log(file);
}

main();
