import { describe, expect, it } from 'vitest';
import { exampleCell as cell, exampleRun } from '../../test/support/bench-results.ts';
import { bytesPerStream, COST_GOALS, verdictsOf } from './goals.ts';
import type { Cell, MemoryPoint, Run } from './result.ts';

const judged = (run: Run): readonly string[] =>
  verdictsOf(run).map(({ what, measured, isMet }) => `${what} | ${measured} | ${isMet ? 'met' : 'missed'}`);

describe('verdictsOf', () => {
  it('judges the median of ratios that are made within one repeat', () => {
    const cells = [0, 1, 2].flatMap((repeat) => [
      cell('bare', repeat, { cpuMs: 100 * (repeat + 1) }),
      cell('tollgate', repeat, { cpuMs: (150 + repeat) * (repeat + 1) }),
      cell('tollgate-redis', repeat, { cpuMs: 500 * (repeat + 1) }),
    ]);
    expect(judged(exampleRun(cells))).toEqual([
      'CPU per small JSON, embedded, our process | 1.51 (1.50–1.52) × | met',
      'CPU per small JSON, embedded, all in | 1.51 (1.50–1.52) × | met',
      'CPU per small JSON, PostgreSQL + Redis, our process | 5.00 × | missed',
      'CPU per small JSON, PostgreSQL + Redis, all in | 5.00 × | missed',
    ]);
  });

  it('compares times that count from when calls were due', () => {
    const open = (target: string, p99: number): Cell => {
      const made = cell(target, 0, { cpuMs: 100, scenario: 'json-open', ratePerSecond: 1200 });
      return { ...made, load: { ...made.load, latencyMs: { p50: 1, p90: 1, p99 } } };
    };
    const verdicts = judged(exampleRun([open('bare', 1), open('tollgate', 3)]));
    expect(verdicts).toContainEqual(expect.stringMatching(/p50, embedded \| 1\.00 × \| met/));
    expect(verdicts).toContainEqual(expect.stringMatching(/p99, embedded \| 3\.00 × \| missed/));
  });

  it('takes the cheapest of the other gateways that keep books', () => {
    const names = { bare: false, portkey: false, 'new-api': true, 'one-api': true, tollgate: true };
    const targets = Object.entries(names).map(([name, keepsBooks]) => ({ name, has: '', keepsBooks }));
    const costs = { bare: 100, portkey: 300, 'new-api': 1400, 'one-api': 9000, tollgate: 200 };
    const cells = Object.entries(costs).map(([target, cpuMs]) => cell(target, 0, { cpuMs }));
    expect(judged(exampleRun(cells, { targets }))).toContainEqual(
      expect.stringMatching(
        /JSON call than the best that keeps books \(new-api\): embedded \| 7\.0 × \| met/,
      ),
    );
  });

  it('judges memory, growth and the event loop', () => {
    const point = (target: string, streams: number, gatewayBytes: number): MemoryPoint => ({
      target,
      kind: 'streams',
      streams,
      gatewayBytes,
      databaseBytes: 0,
    });
    const memory = [
      point('bare', 0, 1000),
      point('bare', 10, 2000),
      point('tollgate', 0, 1000),
      point('tollgate', 10, 3000),
    ];
    const grown = [10, 1000].map((count) =>
      cell(`tollgate-accounts-${count}`, 0, { part: 'growth', cpuMs: 100 + count / 10 }),
    );
    const loops = [
      { target: 'tollgate', ratePerSecond: 1, bodies: 0, cores: 0.8, p50Ms: 1, p99Ms: 25, maxMs: 50 },
    ];
    expect(bytesPerStream(memory, 'tollgate')).toBe(200);
    expect(judged(exampleRun(grown, { memory, loops }))).toEqual([
      'memory per open stream: embedded | 2.00 × | missed',
      'CPU per call with 1,000 accounts: embedded | 1.98 × | missed',
      "event loop's delay, p99, at 80 % of a core: embedded | 25.0 ms | missed",
    ]);
  });

  it('says how far two workers carry by what a call costs with them', () => {
    const cells = [1, 2].map((count) =>
      cell(`tollgate-redis-workers-${count}`, 0, { part: 'workers', cpuMs: count === 1 ? 100 : 110 }),
    );
    expect(judged(exampleRun(cells))).toEqual([
      'calls per second of two workers on two cores, by CPU per call: PostgreSQL + Redis | 1.82 × | met',
    ]);
  });

  it('has each goal of cost once', () => {
    const names = COST_GOALS.map((goal) => JSON.stringify([goal.scenario, goal.target, goal.share]));
    expect(new Set(names).size).toBe(names.length);
  });
});
