import { expect, it } from 'vitest';
import { seededRandom } from '../../../src/kernel/random.ts';
import { exponential, logNormal, timesOf } from './distribution.ts';
import { Machine } from './machine.ts';
import { Timeline } from './timeline.ts';

it('lets moments happen in the order of their times, and of their planning', () => {
  const timeline = new Timeline();
  const happened: string[] = [];
  for (const [name, atMs] of [
    ['d', 9],
    ['b', 5],
    ['a', 1],
    ['c', 5],
    ['late', 11],
  ] as const) {
    timeline.after(atMs, () => happened.push(name));
  }
  timeline.runUntil(10);
  expect(happened).toEqual(['a', 'b', 'c', 'd']);
  expect(timeline.nowMs).toBe(10);
});

it('shares its cores equally among the processes that have work', () => {
  const timeline = new Timeline();
  const machine = new Machine(timeline, 1);
  const ended: [string, number][] = [];
  const [one, other] = [machine.startProcess(), machine.startProcess()];
  one.run(10, () => ended.push(['one', timeline.nowMs]));
  other.run(4, () => ended.push(['other', timeline.nowMs]));
  one.run(1, () => ended.push(['again', timeline.nowMs]));
  timeline.runUntil(100);
  // Both have half a core until 8, when the shorter is done.
  expect(ended).toEqual([
    ['other', 8],
    ['one', 14],
    ['again', 15],
  ]);
  expect(one.busyMs).toBeCloseTo(11);
  expect(other.busyMs).toBeCloseTo(4);
});

it('runs as many processes side by side as it has cores', () => {
  const timeline = new Timeline();
  const machine = new Machine(timeline, 2);
  const ended: number[] = [];
  for (const workMs of [5, 7]) machine.startProcess().run(workMs, () => ended.push(timeline.nowMs));
  timeline.runUntil(100);
  expect(ended).toEqual([5, 7]);
});

/** M/M/1: with arrivals of rate λ and service of rate μ, the mean time in the system is 1 / (μ − λ). */
it.each([0.3, 0.7, 0.9])('has the known mean time of a queue that is busy for %s of its time', (load) => {
  const timeline = new Timeline();
  const random = seededRandom(7);
  const process = new Machine(timeline, 1).startProcess();
  const times: number[] = [];
  const arrive = (): void => {
    const arrivedMs = timeline.nowMs;
    process.run(exponential(random, 1), () => times.push(timeline.nowMs - arrivedMs));
    timeline.after(exponential(random, load), arrive);
  };
  timeline.after(0, arrive);
  timeline.runUntil(400_000);
  const expected = 1 / (1 - load);
  expect(timesOf(times).mean / expected).toBeGreaterThan(0.92);
  expect(timesOf(times).mean / expected).toBeLessThan(1.08);
  expect(process.busyMs / timeline.nowMs).toBeCloseTo(load, 1);
});

it('draws times with the median that is asked for, and counts shares of them', () => {
  const random = seededRandom(3);
  const times = timesOf(Array.from({ length: 20_000 }, () => logNormal(random, 800, 0.7)));
  expect(times.p50 / 800).toBeCloseTo(1, 1);
  // The ninetieth hundredth of a normal distribution is 1.2816 deviations above its middle.
  expect(times.p90 / (800 * Math.exp(0.7 * 1.2816))).toBeCloseTo(1, 1);
  expect(timesOf([])).toEqual({ p50: 0, p90: 0, p99: 0, mean: 0 });
});
