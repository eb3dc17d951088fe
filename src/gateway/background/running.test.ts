import { expect, test } from 'vitest';
import { RunningResponses } from './running.ts';

test('only the account of a response cancels it, and only while it runs', () => {
  const running = new RunningResponses();
  const cancelled: string[] = [];
  running.began(1, 'resp_1', () => cancelled.push('resp_1'));
  running.cancel(2, 'resp_1');
  running.cancel(1, 'resp_2');
  expect(cancelled).toEqual([]);
  running.cancel(1, 'resp_1');
  expect(cancelled).toEqual(['resp_1']);
  running.ended(1, 'resp_1');
  running.cancel(1, 'resp_1');
  expect(cancelled).toEqual(['resp_1']);
});
