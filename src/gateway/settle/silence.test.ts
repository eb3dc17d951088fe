import { expect, it } from 'vitest';
import { REASONING_SILENCE_MS, REASONING_SILENCE_SURE_MS } from '../../bounds.ts';
import { Silence } from './silence.ts';

it('the silence is the sum of the long pauses of an answer, with the current one', () => {
  const silence = new Silence(0);
  silence.broken(0);
  silence.broken(REASONING_SILENCE_MS);
  silence.broken(2 * REASONING_SILENCE_MS - 1);
  expect(silence.ms(2 * REASONING_SILENCE_MS, 'perhaps')).toBe(REASONING_SILENCE_MS);
  expect(silence.ms(3 * REASONING_SILENCE_MS, 'perhaps')).toBe(2 * REASONING_SILENCE_MS + 1);
});

it('the silence includes shorter pauses where the model reasons, and everything before the first token', () => {
  const silence = new Silence(0);
  silence.broken(30);
  silence.broken(30 + REASONING_SILENCE_SURE_MS - 1);
  const third = 30 + 2 * REASONING_SILENCE_SURE_MS;
  silence.broken(third);
  expect(silence.ms(third, 'surely')).toBe(30 + REASONING_SILENCE_SURE_MS + 1);
  expect(silence.ms(third, 'perhaps')).toBe(0);
});

it('the silence leaves out the time in which the client did not read', () => {
  const silence = new Silence(0);
  silence.skip(50_000);
  expect(silence.ms(50_010, 'perhaps')).toBe(0);
});
