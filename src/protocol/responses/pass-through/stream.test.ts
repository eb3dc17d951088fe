import { expect, it } from 'vitest';
import { lend } from '../../../../test/support/suite/lend.ts';
import { Relay } from '../../pass-through/relay.ts';
import { ResponsesEventReader } from './stream.ts';

const delta = (text: string, number: string): string =>
  `data: {"type":"response.output_text.delta","delta":"${text}"${number}}\n\n`;
const numbers: readonly (readonly [string, string, number | undefined])[] = [
  ['a delta', delta('x', ',"sequence_number":41'), 42],
  ['a delta behind another event', `data: {"sequence_number":7}\n\n${delta('x', ',"sequence_number":8')}`, 9],
  ['a long delta', delta('x'.repeat(10_000), ',"sequence_number":41'), 42],
  [
    'another event behind a delta',
    `${delta('x', ',"sequence_number":8')}data: {"sequence_number":9}\n\n`,
    10,
  ],
  ['a delta without a number', `data: {"sequence_number":7}\n\n${delta('x', '')}`, undefined],
  ['something that is no object', `${delta('x', ',"sequence_number":8')}data: [DONE]\n\n`, undefined],
];
it.each(numbers)('the number after the last event is known for Responses: %s', (_name, text, next) => {
  const relay = new Relay('sse', new ResponsesEventReader(), 'platform/model');
  expect(relay.nextSequenceNumber).toBeUndefined();
  lend(Buffer.from(text), (lent) => relay.push(lent));
  expect(relay.nextSequenceNumber).toBe(next);
});
