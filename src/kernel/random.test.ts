import { describe, expect, it } from 'vitest';
import { type Random, seededRandom, systemRandom } from './random.ts';

describe.each<[string, Random]>([
  ['system', systemRandom],
  ['seeded', seededRandom(42)],
])('%s randomness', (_name, random) => {
  it('spreads evenly over [0, 1)', () => {
    const buckets = new Array<number>(10).fill(0);
    for (let index = 0; index < 20_000; index++) {
      const unit = random.unit();
      expect(unit >= 0 && unit < 1).toBe(true);
      const bucket = Math.floor(unit * 10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    for (const count of buckets) expect(Math.abs(count - 2_000)).toBeLessThan(400);
  });

  it('gives as many bytes as asked for', () => {
    expect(random.bytes(33)).toHaveLength(33);
    expect(random.bytes(16).equals(random.bytes(16))).toBe(false);
  });
});

it('a seed replays the same run, another seed does not', () => {
  expect(seededRandom(7).bytes(64)).toEqual(seededRandom(7).bytes(64));
  expect(seededRandom(7).bytes(64)).not.toEqual(seededRandom(8).bytes(64));
});
