import { expect, test } from 'vitest';
import { Endings } from './endings.ts';

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
