import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TestSpecification, Vitest } from 'vitest/node';
import { projectRoot } from '../../house/tree.ts';
import LongestFirst from './longest-first.ts';

/** It starts a Redis, and is shorter than the one that only computes. */
const STARTS = 'src/gate/redis/gate.test.ts';
const COMPUTES = 'src/kernel/time/calendar.test.ts';

async function orderOf(known: Readonly<Record<string, number>>): Promise<readonly string[]> {
  const config = { isolate: false, sequence: { groupOrder: 0 } };
  const files = [COMPUTES, STARTS].map((path) => ({
    path,
    moduleId: join(projectRoot, path),
    project: { name: 'shared', config },
  }));
  const getTestSpecificationResult = ({ path }: { readonly path: string }) =>
    path in known ? { duration: known[path], failed: false } : undefined;
  const order = new LongestFirst({ cache: { getTestSpecificationResult } } as unknown as Vitest);
  const sorted = await order.sort(files as unknown as TestSpecification[]);
  return sorted.map((file) => (file as unknown as { readonly path: string }).path);
}

test('a file that starts servers comes before a larger one that computes', async () => {
  expect(await orderOf({})).toEqual([STARTS, COMPUTES]);
});

test('the times of the last run are better known', async () => {
  expect(await orderOf({ [STARTS]: 10, [COMPUTES]: 20 })).toEqual([COMPUTES, STARTS]);
});
