import { expect, test } from 'vitest';
import { type Leave, Slots } from './request-slots.ts';

test('one owner has not all places, and those who wait take turns', async () => {
  const slots = new Slots({ active: 4, activeOfOne: 2, waiting: 100, waitMs: 60_000 });
  const entered: string[] = [];
  const leaves: Leave[] = [];
  const enter = (owner: string): void => {
    void slots.enter(owner).then((leave) => {
      entered.push(owner);
      if (leave !== undefined) leaves.push(leave);
    });
  };
  for (let index = 0; index < 20; index++) enter('greedy');
  for (const owner of ['a', 'b', 'c', 'a']) enter(owner);
  await expect.poll(() => entered).toEqual(['greedy', 'greedy', 'a', 'b']);
  const leave = async (count: number): Promise<void> => {
    leaves.shift()?.();
    await expect.poll(() => entered.length).toBe(count);
  };
  await leave(5);
  await leave(6);
  await leave(7);
  expect(entered.slice(4).toSorted()).toEqual(['a', 'c', 'greedy']);
  expect(slots.active).toBe(4);
});

test('a place is given back once, and who waits too long gets none', async () => {
  const slots = new Slots({ active: 1, activeOfOne: 1, waiting: 1, waitMs: 20 });
  const leave = await slots.enter(1);
  expect(await slots.enter(2)).toBeUndefined();
  leave?.();
  leave?.();
  expect(slots.active).toBe(0);
  expect(await slots.enter(2)).toBeDefined();
});
