import { expect, test } from 'vitest';
import { Cleanup } from './cleanup.ts';

test('cleanups run in reverse order of registration, one after the other, and once', async () => {
  const cleanup = new Cleanup();
  const ended: string[] = [];
  cleanup.add(() => void ended.push('first'));
  cleanup.add(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    ended.push('second');
  });
  cleanup.add(() => void ended.push('third'));
  await cleanup.run();
  await cleanup.run();
  expect(ended).toEqual(['third', 'second', 'first']);
});

test('a failing cleanup does not stop the others, and the first failure is reported', async () => {
  const cleanup = new Cleanup();
  const ended: string[] = [];
  cleanup.add(() => void ended.push('first'));
  cleanup.add(() => Promise.reject(new Error('of the second')));
  cleanup.add(() => {
    throw new Error('of the third');
  });
  await expect(cleanup.run()).rejects.toThrow('of the third');
  expect(ended).toEqual(['first']);
});
