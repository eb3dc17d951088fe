import { expect, test } from 'vitest';
import { type Lane, type Leave, Semaphore, type SemaphoreBounds } from './semaphore.ts';

/** `entered` has the owners that got a slot, in their order; `refused` those that got none. */
function open(bounds: SemaphoreBounds) {
  const semaphore = new Semaphore(bounds);
  const entered: (string | number)[] = [];
  const refused: (string | number)[] = [];
  const leaves: Leave[] = [];
  const enter = async (owner: string | number, lane?: Lane): Promise<void> => {
    const leave = await semaphore.enter(owner, lane);
    if (leave === undefined) refused.push(owner);
    else leaves.push(leave);
    if (leave !== undefined) entered.push(owner);
  };
  /** One leaves, and its slot is another's. */
  const leaveOne = async (): Promise<void> => {
    const count = entered.length;
    leaves.shift()?.();
    await expect.poll(() => entered.length).toBe(count + 1);
  };
  return { semaphore, entered, refused, leaves, enter, leaveOne };
}

test('few work at once, few wait, and the rest is sent away', async () => {
  const { semaphore, entered, refused, leaves, enter, leaveOne } = open({ active: 2, waiting: 1 });
  const all = ['a', 'a', 'a'].map((owner) => enter(owner));
  await enter('a');
  expect(refused).toEqual(['a']);
  expect(entered).toEqual(['a', 'a']);
  await leaveOne();
  await Promise.all(all);
  for (const leave of leaves) leave();
  expect(semaphore.active).toBe(0);
  await enter('a');
  expect(entered).toHaveLength(4);
});

test('without a queue a slot is free or not', async () => {
  const { semaphore, entered, refused, leaves, enter } = open({ active: 1, waiting: 0 });
  await enter('a');
  await enter('b');
  leaves[0]?.();
  expect(semaphore.active).toBe(0);
  await enter('c');
  expect([entered, refused]).toEqual([['a', 'c'], ['b']]);
});

test('one owner has not all slots, and those who wait take turns', async () => {
  const { semaphore, entered, enter, leaveOne } = open({
    active: 4,
    activeOfOne: 2,
    waiting: 100,
    waitMs: 60_000,
  });
  for (let index = 0; index < 20; index++) void enter('greedy');
  for (const owner of ['a', 'b', 'c', 'a']) void enter(owner);
  await expect.poll(() => entered).toEqual(['greedy', 'greedy', 'a', 'b']);
  for (let step = 0; step < 3; step++) await leaveOne();
  expect(entered.slice(4).toSorted()).toEqual(['a', 'c', 'greedy']);
  expect(semaphore.active).toBe(4);
});

test('a slot is given back once, and who waits too long gets none', async () => {
  const semaphore = new Semaphore({ active: 1, activeOfOne: 1, waiting: 1, waitMs: 20 });
  const leave = await semaphore.enter(1);
  expect(await semaphore.enter(2)).toBeUndefined();
  leave?.();
  leave?.();
  expect(semaphore.active).toBe(0);
  expect(await semaphore.enter(2)).toBeDefined();
});

test('an owner behind forty of another is next, and the last of those are sent away', async () => {
  const { semaphore, entered, refused, leaves, enter, leaveOne } = open({ active: 2, waiting: 10 });
  const crowd = Array.from({ length: 40 }, () => enter('crowd', 'strange'));
  const one = enter('one', 'strange');
  await expect.poll(() => entered).toEqual(['crowd', 'crowd']);
  await leaveOne();
  await leaveOne();
  expect(entered.slice(2)).toContain('one');
  await one;
  for (let step = 0; step < 8; step++) await leaveOne();
  await Promise.all(crowd);
  expect(refused).toHaveLength(29);
  expect(entered.filter((owner) => owner === 'crowd')).toHaveLength(11);
  for (const leave of leaves) leave();
  expect(semaphore.active).toBe(0);
});

test('the known have a lane of their own, which no number of strangers fills', async () => {
  const { entered, refused, enter, leaveOne } = open({ active: 1, waiting: 3 });
  for (let index = 0; index < 20; index++) void enter(`stranger${index}`, 'strange');
  for (let index = 0; index < 3; index++) void enter(`known${index}`, 'known');
  await expect.poll(() => refused.length).toBe(16);
  for (let step = 0; step < 5; step++) await leaveOne();
  expect(entered).toEqual(['stranger0', 'known0', 'stranger1', 'known1', 'stranger2', 'known2']);
});
