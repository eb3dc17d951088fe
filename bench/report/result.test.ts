import { describe, expect, it } from 'vitest';
import { renderRun } from './report.ts';
import { type Cell, linesOf } from './result.ts';

function cell(target: string, repeat: number, change: Partial<Cell> & { cpuMs: number }): Cell {
  const { cpuMs, ...rest } = change;
  return {
    repeat,
    target,
    scenario: 'json-small',
    streamed: false,
    pair: undefined,
    contentChunks: 0,
    load: {
      durationMs: 2000,
      calls: 1000,
      events: 0,
      bytes: 0,
      latencyMs: { p50: 1, p99: 2 },
      firstByteMs: { p50: 0.5, p99: 1 },
      failures: {},
    },
    callsTotal: 1100,
    gateway: { cpuMs, memoryPeakBytes: 1024 * 1024 },
    database: undefined,
    upstreamCpuMs: 400,
    loadCpuMs: 200,
    machineCpuMs: 400 + 200 + cpuMs + 1000,
    settledCalls: undefined,
    settledAfterMs: undefined,
    ...rest,
  };
}

describe('linesOf', () => {
  it('shows a target with a database twice: by itself and with what its database spends', () => {
    const database = { cpuMs: 300, memoryPeakBytes: 1024 * 1024 };
    const lines = linesOf([
      cell('bare', 0, { cpuMs: 100 }),
      cell('tollgate', 0, { cpuMs: 200, database, settledCalls: 1100 }),
    ]);
    const shown = lines.map((line) => [line.label, line.cost.median, line.costOfBare?.median]);
    expect(shown).toEqual([
      ['bare', 0.1, 1],
      ['tollgate', 0.2, 2],
      ['tollgate + database', 0.5, 5],
    ]);
  });

  it('counts streams in seconds per 100k events', () => {
    const streamed = cell('bare', 0, { cpuMs: 500, scenario: 'stream-fast', streamed: true });
    const lines = linesOf([{ ...streamed, load: { ...streamed.load, events: 50_000 } }]);
    expect(lines[0]?.cost.median).toBe(1);
  });
});

describe('renderRun', () => {
  const cells = [cell('bare', 0, { cpuMs: 100 }), cell('tollgate', 0, { cpuMs: 300, settledCalls: 1099 })];
  const text = renderRun({
    startedAt: '2026-01-01T00:00:00.000Z',
    durationS: 1,
    machine: { cores: '2 cores' },
    versions: { bare: 'x' },
    leftOut: [{ target: 'nginx', reason: 'not installed' }],
    cells,
  });

  it('warns when the machine was busy with something else', () => {
    expect(text).toContain('others kept up to 0.5 cores busy');
  });

  it('names a target that was left out, with its reason', () => {
    expect(text).toContain('Left out: **nginx**: not installed');
  });

  it('says which goals were missed', () => {
    expect(text).toMatch(/tollgate, json-small +\| bare +\| 2\.5 × +\| 3\.00 +\|.*missed/);
  });

  it('says of a goal that the bare proxy misses too that it does', () => {
    const streamed = (target: string, cpuMs: number): Cell => {
      const made = cell(target, 0, { cpuMs, scenario: 'stream-short', streamed: true });
      return { ...made, load: { ...made.load, events: 1_000 } };
    };
    const goals = (bareMs: number): string =>
      renderRun({
        startedAt: '2026-01-01T00:00:00.000Z',
        durationS: 1,
        machine: {},
        versions: {},
        leftOut: [],
        cells: [streamed('bare', bareMs), streamed('portkey', 1_000), streamed('tollgate', 500)],
      });
    expect(goals(400)).toMatch(/portkey +\| 1\/3 +\| 0\.50 +\| 0\.40 +\| missed, by bare too/);
    expect(goals(100)).toMatch(/portkey +\| 1\/3 +\| 0\.50 +\| 0\.10 +\| missed +\|/);
  });

  it('says when the books do not show every call', () => {
    expect(text).toMatch(/1100 +\| 1099 +\|.*differs/);
  });
});
