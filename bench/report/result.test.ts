import { describe, expect, it } from 'vitest';
import { exampleCell as cell, exampleRun, usage } from '../../test/support/bench-results.ts';
import { renderRun } from './report.ts';
import { linesOf, mergeRuns } from './result.ts';

describe('linesOf', () => {
  it('shows a target by itself, each of its databases, and all of it with the work put off', () => {
    const databases = { postgres: usage(300), redis: usage(50) };
    const allIn = { gateway: usage(330), databases: { postgres: usage(550), redis: usage(110) } };
    const lines = linesOf([
      cell('bare', 0, { cpuMs: 100 }),
      cell('tollgate', 0, { cpuMs: 200, databases, allIn, settledCalls: 1100 }),
    ]);
    const shown = lines.map((line) => [line.label, line.cost.median, line.costOfBare?.median]);
    expect(shown).toEqual([
      ['bare', 0.1, 1],
      ['bare, all in', expect.closeTo(0.1), 1],
      ['tollgate', 0.2, 2],
      ['tollgate: postgres', 0.3, expect.closeTo(3)],
      ['tollgate: redis', 0.05, 0.5],
      // 990 ms for all 1,100 calls of the order.
      ['tollgate, all in', expect.closeTo(0.9), expect.closeTo(9)],
    ]);
  });

  it('counts streams in seconds per 100k events, those of the whole order for all that was spent', () => {
    const streamed = cell('bare', 0, { cpuMs: 500, scenario: 'stream-fast', streamed: true });
    const lines = linesOf([{ ...streamed, load: { ...streamed.load, events: 50_000 }, eventsTotal: 55_000 }]);
    expect(lines.map((line) => line.cost.median)).toEqual([1, expect.closeTo(1)]);
  });
});

describe('mergeRuns', () => {
  it('takes from a later run what it measured again, and keeps the rest', () => {
    const earlier = exampleRun([cell('bare', 0, { cpuMs: 100 }), cell('tollgate', 0, { cpuMs: 300 })]);
    const later = exampleRun([cell('tollgate', 0, { cpuMs: 200 })]);
    const merged = mergeRuns([earlier, later]);
    expect(merged.cells.map(({ target, gateway }) => [target, gateway.cpuMs])).toEqual([
      ['bare', 100],
      ['tollgate', 200],
    ]);
    expect(merged.durationS).toBe(earlier.durationS + later.durationS);
  });
});

describe('renderRun', () => {
  const cells = [cell('bare', 0, { cpuMs: 100 }), cell('tollgate', 0, { cpuMs: 300, settledCalls: 1099 })];
  const text = renderRun(exampleRun(cells, { leftOut: [{ target: 'nginx', reason: 'not installed' }] }));

  it('shows no time where none was measured', () => {
    const none = { p50: 0, p90: 0, p99: 0 };
    const { load, ...stream } = cell('litellm', 0, { cpuMs: 100, scenario: 'stream-fast', streamed: true });
    const shown = renderRun(exampleRun([{ ...stream, load: { ...load, firstByteMs: none, events: 10 } }]));
    expect(shown).toMatch(/\| litellm .*\| – +\| – +\| – +\|/);
    expect(shown).not.toContain('| 0.00 ');
  });

  it('warns when the machine was busy with something else', () => {
    expect(text).toContain('others kept up to 0.5 cores busy');
  });

  it('names a target that was left out, with its reason, and says what the others have on', () => {
    expect(text).toContain('Left out: **nginx**: not installed');
    expect(text).toMatch(/\| tollgate \| 2 +\| what tollgate has \|/);
  });

  it('says which part of the calls is in the books', () => {
    expect(text).toMatch(/tollgate, json-small \| 1100 +\| 1099 +\| 99\.9 %, differs/);
  });
});
