/** `npm run bench`: every target under every kind of traffic, interleaved and repeated. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { Bench } from './bench.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { renderRun } from './report/report.ts';
import type { Run } from './report/result.ts';
import {
  pairScenarios,
  type Scenario,
  scenarios,
  TIMING,
  TIMING_PAIRS,
  TIMING_QUICK,
  type Timing,
} from './scenario.ts';
import type { Target } from './target.ts';
import { bare } from './targets/bare.ts';
import { nginx } from './targets/nginx.ts';
import { portkey } from './targets/portkey.ts';
import { tollgate } from './targets/tollgate.ts';

const TARGETS: readonly Target[] = [bare, nginx, portkey, tollgate];

interface Plan {
  readonly scenarios: readonly Scenario[];
  readonly targets: readonly Target[];
  readonly timing: Timing;
}

/** Conversions are measured against passing through, within Tollgate: the others cannot do them all. */
function planOf(options: Options): Plan {
  if (options.scenarios?.includes('convert')) {
    const timing = options.length === 'full' ? TIMING_PAIRS : TIMING_QUICK;
    return { scenarios: pairScenarios(), targets: [tollgate], timing };
  }
  return {
    scenarios: choose(scenarios(options.length), options.scenarios),
    targets: choose(TARGETS, options.targets),
    timing: options.length === 'full' ? TIMING : TIMING_QUICK,
  };
}

function choose<Item extends { readonly name: string }>(
  items: readonly Item[],
  names: readonly string[] | undefined,
): readonly Item[] {
  const unknown = names?.find((name) => !items.some((each) => each.name === name));
  if (unknown !== undefined) throw new Error(`there is no "${unknown}"; ${USAGE}`);
  return names === undefined ? items : items.filter((each) => names.includes(each.name));
}

function describeMachine(): Run['machine'] {
  const loadAverage = readFileSync('/proc/loadavg', 'utf8').split(' ')[0] ?? '';
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: `${cpus().length} cores`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    kernel: `Linux ${release()}`,
    loadAverage: `load average ${loadAverage} at the start`,
  };
}

async function main(options: Options): Promise<void> {
  const begunMs = performance.now();
  const startedAt = new Date().toISOString();
  const machine = describeMachine();
  const { scenarios: chosen, targets, timing } = planOf(options);
  const bench = new Bench();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void bench.stop().then(() => process.exit(1)));
  }
  try {
    await bench.start(targets, chosen);
    const cells = await bench.runCells(chosen, { ...timing, repeats: options.repeats ?? timing.repeats });
    const durationS = Math.round((performance.now() - begunMs) / 1000);
    const { leftOut, versions } = bench;
    write({ startedAt, durationS, machine, versions, leftOut, cells }, options.jsonFile);
  } finally {
    await bench.stop();
  }
}

function write(run: Run, jsonFile: string | undefined): void {
  const name = `${run.startedAt.replaceAll(':', '-')}.json`;
  const file = jsonFile ?? join(import.meta.dirname, 'results', name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(run, null, 2)}\n`);
  console.log(`${renderRun(run)}\n\nAll figures: ${file}`);
}

await main(readOptions(process.argv.slice(2)));
