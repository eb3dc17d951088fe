import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { CatalogSnapshot, Vendor } from '../../src/catalog/contract.ts';
import { systemClock } from '../../src/kernel/time/clock.ts';
import type { Resolve } from '../../src/upstream/guard/resolve.ts';
import { createUpstreamClient } from '../../src/upstream/http/client.ts';
import { Prober } from '../../src/upstream/probe.ts';
import { sampleCatalog, sampleModel, sampleRoute, sampleVendor } from '../support/samples.ts';
import { post, run } from '../support/upstream.ts';
import { type Canary, startCanary } from './canary.ts';

/** Rule S-6: what names and servers of strangers can do to lead a connection inside. */

let canary: Canary;
beforeAll(async () => {
  canary = await startCanary();
});
afterAll(() => canary.close());

const PUBLIC = '93.184.216.34';
const PUBLIC_V6 = '2606:4700:4700::1111';
const QUICK = { connectMs: 300, firstByteMs: 300, idleMs: 300 };
const family = (address: string) => (address.includes(':') ? 6 : 4);

/** A stub of DNS: the answers of the first, second, … query; the last one stays. */
function dns(...answers: readonly (readonly string[])[]): Resolve & { queries: number } {
  const stub = Object.assign(
    async () => {
      const answer = answers[Math.min(stub.queries, answers.length - 1)] ?? [];
      stub.queries += 1;
      return answer.map((address) => ({ address, family: family(address) }));
    },
    { queries: 0 },
  );
  return stub;
}

/** As a call does it: the connection of a BYOK credential's address. */
async function call(resolve: Resolve, times = 1): Promise<(string | undefined)[]> {
  const client = createUpstreamClient({ resolve });
  const outcomes: (string | undefined)[] = [];
  for (let count = 0; count < times; count++) {
    const request = {
      ...post(`http://vendor.example:${canary.port}`, '{}', QUICK),
      reach: 'public',
    } as const;
    outcomes.push((await run(client, request).ended).failure?.kind);
  }
  await client.close();
  return outcomes;
}

const own = (wanted: (address: string) => boolean): string => canary.addresses.find(wanted) ?? '10.0.0.9';

describe('a name that leads inside is not connected to, and looked up once per connection', () => {
  const cases: readonly (readonly [string, () => readonly string[]])[] = [
    ['A to loopback', () => ['127.0.0.1']],
    ['A to a private network', () => ['10.1.2.3']],
    ['A to the metadata of a cloud', () => ['169.254.169.254']],
    ['A to this very machine', () => [own((address) => !address.startsWith('127') && family(address) === 4)]],
    ['AAAA to loopback', () => ['::1']],
    ['AAAA to this very machine', () => [own((address) => address !== '::1' && family(address) === 6)]],
    ['private AAAA beside a public A', () => [PUBLIC, '::1']],
    ['private A beside a public AAAA', () => [PUBLIC_V6, '127.0.0.1']],
    ['a mixed answer, the private one last: the second try of Happy Eyeballs', () => [PUBLIC, '127.0.0.1']],
    ['a mixed answer, the private one first', () => ['127.0.0.1', PUBLIC]],
    ['one private among many', () => [...Array(20).fill(PUBLIC), '127.0.0.1']],
    ['the end of a chain of CNAMEs', () => ['127.0.0.53']],
    ['IPv4 mapped into IPv6', () => ['::ffff:127.0.0.1']],
    ['NAT64', () => ['64:ff9b::7f00:1']],
    ['6to4', () => ['2002:7f00:1::']],
    ['an address of a link with its zone', () => ['fe80::1%lo']],
    ['no address at all', () => []],
  ];
  test.each(cases)('%s', async (_name, answer) => {
    const stub = dns(answer());
    expect(await call(stub)).toEqual(['connect']);
    expect([stub.queries, canary.connections]).toEqual([1, 0]);
  });

  test('when it cannot be looked up', async () => {
    expect(await call(() => Promise.reject(new Error('NXDOMAIN')))).toEqual(['connect']);
  });

  test('when its look-up never ends, which is left in time', async () => {
    expect(await call(() => new Promise(() => {}))).toEqual(['connect']);
  });
});

describe('a name that changes is checked at every connection', () => {
  test.each([
    ['first', [['127.0.0.1'], [PUBLIC]]],
    ['second', [[PUBLIC], ['127.0.0.1']]],
    ['third', [[PUBLIC], [PUBLIC], ['127.0.0.1']]],
  ])('when the %s answer leads inside', async (_name, answers) => {
    const stub = dns(...answers);
    const outcomes = await call(stub, 3);
    expect(outcomes.every((kind) => kind !== undefined)).toBe(true);
    expect([stub.queries, canary.connections]).toEqual([3, 0]);
  });

  test('and the checked address is connected to, without a second look-up', async () => {
    const stub = dns([PUBLIC], ['127.0.0.1']);
    await call(stub, 1);
    expect([stub.queries, canary.connections]).toEqual([1, 0]);
  });
});

describe('a server that points inside is not followed', () => {
  const inside = () => `http://127.0.0.1:${canary.port}/v1`;
  const redirect =
    (status: number, location: () => string): RequestListener =>
    (_request, response) =>
      response.writeHead(status, { location: location() }).end();
  const servers: readonly (readonly [string, RequestListener, number | undefined])[] = [
    ...[301, 302, 303, 307, 308].map((status) => [`${status}`, redirect(status, inside), status] as const),
    [
      'a relative redirect that begins with two slashes',
      redirect(302, () => `//127.0.0.1:${canary.port}`),
      302,
    ],
    ['a redirect to another scheme', redirect(302, () => 'file:///etc/passwd'), 302],
    [
      'alt-svc',
      (_request, response) => {
        response.setHeader('alt-svc', `h2="127.0.0.1:${canary.port}"; ma=3600`);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"x"}');
      },
      200,
    ],
    [
      'an upgrade to WebSocket',
      (request) => {
        request.socket.end(
          'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
        );
      },
      undefined,
    ],
  ];

  test.each(servers)('%s', async (_name, answer, status) => {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    // The operator opened this one host; where it points to is as closed as ever.
    const client = createUpstreamClient({ ownHosts: [host] });
    const vendor = sampleVendor({ byok: true, customBaseUrl: true });
    const target = { accountId: 1, vendor, secret: 'sk-x', baseUrl: `http://${host}/v1` };
    const probed = await new Prober(client, systemClock).probe(target, catalogOf(vendor));
    const again = await new Prober(client, systemClock).probe(target, catalogOf(vendor));
    for (const one of [probed, again]) {
      expect(one).toMatchObject(status === 200 ? { kind: 'works' } : { kind: 'fails', status });
    }
    await client.close();
    server.closeAllConnections();
    server.close();
    expect(canary.connections).toBe(0);
  });

  test('nor are proxies of the environment used', async () => {
    const proxy = `http://127.0.0.1:${canary.port}`;
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']) {
      vi.stubEnv(name, proxy);
    }
    await call(dns([PUBLIC]));
    vi.unstubAllEnvs();
    expect(canary.connections).toBe(0);
  });
});

function catalogOf(vendor: Vendor): CatalogSnapshot {
  const model = sampleModel({ routes: [sampleRoute({ vendor })] });
  return sampleCatalog({
    vendors: new Map([[vendor.code, vendor]]),
    models: new Map([[model.modelId, model]]),
  });
}
