/** A made-up result, for the tests of the tables and plots. */
import type { Cell, Run } from '../../bench/report/result.ts';
import type { SoakResult } from '../../bench/report/soak.ts';
import type { CostTable, Window } from '../../bench/scale/table.ts';

const TIMES = { p50: 1, p90: 1.5, p99: 2 };

export function usage(cpuMs: number): Cell['gateway'] {
  return { cpuMs, memoryPeakBytes: 1024 * 1024, residentBytes: 1024 * 1024 };
}

export function exampleCell(target: string, repeat: number, change: Partial<Cell> & { cpuMs: number }): Cell {
  const { cpuMs, ...rest } = change;
  return {
    part: 'traffic',
    repeat,
    target,
    scenario: 'json-small',
    streamed: false,
    pair: undefined,
    contentChunks: 0,
    connections: 64,
    ratePerSecond: undefined,
    load: {
      durationMs: 2000,
      calls: 1000,
      events: 0,
      bytes: 0,
      latencyMs: TIMES,
      firstByteMs: TIMES,
      streamsOpen: 0,
      failures: {},
    },
    callsTotal: 1100,
    eventsTotal: 0,
    gateway: usage(cpuMs),
    databases: {},
    allIn: { gateway: usage(cpuMs * 1.1), databases: {} },
    upstreamCpuMs: 400,
    loadCpuMs: 200,
    machineCpuMs: 400 + 200 + cpuMs + 1000,
    settledCalls: undefined,
    settledAfterMs: undefined,
    ...rest,
  };
}

export function exampleRun(cells: readonly Cell[], change: Partial<Run> = {}): Run {
  return {
    startedAt: '2026-01-01T00:00:00.000Z',
    durationS: 60,
    machine: { cores: '2 cores' },
    targets: ['bare', 'tollgate', 'tollgate-redis'].map((name) => ({
      name,
      has: `what ${name} has`,
      keepsBooks: name !== 'bare',
    })),
    versions: { bare: '1', tollgate: '2' },
    leftOut: [],
    cells,
    memory: [],
    loops: [],
    ...change,
  };
}

/** Two nodes for two minutes, sampled every four seconds, with nothing wrong. */
export function exampleSoak(): SoakResult {
  const nodes = ['north', 'south'].map((node, index) => ({
    node,
    pid: index + 1,
    handles: 30,
    sockets: 10,
    liveBytes: 10_000_000,
  }));
  const samples = Array.from({ length: 30 }, (_, index) =>
    nodes.map((each) => ({ ...each, atS: index * 4, residentBytes: 200 * 1024 * 1024, lagCalls: 3 })),
  );
  return {
    startedAt: '2026-01-01T00:00:00.000Z',
    minutes: 2,
    machine: '2 cores',
    othersCores: 0,
    halfS: 60,
    samples: samples.flat(),
    events: [{ atS: 12, what: 'kill -9 of north', tookS: 1.5 }],
    quiet: { half: nodes, end: nodes },
    books: {
      ...{ calls: 100, finished: 90, cut: 6, refused: 4, lost: 0, doubled: 0 },
      ...{ shortfallMicro: '0', problems: [] },
    },
    slowestLagCalls: 3,
  };
}

/** A cost table whose windows are made of round costs, so that a fit has to find these. */
export function exampleCosts(): CostTable {
  const node = (trips: number, tripMs: number): number => 0.2 + trips * tripMs;
  const redis = (trips: number, tripMs: number): number => 0.15 + trips * tripMs;
  const window = (name: string, change: Partial<Window> & { trips: number; batches: number }): Window => ({
    ...{ name, ratePerSecond: 0, servedPerSecond: 1000, calls: 10_000, events: 0 },
    ...{ nodeMs: node(change.trips, 0.3), redisMs: redis(change.trips, 0.1) },
    ...{ postgresMs: 0.05 + change.batches * 6, vendorMs: 0.05, clientMs: 0.05, commands: 23 },
    ...{ redisBytesIn: 800, redisBytesOut: 110, walBytes: 1600, tableBytes: 1400 },
    ...{ answerBytes: 600, requestBytes: 1024, p50Ms: 1, p90Ms: 2, p99Ms: 3, othersCores: 0 },
    ...change,
  });
  return {
    ...{ measuredAt: '2026-01-01T00:00:00.000Z', machine: 'a machine', placement: 'one core' },
    server: [
      window('load-300', { trips: 2.7, batches: 0.01, ratePerSecond: 300 }),
      window('json-open', { trips: 0.9, batches: 0.003, ratePerSecond: 1200 }),
      window('json-small', { trips: 0.3, batches: 0.001 }),
      window('stream-short', { trips: 0.5, batches: 0.001, events: 20, nodeMs: node(0.5, 0.3) + 0.4 }),
      window('messages-over-chat', { trips: 0.4, batches: 0.001, events: 504, nodeMs: 3 }),
    ],
    cluster: [
      // Two further trips, a tenth of a millisecond each at the node.
      window('load-300', {
        trips: 4.7,
        ratePerSecond: 300,
        batches: 0.01,
        nodeMs: node(2.7, 0.3) + 0.2,
        redisMs: redis(4.7, 0.05),
      }),
      window('json-small', { trips: 3, batches: 0.001 }),
    ],
    rows: { calls: 1, consumptions: 1, accounts: 0.01 },
    settling: { batch: 1000, callsPerSecond: 10_000, nodeMs: 0.05, postgresMs: 0.06 },
  };
}
