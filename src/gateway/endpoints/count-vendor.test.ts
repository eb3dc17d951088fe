import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { COUNT_ANSWER_BYTES_MAX, COUNT_WAIT_MS } from '../../bounds.ts';
import type { UpstreamClient, UpstreamHandler, UpstreamRequest } from '../../upstream/contract.ts';
import { askVendor, type CountReply } from './count-vendor.ts';

const REQUEST = {
  origin: 'http://vendor',
  reach: 'any',
  path: '/count',
  method: 'POST',
  headers: [],
  body: [],
} as const;
const HEAD = { status: 200, headers: {} };

let sent: UpstreamRequest | undefined;
let handler: UpstreamHandler;
let aborted: number;
let response: ServerResponse;

const client: UpstreamClient = {
  send: (request, given) => {
    sent = request;
    handler = given;
    const abort = (): void => {
      aborted++;
    };
    return { sent: true, pause() {}, resume() {}, abort };
  },
  close: async () => {},
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  aborted = 0;
  response = new ServerResponse(new IncomingMessage(new Socket()));
});
afterEach(() => {
  vi.useRealTimers();
});

function ask(): Promise<CountReply> {
  const plainTimeouts = { connectMs: 5_000, firstByteMs: 600_000, idleMs: 60_000 };
  return askVendor(REQUEST, response, { client, plainTimeouts });
}

test('an answer is assembled from its pieces, and the request leaves nothing behind', async () => {
  const asking = ask();
  handler.onHead(HEAD);
  handler.onData(Buffer.from('{"input_'));
  handler.onData(Buffer.from('tokens":3}'));
  handler.onEnd();
  expect(await asking).toEqual({ kind: 'answer', head: HEAD, body: Buffer.from('{"input_tokens":3}') });
  expect(vi.getTimerCount()).toBe(0);
  expect(response.listenerCount('close')).toBe(0);
  // The pool of connections is the one that calls use: it hangs on this time.
  expect(sent?.timeouts).toEqual({ connectMs: 5_000, firstByteMs: COUNT_WAIT_MS, idleMs: COUNT_WAIT_MS });
});

test('a vendor that drips its answer is cut when the time is over', async () => {
  const asking = ask();
  handler.onHead(HEAD);
  for (let waited = 0; waited < COUNT_WAIT_MS; waited += 1_000) {
    handler.onData(Buffer.from(' '));
    vi.advanceTimersByTime(1_000);
  }
  expect(await asking).toEqual({ kind: 'failed', outcome: 'timeout' });
  expect(aborted).toBe(1);
});

test('an answer without an end is cut at its bound, and one of exactly the bound is taken', async () => {
  const whole = ask();
  handler.onHead(HEAD);
  handler.onData(Buffer.alloc(COUNT_ANSWER_BYTES_MAX));
  handler.onEnd();
  expect(await whole).toMatchObject({ kind: 'answer' });
  const endless = ask();
  handler.onHead(HEAD);
  handler.onData(Buffer.alloc(COUNT_ANSWER_BYTES_MAX + 1));
  expect(await endless).toEqual({ kind: 'failed', outcome: 'too-large' });
  expect(aborted).toBe(1);
});

test('a vendor that breaks the connection has failed', async () => {
  const asking = ask();
  handler.onFailure({ kind: 'reset', detail: 'gone' });
  expect(await asking).toEqual({ kind: 'failed', outcome: 'reset' });
  expect(vi.getTimerCount()).toBe(0);
});

test('a client that leaves ends the request to the vendor', async () => {
  const asking = ask();
  response.emit('close');
  expect(await asking).toEqual({ kind: 'client-gone' });
  expect([aborted, vi.getTimerCount()]).toEqual([1, 0]);
});
