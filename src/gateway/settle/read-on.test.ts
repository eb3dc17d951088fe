import { expect, test } from 'vitest';
import { USAGE_WAIT_BYTES_MAX } from '../../bounds.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import type { StreamRelay } from '../../protocol/dialect.ts';
import { READ_ON_BYTES_MAX } from './bounds.ts';
import { ReadOn, type ReadOnReason } from './read-on.ts';

const QUIET = { ended: true, reported: false, concluded: false, overflowed: false, broken: false };
const SPENT = { usage: NO_USAGE, estimated: true };

function isOver(reason: ReadOnReason, relay: Partial<typeof QUIET>, bytes = 10): boolean {
  return new ReadOn(reason, SPENT).isOver({ ...QUIET, ...relay } as StreamRelay, bytes);
}

test('reading on ends with the usage, with the answer, and after too many bytes', () => {
  for (const reason of ['ended', 'hidden'] as const) {
    expect(isOver(reason, {})).toBe(false);
    expect(isOver(reason, { reported: true })).toBe(true);
    expect(isOver(reason, { concluded: true })).toBe(true);
    expect(isOver(reason, { overflowed: true })).toBe(true);
    expect(isOver(reason, { broken: true })).toBe(true);
  }
  expect(isOver('hidden', {}, READ_ON_BYTES_MAX + 1)).toBe(true);
  expect(isOver('ended', {}, USAGE_WAIT_BYTES_MAX + 1)).toBe(true);
  const readOn = new ReadOn('hidden', SPENT);
  expect(readOn.isOver(QUIET as StreamRelay, READ_ON_BYTES_MAX)).toBe(false);
  expect(readOn.isOver(QUIET as StreamRelay, 1)).toBe(true);
});

test('an answer that continues is read on only where the model reasons out of sight', () => {
  expect(isOver('ended', { ended: false })).toBe(true);
  expect(isOver('hidden', { ended: false })).toBe(false);
});
