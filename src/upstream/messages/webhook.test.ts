import type http from 'node:http';
import type net from 'node:net';
import { describe, expect, test } from 'vitest';
import { startCanary } from '../../../test/egress/canary.ts';
import { atTestEnd } from '../../../test/support/suite/ends.ts';
import { rawVendor, vendor } from '../../../test/support/upstream.ts';
import type { Sent } from '../../alerts/contract.ts';
import { systemRandom } from '../../kernel/random.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import type { Resolve } from '../guard/resolve.ts';
import { createUpstreamClient } from '../http/client.ts';
import { createWebhookSender, newWebhookSecret, signWebhook } from './webhook.ts';

const MESSAGE = { id: 'msg_1', body: '{"type":"test"}' };

/** To a receiver of this machine, which the operator allows. */
async function send(
  url: string,
  options: { secret?: string; waitMs?: number; resolve?: Resolve } = {},
): Promise<Sent> {
  const { secret = newWebhookSecret(systemRandom), waitMs = 5_000, resolve } = options;
  const ownHosts = [new URL(url).host];
  const client = createUpstreamClient({ ownHosts, ...(resolve !== undefined && { resolve, ownHosts: [] }) });
  atTestEnd(() => client.close());
  return createWebhookSender(client, systemClock, waitMs)({ ...MESSAGE, url, secret });
}

test('the signature is that of Standard Webhooks, by its published example', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}', secret };
  expect(signWebhook(message, 1_614_265_330)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  expect(newWebhookSecret(systemRandom)).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});

test('a receiver can verify a message by its headers and its bytes', async () => {
  const seen: { headers: http.IncomingHttpHeaders; body: string; url: string }[] = [];
  const url = await vendor((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      seen.push({ headers: request.headers, body, url: request.url ?? '' });
      response.writeHead(204).end();
    });
  });
  const secret = newWebhookSecret(systemRandom);
  expect(await send(`${url}/hooks?key=a%20b`, { secret })).toEqual({ kind: 'sent' });
  const [got] = seen;
  expect(got?.url).toBe('/hooks?key=a%20b');
  const seconds = Number(got?.headers['webhook-timestamp']);
  expect(Math.abs(Date.now() / 1000 - seconds)).toBeLessThan(300);
  const id = String(got?.headers['webhook-id']);
  expect(got?.headers['webhook-signature']).toBe(signWebhook({ id, body: got?.body ?? '', secret }, seconds));
  expect(JSON.stringify(got)).not.toContain(secret);
});

describe('a hostile receiver', () => {
  const answer = (status: number, headers: Record<string, string> = {}) =>
    vendor((_request, response) => response.writeHead(status, headers).end());

  test('that redirects to loopback is not followed', async () => {
    const canary = await startCanary();
    atTestEnd(() => canary.close());
    const url = await answer(302, { location: `http://127.0.0.1:${canary.port}/` });
    expect(await send(url)).toEqual({
      ...{ kind: 'failed', final: false },
      reason: 'redirected with 302, and no redirect is followed',
    });
    expect(canary.connections).toBe(0);
  });

  test.each([
    [404, false],
    [410, true],
    [429, false],
    [500, false],
  ])('that answers with %i is told, and final is %s', async (status, final) => {
    expect(await send(await answer(status))).toEqual({
      kind: 'failed',
      reason: `answered with ${status}`,
      final,
    });
  });

  test('with an endless body is cut off', async () => {
    const url = await vendor((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(Buffer.alloc(65_536)), 5);
      response.on('close', () => clearInterval(timer));
    });
    expect(await send(url)).toMatchObject({ kind: 'failed', reason: 'the answer is too large' });
  });

  test('that drips is given one time for all of it', async () => {
    const url = await vendor((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(timer));
    });
    const startedMs = Date.now();
    expect(await send(url, { waitMs: 600 })).toMatchObject({ reason: 'no answer came in time' });
    expect(Date.now() - startedMs).toBeGreaterThanOrEqual(550);
  });

  test('that resets the connection, or sends what is no HTTP, or huge headers, fails', async () => {
    const reset = await rawVendor((_text, socket: net.Socket) => void socket.resetAndDestroy());
    expect(await send(reset)).toMatchObject({ kind: 'failed', final: false });
    const noise = await rawVendor((_text, socket) => void socket.end('220 smtp.example.com ESMTP\r\n'));
    expect(await send(noise)).toMatchObject({
      kind: 'failed',
      reason: 'what answers there does not speak HTTP',
    });
    const huge = await rawVendor((_text, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nx-huge: ${'a'.repeat(4_000_000)}\r\n\r\n`);
    });
    expect(await send(huge)).toMatchObject({ kind: 'failed' });
  });

  test('whose name leads into a private network is not connected to', async () => {
    const canary = await startCanary();
    atTestEnd(() => canary.close());
    const inside: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const url = `http://hooks.example:${canary.port}/`;
    expect(await send(url, { resolve: inside })).toMatchObject({ reason: 'the address cannot be reached' });
    expect(await send(`http://127.0.0.1:${canary.port}/`, { resolve: inside })).toMatchObject({
      reason: 'the address cannot be reached',
    });
    expect(canary.connections).toBe(0);
  });
});
