import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { ByteBudget } from '../../http/budget.ts';
import type { Passage } from './attempt-context.ts';
import { hasRoom, takeRoom } from './memory-budget.ts';

const MIB = 1024 * 1024;

function stand(bytesMax = 20 * MIB) {
  const bodies = new ByteBudget(bytesMax);
  const response = Object.assign(new EventEmitter(), { closed: false });
  const passage = {
    response,
    call: { caller: { account: { id: 1 } } },
    carriage: { bodies },
  } as unknown as Passage;
  return { bodies, response, passage };
}

test('a converted body counts with the text it was made from, once for all routes and legs, until the answer is over', () => {
  const { bodies, response, passage } = stand();
  expect(hasRoom(passage, MIB)).toBe(true);
  expect(hasRoom(passage, MIB)).toBe(true);
  expect(hasRoom({ ...passage }, MIB)).toBe(true);
  expect(bodies.usedBytes).toBe(2 * MIB);
  expect(hasRoom(passage, 3 * MIB)).toBe(true);
  expect(takeRoom(passage, 1_000)).toBe(true);
  expect(bodies.usedBytes).toBe(6 * MIB + 1_000);
  response.emit('close');
  expect(bodies.usedBytes).toBe(0);
});

test('there is none beyond the budget, and none for a client that left', () => {
  const { bodies, response, passage } = stand(6 * MIB);
  expect(hasRoom(passage, 2 * MIB)).toBe(false);
  response.closed = true;
  expect(hasRoom(passage, MIB)).toBe(false);
  expect(bodies.usedBytes).toBe(0);
});
