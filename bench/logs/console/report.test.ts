import { expect, test } from 'vitest';
import { type Answered, judge, renderAnswers } from './report.ts';

const answered = (name: string, ...ms: readonly number[]): Answered => ({
  ...{ as: 'user', page: 'calls', path: '/', rows: 50, processorMs: 4, name, ms },
});

test('a question is judged by the median of its answers, and the slowest comes first', () => {
  const judged = judge([answered('quick', 5, 900, 6), answered('slow', 301, 302, 1)]);
  expect(judged.map(({ name, spread }) => [name, spread.median])).toEqual([
    ['slow', 301],
    ['quick', 6],
  ]);
  const lines = renderAnswers(judged).split('\n').slice(2);
  expect(lines.map((line) => /(yes|NO)/.exec(line)?.[1])).toEqual(['NO', 'yes']);
});

test('a question without an answer is left out', () => {
  expect(judge([answered('never')])).toEqual([]);
});
