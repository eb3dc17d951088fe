import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

function drain(queue: FairQueue<string, string>): string {
  let all = '';
  for (let item = queue.next(); item !== undefined; item = queue.next()) all += `${item} `;
  return all.trim();
}

test('owners take turns, and the items of each stay in order', () => {
  const queue = new FairQueue<string, string>(10);
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.add(item.slice(0, 1), item);
  expect(drain(queue)).toBe('a1 b1 c1 a2 b2 a3');
  expect(queue.size).toBe(0);
});

test('a newcomer to a full queue takes the last place of the longest owner', () => {
  const queue = new FairQueue<string, string>(3);
  for (const item of ['a1', 'a2', 'a3']) expect(queue.add('a', item)).toBeUndefined();
  expect(queue.add('a', 'a4')).toBe('a4');
  expect(queue.add('b', 'b1')).toBe('a3');
  expect(queue.add('b', 'b2')).toBe('b2');
  expect(queue.add('c', 'c1')).toBe('a2');
  expect(queue.add('d', 'd1')).toBe('d1');
  expect(drain(queue)).toBe('a1 b1 c1');
});

test('an item that is not ready is passed over, and one that left is not called', () => {
  const queue = new FairQueue<string, string>(10);
  for (const item of ['a1', 'a2', 'b1']) queue.add(item.slice(0, 1), item);
  expect(queue.next((owner) => owner !== 'a')).toBe('b1');
  expect(queue.next((owner) => owner !== 'a')).toBeUndefined();
  queue.remove('a', 'a1');
  queue.remove('a', 'a1');
  queue.remove('x', 'x1');
  expect(drain(queue)).toBe('a2');
});

test('no item is lost or called twice, whatever happens', () => {
  const step = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('add', 'next', 'remove'));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new FairQueue<string, string>(5);
      const waiting = new Set<string>();
      for (const [index, [owner, what]] of steps.entries()) {
        const item = `${owner}${index}`;
        if (what === 'add') {
          waiting.add(item);
          const gone = queue.add(owner, item);
          if (gone !== undefined) expect(waiting.delete(gone)).toBe(true);
        } else if (what === 'next') {
          const called = queue.next();
          if (called === undefined) expect(waiting.size).toBe(0);
          else expect(waiting.delete(called)).toBe(true);
        } else {
          const [left] = [...waiting].filter((one) => one.startsWith(owner));
          if (left !== undefined) queue.remove(owner, left);
          if (left !== undefined) waiting.delete(left);
        }
        expect(queue.size).toBe(waiting.size);
        expect(queue.size).toBeLessThanOrEqual(5);
      }
    }),
  );
});
