import { expect, test } from 'vitest';
import { Semaphore, SemaphoreFull } from './semaphore.ts';

test('few work at once, few wait, and the rest is sent away', async () => {
  const line = new Semaphore(2, 1);
  const ends: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => ends.push(resolve));
  const all = [line.run(work), line.run(work), line.run(work)];
  expect(ends).toHaveLength(2);
  expect(line.isFull).toBe(true);
  await expect(line.run(work)).rejects.toBeInstanceOf(SemaphoreFull);
  ends[0]?.();
  await all[0];
  await expect.poll(() => ends.length).toBe(3);
  for (const end of ends) end();
  await Promise.all(all);
  expect(line.isFull).toBe(false);
});

test('a place is free again after work that failed', async () => {
  const line = new Semaphore(1, 0);
  await expect(line.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await line.run(() => Promise.resolve(7))).toBe(7);
});
