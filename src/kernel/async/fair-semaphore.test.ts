import { expect, test } from 'vitest';
import { FairSemaphore, type Waiter } from './fair-semaphore.ts';
import { SemaphoreFull } from './semaphore.ts';

/** Work that ends when it is told to; `begun` has the names of those that began. */
function stand(atOnce: number, waitingMax: number) {
  const line = new FairSemaphore(atOnce, waitingMax);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const run = (lane: Waiter['lane'], owner: string): Promise<string> =>
    line
      .run({ lane, owner }, () => {
        begun.push(owner);
        return new Promise<void>((resolve) => ends.push(resolve));
      })
      .then(
        () => 'done',
        (error: unknown) => (error instanceof SemaphoreFull ? 'full' : 'failed'),
      );
  const endOne = async (): Promise<void> => {
    const count = begun.length;
    ends.shift()?.();
    await expect.poll(() => begun.length).toBe(count + 1);
  };
  return { run, begun, ends, endOne };
}

test('an owner behind forty of another is next, and the last of those are sent away', async () => {
  const { run, begun, ends, endOne } = stand(2, 10);
  const crowd = Array.from({ length: 40 }, () => run('strange', 'crowd'));
  const one = run('strange', 'one');
  expect(begun).toEqual(['crowd', 'crowd']);
  await endOne();
  await endOne();
  expect(begun.slice(2)).toContain('one');
  const drain = setInterval(() => ends.shift()?.(), 1);
  const results = await Promise.all(crowd);
  expect(await one).toBe('done');
  clearInterval(drain);
  expect(results.filter((result) => result === 'full')).toHaveLength(29);
  expect(results.filter((result) => result === 'done')).toHaveLength(11);
});

test('the known have a lane of their own, which no number of strangers fills', async () => {
  const { run, begun, ends, endOne } = stand(1, 3);
  const strangers = Array.from({ length: 20 }, (_, index) => run('strange', `stranger${index}`));
  const known = Array.from({ length: 3 }, (_, index) => run('known', `known${index}`));
  for (let step = 0; step < 5; step++) await endOne();
  expect(begun).toEqual(['stranger0', 'known0', 'stranger1', 'known1', 'stranger2', 'known2']);
  ends.shift()?.();
  expect(await Promise.all(known)).toEqual(['done', 'done', 'done']);
  expect((await Promise.all(strangers.slice(0, 3))).join()).toContain('done');
});

test('a place is free again after work that failed', async () => {
  const line = new FairSemaphore(1, 0);
  const place = { lane: 'known', owner: 'a' } as const;
  await expect(line.run(place, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await line.run(place, () => Promise.resolve(7))).toBe(7);
});
