/** `npm run bench`: every target under every kind of traffic, interleaved and repeated. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { Bench } from './bench.ts';
import { type Cores, findCores } from './cores.ts';
import type { LedgerResult } from './ledger/section.ts';
import { type Options, readOptions } from './options.ts';
import { type PlannedPart, planOf, TARGETS } from './plan.ts';
import { writeDocument } from './report/document.ts';
import { renderRun } from './report/report.ts';
import {
  type Cell,
  type LeftOut,
  type LoopPoint,
  type MemoryPoint,
  mergeRuns,
  type Run,
} from './report/result.ts';
import type { SoakResult } from './report/soak.ts';

const DOCS = join(import.meta.dirname, '..', 'docs');

function describeMachine(cores: Cores): Run['machine'] {
  const loadAverage = readFileSync('/proc/loadavg', 'utf8').split(' ')[0] ?? '';
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: `${cpus().length} cores`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    kernel: `Linux ${release()}`,
    node: `Node ${process.version}`,
    placement: cores.words,
    loadAverage: `load average ${loadAverage} at the start`,
  };
}

interface PartResult {
  readonly cells: readonly Cell[];
  readonly memory: readonly MemoryPoint[];
  readonly loops: readonly LoopPoint[];
  readonly leftOut: readonly LeftOut[];
  readonly versions: Readonly<Record<string, string>>;
}

let running: Bench | undefined;

async function runPart(planned: PlannedPart, cores: Cores): Promise<PartResult> {
  const { part, targets, scenarios, timing, streams } = planned;
  const bench = new Bench(part, cores);
  running = bench;
  try {
    await bench.start(targets, scenarios);
    const [first] = scenarios;
    if (first === undefined) throw new Error('a part has traffic');
    const isCells = part !== 'memory' && part !== 'loop';
    const cells = isCells ? await bench.runCells(scenarios, timing) : [];
    const memory = part === 'memory' ? [...(await bench.runMemory(streams, first))] : [];
    const loops = part === 'loop' ? await bench.runLoop(first, timing) : [];
    if (part === 'traffic') memory.push(...bench.memoryAfterLoad());
    return { cells, memory, loops, leftOut: bench.leftOut, versions: bench.versions };
  } finally {
    await bench.stop();
  }
}

async function main(options: Options): Promise<void> {
  if (options.document !== undefined) {
    const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
    const soak = options.soak === undefined ? undefined : (read(options.soak) as SoakResult);
    const ledger = options.ledger === undefined ? undefined : (read(options.ledger) as LedgerResult);
    const run = mergeRuns(options.document.map((file) => read(file) as Run));
    for (const file of writeDocument(run, DOCS, { soak, ledger })) console.log(file);
    return;
  }
  const begunMs = performance.now();
  const startedAt = new Date().toISOString();
  const cores = findCores();
  const machine = describeMachine(cores);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void running?.stop().then(() => process.exit(1)));
  }
  const parts: PartResult[] = [];
  const runOf = (): Run => ({
    startedAt,
    durationS: Math.round((performance.now() - begunMs) / 1000),
    machine,
    targets: TARGETS.map(({ name, has, keepsBooks }) => ({ name, has, keepsBooks })),
    versions: Object.assign({}, ...parts.map(({ versions }) => versions)),
    leftOut: parts.flatMap(({ leftOut }) => leftOut),
    cells: parts.flatMap(({ cells }) => cells),
    memory: parts.flatMap(({ memory }) => memory),
    loops: parts.flatMap(({ loops }) => loops),
  });
  const file =
    options.jsonFile ?? join(import.meta.dirname, 'results', `${startedAt.replaceAll(':', '-')}.json`);
  for (const planned of planOf(options)) {
    parts.push(await runPart(planned, cores));
    // A later part that fails does not take the earlier ones with it.
    save(runOf(), file);
  }
  console.log(`${renderRun(runOf())}\n\nAll figures: ${file}`);
}

function save(run: Run, file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(run, null, 2)}\n`);
}

await main(readOptions(process.argv.slice(2)));
