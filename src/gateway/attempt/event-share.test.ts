import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { EventShare } from './event-share.ts';

const KIB = 1024;

function createShare(roomBytes: number) {
  const response = Object.assign(new EventEmitter(), { closed: false });
  const used = { bytes: 0 };
  const budget = {
    take: (_accountId: number, bytes: number) => {
      if (used.bytes + bytes > roomBytes) return false;
      used.bytes += bytes;
      return true;
    },
    give: (_accountId: number, bytes: number) => {
      used.bytes -= bytes;
    },
  };
  const share = new EventShare(budget, 1, response as unknown as ConstructorParameters<typeof EventShare>[2]);
  return { share, used, response };
}

test('a large unfinished event is counted while it grows, and returned when it is complete', () => {
  const { share, used } = createShare(1_000 * KIB);
  expect(share.hold(200 * KIB)).toBe(true);
  expect(used.bytes).toBe(0);
  expect(share.hold(300 * KIB)).toBe(true);
  expect(share.hold(900 * KIB)).toBe(true);
  expect(used.bytes).toBe(900 * KIB);
  expect(share.hold(0)).toBe(true);
  expect(used.bytes).toBe(0);
});

test('an event without memory is refused, and the end of the answer returns what it had', () => {
  const { share, used, response } = createShare(500 * KIB);
  expect(share.hold(400 * KIB)).toBe(true);
  expect(share.hold(600 * KIB)).toBe(false);
  expect(used.bytes).toBe(400 * KIB);
  response.closed = true;
  response.emit('close');
  expect(used.bytes).toBe(0);
  expect(share.hold(400 * KIB)).toBe(true);
  expect(used.bytes).toBe(0);
});
