import { describe, expect, it } from 'vitest';
import { handleGrowth, type SoakQuiet } from '../../bench/report/soak.ts';
import { CHAT, GEMINI, MESSAGES } from '../crash/shapes.ts';
import { needs, PROC, REDIS } from '../needs.ts';
import { exampleSoak } from '../support/bench-results.ts';
import { converted, unlucky } from './customers.ts';
import { DEEDS, planFor } from './plan.ts';
import { proofOf } from './proof.ts';
import { countHandles, leastOpen } from './samples.ts';
import { soak } from './soak.ts';

it('asks for a model of another vendor, at its price, in the words of the client', () => {
  expect(converted(CHAT).body('hello', 'plain')).toMatchObject({ model: MESSAGES.model });
  expect(converted(CHAT).price).toBe(MESSAGES.price);
  expect(converted(GEMINI).path('stream')).toBe(
    '/v1beta/models/claude-sonnet-5:streamGenerateContent?alt=sse',
  );
  expect(converted(GEMINI).body('hello', 'plain')).not.toHaveProperty('model');
});

it('gives some prompts a fault, and leaves the others as they are', () => {
  const bodyWith = (chance: number) =>
    JSON.stringify(unlucky(() => chance)(CHAT).body('[[sim tag=a]]', 'plain'));
  expect(bodyWith(0)).toContain('[[sim tag=a fault=status@503]]');
  expect(bodyWith(0.9)).toContain('[[sim tag=a]]');
});

it('ends processes in the first half only, and audits before the vendors forget', () => {
  const late = DEEDS.filter(({ at }) => at > 0.45).map(({ deed }) => deed);
  expect(late).not.toContain('kill a node');
  expect(late).not.toContain('restart both nodes');
  expect(DEEDS[0]?.deed).toBe('upgrade both nodes');
  const { chapters: audits, minutes: all } = planFor(60);
  expect((DEEDS[0]?.at ?? 1) * all * 2).toBeLessThan(all / audits);
  for (const minutes of [1, 10, 60]) {
    const { chapters } = planFor(minutes);
    expect(chapters % 2).toBe(0);
    expect(minutes / chapters).toBeLessThanOrEqual(4);
  }
});

it('counts what a process has open, and takes the least of several looks', needs(PROC), () => {
  const { handles, sockets } = countHandles(process.pid);
  expect(handles).toBeGreaterThan(2);
  expect(sockets).toBeLessThanOrEqual(handles);
  const look = (pid: number, open: number) => ({ node: 'north', pid, handles: open, sockets: 0 });
  expect(leastOpen([look(1, 9), look(1, 7), look(2, 8), look(1, 8)])).toEqual([look(1, 7), look(2, 8)]);
});

it('proves of a short run what the books say, and of a long one all of it', () => {
  expect(proofOf(exampleSoak())).toMatch(
    /^proof \| soak, two nodes \| 2 minutes, 1 faults, 100 calls \| calls lost: 0/,
  );
  expect(proofOf(exampleSoak())).not.toContain('memory');
  expect(proofOf({ ...exampleSoak(), minutes: 60 })).toContain('memory over the second half');
});

describe('a soak', needs(REDIS, PROC), () => {
  it('of little more than a minute loses nothing, doubles nothing and leaves nothing open', async () => {
    const plan = planFor(1.2);
    const deeds = plan.deeds.filter(({ at, deed }) => at < 0.5 || deed === 'kill Redis');
    const result = await soak({ ...plan, deeds }, 20_261_118, () => {});
    expect(result.books.problems).toEqual([]);
    expect(result.books).toMatchObject({ lost: 0, doubled: 0, shortfallMicro: '0' });
    expect(result.books.finished).toBeGreaterThan(100);
    expect(result.events).toHaveLength(deeds.length);
    // Connections to vendors are kept for longer than this test rests, so they are left out.
    const files = (looks: readonly SoakQuiet[]) =>
      looks.map((look) => ({ ...look, handles: look.handles - look.sockets }));
    const quiet = { half: files(result.quiet.half), end: files(result.quiet.end) };
    expect(handleGrowth({ quiet })).toBe(0);
    console.log(proofOf(result));
  });
});
