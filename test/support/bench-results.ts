/** A made-up result, for the tests of the tables and plots. */
import type { Cell, Run } from '../../bench/report/result.ts';

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
