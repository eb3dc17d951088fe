import { expect, test } from 'vitest';
import { Endings } from './cleanup.ts';

test('what was begun last is ended first, one after the other, and once', async () => {
  const endings = new Endings();
  const ended: string[] = [];
  endings.add(() => void ended.push('first'));
  endings.add(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    ended.push('second');
  });
  endings.add(() => void ended.push('third'));
  await endings.run();
  await endings.run();
  expect(ended).toEqual(['third', 'second', 'first']);
});

test('an end that fails keeps nobody from theirs, and the first failure is told', async () => {
  const endings = new Endings();
  const ended: string[] = [];
  endings.add(() => void ended.push('first'));
  endings.add(() => Promise.reject(new Error('of the second')));
  endings.add(() => {
    throw new Error('of the third');
  });
  await expect(endings.run()).rejects.toThrow('of the third');
  expect(ended).toEqual(['first']);
});
