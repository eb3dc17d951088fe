import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { atTestEnd } from '../../../test/support/suite/ends.ts';
import { listen, post, run, vendor } from '../../../test/support/upstream.ts';
import type { UpstreamClient } from '../contract.ts';
import { createUpstreamClient } from '../http/client.ts';
import type { Resolve } from './resolve.ts';

let connections = 0;
afterEach(() => {
  connections = 0;
});

/** The address of a vendor on this machine, which counts who connects to it. */
async function inside(): Promise<string> {
  const server = createServer((_request, response) => response.end('inside'));
  server.on('connection', () => connections++);
  return await listen(server);
}

function clientWith(resolve: Resolve, ownHosts: readonly string[] = []): UpstreamClient {
  const made = createUpstreamClient({ resolve, ownHosts });
  atTestEnd(() => made.close());
  return made;
}

const loopback: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];
const mixed: Resolve = async () => [
  { address: '93.184.216.34', family: 4 },
  { address: '127.0.0.1', family: 4 },
];
const nobody: Resolve = async () => [];

function named(origin: string, host: string): string {
  const url = new URL(origin);
  url.hostname = host;
  return url.origin;
}

describe('an address that a user stored', () => {
  test.each([
    ['a private address', '127.0.0.1', loopback],
    ['a private address of IPv6', '[::1]', loopback],
    ['one in other words', '2130706433', loopback],
    ['a name that leads into our network', 'vendor.example', loopback],
    ['a name with one public and one private address', 'vendor.example', mixed],
    ['a name that leads nowhere', 'vendor.example', nobody],
  ])('is not connected to when it is %s', async (_name, host, resolve) => {
    const request = { ...post(named(await inside(), host)), reach: 'public' } as const;
    const outcome = await run(clientWith(resolve), request).ended;
    expect(outcome.failure?.kind).toBe('connect');
    expect(connections).toBe(0);
  });

  test('is connected to when the operator allows its host', async () => {
    const origin = named(await inside(), 'vendor.example');
    for (const own of ['vendor.example', new URL(origin).host]) {
      const outcome = await run(clientWith(loopback, [own]), { ...post(origin), reach: 'public' }).ended;
      expect(outcome.body).toBe('inside');
    }
  });

  test('does not use connections that the operator’s own address has open', async () => {
    const origin = await inside();
    const sender = clientWith(loopback);
    expect((await run(sender, post(origin)).ended).body).toBe('inside');
    expect((await run(sender, { ...post(origin), reach: 'public' }).ended).failure?.kind).toBe('connect');
    expect(connections).toBe(1);
  });

  test('is checked again at every connection', async () => {
    const origin = named(await inside(), 'vendor.example');
    const answers = ['93.184.216.34', '127.0.0.1'];
    let asked = 0;
    const rebinding: Resolve = async () => [{ address: answers[asked++] ?? '127.0.0.1', family: 4 }];
    const sender = clientWith(rebinding);
    const request = {
      ...post(origin, '{}', { connectMs: 100, firstByteMs: 500, idleMs: 500 }),
      reach: 'public',
    } as const;
    await run(sender, request).ended;
    expect((await run(sender, request).ended).failure?.kind).toBe('connect');
    expect([asked >= 2, connections]).toEqual([true, 0]);
  });

  test('gets no second address: a redirect is an ordinary answer', async () => {
    const target = await inside();
    const origin = await vendor((_request, response) => response.writeHead(307, { location: target }).end());
    const { host } = new URL(origin);
    const outcome = await run(clientWith(loopback, [host]), { ...post(origin), reach: 'public' }).ended;
    expect([outcome.head?.status, connections]).toEqual([307, 0]);
  });
});
