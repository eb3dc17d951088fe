import { expect, test } from 'vitest';
import { refuse } from '../../kernel/errors.ts';
import { nameModel } from './no-upstream.ts';

test('a 50201 contains the name of the model, whatever the client sent', () => {
  expect(nameModel(refuse('noUpstream'), 'gpt-nonsense').message).toContain('model: "gpt-nonsense";');
  expect(nameModel(refuse('noUpstream'), '模型').message).toContain('"模型"');
  expect(nameModel(refuse('noUpstream'), 'a\r\nb\ud800').message).toContain('"a??b?"');
  expect(nameModel(refuse('noUpstream'), 'x'.repeat(5_000)).message.length).toBeLessThan(250);
});

test('no other refusal is changed', () => {
  const refusal = refuse('notBillable');
  expect(nameModel(refusal, 'gpt-5')).toBe(refusal);
});
