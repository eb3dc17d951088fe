/**
 * `npm run soak`: an hour of traffic and faults; `-- --minutes 10` for less. Ends with 1 when a goal is
 * missed. The result is bench/results/soak-<time>.json, with a plot of memory beside it;
 * `npm run bench -- --document --soak FILE` puts both into docs/performance.md.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { figuresOf, renderSoak, soakPlot } from '../../bench/report/soak.ts';
import { projectRoot } from '../house/tree.ts';
import { SEED } from '../support/property-runs.ts';
import { planFor } from './plan.ts';
import { proofOf } from './proof.ts';
import { soak } from './soak.ts';

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '60' },
      json: { type: 'string' },
    },
  });
  const minutes = Number(values.minutes);
  if (!(minutes >= 1)) throw new Error('--minutes takes a number of at least 1');
  const result = await soak(planFor(minutes), SEED, (line) => console.error(line));
  const name = `soak-${result.startedAt.replaceAll(':', '-')}.json`;
  const file = values.json ?? join(projectRoot, 'bench', 'results', name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(file.replace(/(?:\.json)?$/, '.svg'), soakPlot(result).svg);
  console.log(`${renderSoak(result)}\n\nAll figures: ${file}\n${proofOf(result)}`);
  for (const problem of result.books.problems.slice(0, 20)) console.error(problem);
  return figuresOf(result).every(({ isMet }) => isMet) ? 0 : 1;
}

process.exitCode = await main();
