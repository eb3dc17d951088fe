import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePort } from '../../bench/child.ts';
import { type Harness, measure, startHarness, stopHarness } from '../../bench/harness.ts';
import { pairScenarios, type Scenario, scenarios } from '../../bench/scenario.ts';
import type { StartedTarget } from '../../bench/target.ts';
import { tollgate } from '../../bench/targets/tollgate.ts';
import { until } from '../support/processes.ts';
import type { HeapReading, Sizes } from './heap-probe.ts';

/**
 * A guard against growth of the cost of a call. It counts bytes that are allocated, not seconds, which busy
 * neighbours would change. Who makes calls cheaper lowers these figures.
 */
const BASELINE_BYTES: Readonly<Record<string, number>> = {
  'json-small': 62_000,
  'stream-fast': 1_420,
  'messages-over-gemini': 2_200,
};
const TOLERANCE = 1.15;
/** Chunks of streams count as calls do: so much is called that compilers have come to rest. */
const WARM_UNITS = 100_000;
const WINDOW_UNITS = 6_000;
/** Buffers of a fast stream make V8 collect now and then: such windows do not count. */
const WINDOWS_MAX = 12;
const FIGURES = 4;
/** A window has no collection of its own: young objects have this many MiB. */
const YOUNG_MIB = 512;

/** A few connections, so that opening them costs next to nothing. */
const CHOSEN: readonly Scenario[] = [...scenarios('quick'), ...pairScenarios()]
  .filter(({ name }) => name in BASELINE_BYTES)
  .map((scenario) => ({ ...scenario, connections: 8 }));

let harness: Harness;
let server: StartedTarget;
let heapFile: string;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'allocations-'));
  mkdirSync(join(folder, 'server'));
  // The embedded database never runs as root: its own user must be able to pass through.
  chmodSync(folder, 0o711);
  heapFile = join(folder, 'heap.json');
  process.env.TEST_HEAP_FILE = heapFile;
  const sizes = [`--min-semi-space-size=${YOUNG_MIB}`, `--max-semi-space-size=${YOUNG_MIB}`];
  const probe = `--import=${join(import.meta.dirname, 'heap-probe.ts')}`;
  process.env.BENCH_TOLLGATE_FLAGS = [...sizes, '--expose-gc', probe].join(' ');
  harness = await startHarness(CHOSEN);
  const place = { upstreamPort: harness.upstreamPort, port: await findFreePort() };
  server = await tollgate.start({ ...place, folder: join(folder, 'server') });
});

afterAll(async () => {
  await server?.stop();
  if (harness !== undefined) await stopHarness(harness);
  delete process.env.TEST_HEAP_FILE;
  delete process.env.BENCH_TOLLGATE_FLAGS;
});

let lastReading = 0;
async function readHeap(): Promise<HeapReading> {
  process.kill(server.rootPids()[0] ?? 0, 'SIGUSR2');
  const find = (): HeapReading | undefined =>
    existsSync(heapFile) ? (JSON.parse(readFileSync(heapFile, 'utf8')) as HeapReading) : undefined;
  await until(() => Promise.resolve((find()?.id ?? 0) > lastReading));
  const reading = find();
  if (reading === undefined) throw new Error('the server wrote no reading of its heap');
  lastReading = reading.id;
  return reading;
}

/** Makes about so many calls, or as many as have so many chunks, and waits until they are in the books. */
async function call(scenario: Scenario, units: number): Promise<number> {
  const before = (await server.settledCalls?.()) ?? 0;
  const calls = Math.max(scenario.connections, Math.round(units / unitsPerCall(scenario)));
  const window = { scenario, warmMs: 0, measureMs: 0, calls };
  const { callsTotal, load } = await measure(harness, server, window);
  expect(load.failures).toEqual({});
  await until(async () => ((await server.settledCalls?.()) ?? 0) >= before + callsTotal);
  return callsTotal * unitsPerCall(scenario);
}

function unitsPerCall({ contentChunks }: Scenario): number {
  return Math.max(1, contentChunks);
}

/** Undefined if something was collected meanwhile. */
async function bytesPerUnit(scenario: Scenario): Promise<Sizes | undefined> {
  const begin = await readHeap();
  const units = await call(scenario, scenario.streamed ? WINDOW_UNITS : WINDOW_UNITS / 6);
  const end = await readHeap();
  if (end.collections !== begin.collections) return undefined;
  const allocated = (kind: keyof Sizes): number => (end.before[kind] - begin.after[kind]) / units;
  return { objects: allocated('objects'), buffers: allocated('buffers') };
}

test.each(CHOSEN)('$name allocates no more than it did', async (scenario) => {
  await call(scenario, scenario.streamed ? WARM_UNITS : WARM_UNITS / 10);
  const figures: Sizes[] = [];
  for (let window = 0; window < WINDOWS_MAX && figures.length < FIGURES; window += 1) {
    const figure = await bytesPerUnit(scenario);
    if (figure !== undefined) figures.push(figure);
  }
  console.log(
    `allocated | ${scenario.name} | ${figures.map(({ objects, buffers }) => `${Math.round(objects)}+${Math.round(buffers)}`).join(' ')} bytes`,
  );
  // The least of them: a busy machine brings a stream in smaller pieces, and each piece costs its own bytes.
  const least = Math.min(...figures.map(({ objects, buffers }) => objects + buffers));
  expect(least).toBeLessThan((BASELINE_BYTES[scenario.name] ?? 0) * TOLERANCE);
});
