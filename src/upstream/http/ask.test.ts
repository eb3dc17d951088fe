import { expect, test } from 'vitest';
import { client, post, rawVendor } from '../../../test/support/upstream.ts';
import { ask } from './ask.ts';

const BOUNDS = { waitMs: 300, bytesMax: 100 };

/** A vendor that says these, one after the other. */
const speaker = (parts: readonly string[], pauseMs: number): Promise<string> =>
  rawVendor((_text, socket) => {
    for (const [index, part] of parts.entries()) setTimeout(() => socket.write(part), index * pauseMs);
  });

const printHead = (bytes: number): string => `HTTP/1.1 200 OK\r\ncontent-length: ${bytes}\r\n\r\n`;

test('an answer is complete for any split of its bytes', async () => {
  const origin = await speaker([`${printHead(12)}one `, 'two ', 'more'], 20);
  const reply = await ask(client(), post(origin), BOUNDS);
  expect(reply).toMatchObject({ kind: 'answer', head: { status: 200 } });
  expect(reply.kind === 'answer' && reply.body.toString()).toBe('one two more');
});

test('an answer beyond its bound is refused', async () => {
  const origin = await speaker([printHead(10_000), 'x'.repeat(101)], 0);
  expect(await ask(client(), post(origin), BOUNDS)).toEqual({ kind: 'failed', reason: 'too-large' });
});

test('one timeout covers the whole exchange, also with a dripping vendor', async () => {
  const origin = await speaker([printHead(50), ...Array.from({ length: 50 }, () => 'x')], 50);
  expect(await ask(client(), post(origin), BOUNDS)).toEqual({ kind: 'failed', reason: 'timeout' });
});
