import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { ByteBudget } from '../../http/budget.ts';
import type { AttemptContext } from './attempt-context.ts';
import { hasMemory, reserveMemory } from './memory-budget.ts';

const MIB = 1024 * 1024;

function stand(bytesMax = 20 * MIB) {
  const bodies = new ByteBudget(bytesMax);
  const response = Object.assign(new EventEmitter(), { closed: false });
  const context = {
    response,
    call: { caller: { account: { id: 1 } } },
    deps: { bodies },
  } as unknown as AttemptContext;
  return { bodies, response, context };
}

test('a converted body counts with its source text, once for all routes and options, until the answer is over', () => {
  const { bodies, response, context } = stand();
  expect(hasMemory(context, MIB)).toBe(true);
  expect(hasMemory(context, MIB)).toBe(true);
  expect(hasMemory({ ...context }, MIB)).toBe(true);
  expect(bodies.usedBytes).toBe(2 * MIB);
  expect(hasMemory(context, 3 * MIB)).toBe(true);
  expect(reserveMemory(context, 1_000)).toBe(true);
  expect(bodies.usedBytes).toBe(6 * MIB + 1_000);
  response.emit('close');
  expect(bodies.usedBytes).toBe(0);
});

test('no memory is granted beyond the budget, nor for a client that left', () => {
  const { bodies, response, context } = stand(6 * MIB);
  expect(hasMemory(context, 2 * MIB)).toBe(false);
  response.closed = true;
  expect(hasMemory(context, MIB)).toBe(false);
  expect(bodies.usedBytes).toBe(0);
});
