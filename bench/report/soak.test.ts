import { expect, it } from 'vitest';
import { exampleSoak } from '../../test/support/bench-results.ts';
import { figuresOf, handleGrowth, memorySlope, renderSoak, soakPlot } from './soak.ts';

const MIB = 1024 * 1024;
const sample = (atS: number, pid: number, mib: number) => ({
  ...{ atS, pid, node: `node-${pid}`, residentBytes: mib * MIB },
  ...{ handles: 30, sockets: 10, lagCalls: 0 },
});

it('finds the slope of the process that grows most, in the second half only', () => {
  const samples = [0, 60, 120, 180, 240].flatMap((atS) => [
    sample(atS, 1, atS < 120 ? 500 - atS : 200 + (atS / 60) * 3),
    sample(atS, 2, 100),
  ]);
  expect(memorySlope({ samples, halfS: 120 })).toBeCloseTo(3);
  expect(memorySlope({ samples: samples.filter(({ pid }) => pid === 2), halfS: 120 })).toBeCloseTo(0);
});

it('counts handles that a process gained between two rests, and none of one that is new', () => {
  const quiet = (pid: number, handles: number) => ({ node: 'north', pid, handles, sockets: 1 });
  expect(handleGrowth({ quiet: { half: [quiet(1, 30)], end: [quiet(1, 34), quiet(2, 90)] } })).toBe(4);
  expect(handleGrowth({ quiet: { half: [quiet(1, 30)], end: [quiet(1, 28)] } })).toBe(0);
});

it('says which goals are missed', () => {
  const result = exampleSoak();
  expect(figuresOf(result).every(({ isMet }) => isMet)).toBe(true);
  const lost = { ...result, books: { ...result.books, lost: 1 } };
  expect(figuresOf(lost).filter(({ isMet }) => !isMet)).toMatchObject([{ name: 'calls lost', value: '1' }]);
  expect(renderSoak(lost)).toContain('missed');
});

it('draws a curve for each node with few points, and says when others had the machine', () => {
  const result = exampleSoak();
  expect(soakPlot(result).svg.match(/<polyline/g)).toHaveLength(2);
  expect((soakPlot(result).svg.match(/<circle/g) ?? []).length).toBeLessThanOrEqual(24);
  expect(renderSoak(result)).not.toContain('Other work');
  expect(renderSoak(result)).toContain('its slope says little');
  expect(renderSoak({ ...result, minutes: 60 })).not.toContain('its slope says little');
  expect(renderSoak({ ...result, othersCores: 1.5 })).toContain('Other work took 1.5 cores');
});
