/** A made-up result, for the tests of the tables and plots. */
import type { Cell, Run } from '../../bench/report/result.ts';
import type { SoakResult } from '../../bench/report/soak.ts';

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
  const nodes = ['north', 'south'].map((node, index) => ({ node, pid: index + 1, handles: 30, sockets: 10 }));
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
