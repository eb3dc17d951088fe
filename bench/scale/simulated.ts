/** What a run of the simulation found, kept beside the cost table it was made from. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Checked, checkCluster, checkModel } from './check.ts';
import { fitCluster } from './fit.ts';
import { type Outcomes, simulate } from './model/simulate.ts';
import {
  type Capacity,
  type Curve,
  capacityOf,
  curvesOf,
  installationFor,
  RATES,
  SEED,
  type Sizing,
  sizeFor,
  VENDOR,
} from './sizing.ts';
import type { CostTable } from './table.ts';

const FILE = join(import.meta.dirname, 'simulated.json');

export interface Sized {
  readonly sizing: Sizing;
  readonly outcomes: Outcomes;
}

export interface Simulated {
  /** Of the cost table. */
  readonly measuredAt: string;
  readonly seed: number;
  readonly checked: readonly Checked[];
  readonly checkedCluster: readonly Checked[];
  readonly capacity: Capacity;
  readonly sizes: readonly Sized[];
  readonly curves: readonly Curve[];
}

/** Long enough that most calls of the warm-up have their answers. */
const WARM_MS = 2_500;
/** The larger the load, the shorter the time in which it says as much. */
const CALLS = 100_000;

export function simulateAll(table: CostTable, say: (line: string) => void, seed = SEED): Simulated {
  say('the model beside what was measured');
  const checked = checkModel(table, seed);
  const checkedCluster = checkCluster(table, seed);
  const costs = fitCluster(table);
  say('what one node carries');
  const capacity = capacityOf(costs);
  const sizes = RATES.map((ratePerSecond) => {
    say(`${ratePerSecond} calls/s`);
    const sizing = sizeFor(ratePerSecond, capacity);
    const measureMs = Math.min(10_000, (CALLS / ratePerSecond) * 1000);
    const load = {
      ratePerSecond,
      arrivals: 'random',
      vendor: VENDOR,
      warmMs: WARM_MS,
      measureMs,
      seed,
    } as const;
    return { sizing, outcomes: simulate(installationFor(sizing), load, costs) };
  });
  say('where latency bends');
  const { measuredAt } = table;
  return { measuredAt, seed, checked, checkedCluster, capacity, sizes, curves: curvesOf(table) };
}

export function readSimulated(file = FILE): Simulated {
  return JSON.parse(readFileSync(file, 'utf8')) as Simulated;
}

export function writeSimulated(simulated: Simulated, file = FILE): string {
  writeFileSync(file, `${JSON.stringify(simulated, null, 2)}\n`);
  return file;
}
