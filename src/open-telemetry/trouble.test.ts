import { expect, test } from 'vitest';
import { silentLogger } from '../kernel/log.ts';
import { ManualClock } from '../kernel/time/clock.ts';
import { TELEMETRY_NOTICE_MS } from './bounds.ts';
import { Trouble } from './trouble.ts';

function open(): { trouble: Trouble; clock: ManualClock; lines: object[] } {
  const lines: object[] = [];
  const clock = new ManualClock(0);
  const log = { ...silentLogger, warn: (fields: object) => void lines.push(fields) };
  return { trouble: new Trouble(log, clock), clock, lines };
}

test('the first failure is noted at once, and the others are counted until it is time again', () => {
  const { trouble, clock, lines } = open();
  for (let index = 0; index < 1_000; index++) trouble.note(new Error('refused'));
  expect(lines).toEqual([{ detail: 'refused', others: 0 }]);
  clock.advance(TELEMETRY_NOTICE_MS);
  trouble.note('queue is full');
  expect(lines).toEqual([
    { detail: 'refused', others: 0 },
    { detail: 'queue is full', others: 999 },
  ]);
});

test('a notice has message and code of an error, and nothing else of it', () => {
  const { trouble, clock, lines } = open();
  const errors = [
    Object.assign(new Error('Bad Request'), { code: 400, data: 'what the receiver wrote' }),
    Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' }),
    new TypeError(''),
    'x'.repeat(1_000),
  ];
  for (const error of errors) {
    trouble.note(error);
    clock.advance(TELEMETRY_NOTICE_MS);
  }
  expect(lines.map((line) => (line as { readonly detail: string }).detail)).toEqual([
    '400 Bad Request',
    'ECONNREFUSED',
    'TypeError',
    'x'.repeat(300),
  ]);
});
