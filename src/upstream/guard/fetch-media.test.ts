import type { LookupAddress } from 'node:dns';
import type { RequestListener } from 'node:http';
import https from 'node:https';
import { describe, expect, test } from 'vitest';
import { needs, OPENSSL } from '../../../test/needs.ts';
import { certificateOf, trust } from '../../../test/support/servers/certificate.ts';
import { listen, rawVendor, vendor } from '../../../test/support/upstream.ts';
import { MEDIA_BYTES_MAX, UPSTREAM_HEADER_BYTES_MAX } from '../../bounds.ts';
import type { MediaFailure, MediaPatience } from '../contract.ts';
import { GuardedFetcher } from './fetch-media.ts';
import type { Resolve } from './resolve.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const LOOPBACK: LookupAddress = { address: '127.0.0.1', family: 4 };
/** In the public network, and never given to anybody: nothing answers there, and nobody is bothered. */
const PUBLIC: LookupAddress = { address: '2d00::1', family: 6 };

const picture: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'image/png' });
  response.end(PNG);
};

const answer =
  (type: string, body: Buffer | string, status = 200): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': type });
    response.end(body);
  };

const PATIENT: MediaPatience = { signal: new AbortController().signal, room: () => true };
const loopback: Resolve = () => Promise.resolve([LOOPBACK]);

/** A server that answers under the name `media.test`, which is private and allowed. */
async function serve(listener: RequestListener, resolve = loopback, timeoutMs = 60_000) {
  const { port } = new URL(await vendor(listener));
  const fetcher = new GuardedFetcher({ ownHosts: [`media.test:${port}`], resolve, timeoutMs });
  const get = (path = '/a.png', patience = PATIENT) =>
    fetcher.fetch(`http://media.test:${port}${path}`, patience);
  return { port, fetcher, get };
}

describe('fetched media', () => {
  test('has its bytes and their true type', async () => {
    const { get } = await serve(picture);
    expect(await get()).toEqual({ kind: 'media', mime: 'image/png', bytes: PNG });
  });

  test('is requested with a host header and nothing else of the gateway', async () => {
    let heard: Record<string, unknown> = {};
    const { get, port } = await serve((request, response) => {
      heard = { ...request.headers, url: request.url };
      picture(request, response);
    });
    await get('/a.png?signature=1');
    const { 'user-agent': agent, ...rest } = heard;
    expect(agent).toMatch(/^tollgate\//);
    const said = { 'accept-encoding': 'identity', connection: 'close' };
    expect(rest).toEqual({ ...said, host: `media.test:${port}`, url: '/a.png?signature=1' });
  });

  test.each([
    ['a picture without a type', '', PNG, 'image/png'],
    ['a picture of a store that knows no types', 'binary/octet-stream', PNG, 'image/png'],
    ['a picture under another type', 'image/jpeg', PNG, 'image/png'],
    ['a PDF', 'application/pdf', '%PDF-1.7', 'application/pdf'],
    ['a text', 'text/plain; charset=utf-8', 'Grüße', 'text/plain'],
  ])('may be %s', async (_what, type, body, mime) => {
    const { get } = await serve(answer(type, body));
    expect(await get()).toMatchObject({ kind: 'media', mime });
  });

  test.each([
    ['a page under the name of a picture', 'image/png', '<html>'],
    ['a program', 'application/x-executable', '\x7fELF'],
    ['an unknown file', 'application/octet-stream', '\x7fELF'],
    ['bytes that claim to be text', 'text/plain', Buffer.from([0xff, 0xfe, 0])],
    ['a drawing that is a program', 'image/svg+xml', '<svg/>'],
  ])('may not be %s', async (_what, type, body) => {
    const { get } = await serve(answer(type, body));
    expect(await get()).toMatchObject({ kind: 'media-failure', reason: 'type' });
  });

  test('may not be compressed', async () => {
    const { get } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-encoding': 'gzip' });
      response.end(PNG);
    });
    expect(await get()).toMatchObject({ reason: 'type' });
  });

  test.each([404, 500, 204, 206])('is refused under status %i', async (status) => {
    const { get } = await serve(answer('image/png', status === 204 ? '' : PNG, status));
    expect(await get()).toMatchObject({ reason: 'unreachable' });
  });
});

describe('a server', () => {
  test('behind TLS is used if its certificate matches', needs(OPENSSL), async () => {
    const { key, cert } = certificateOf('media.test');
    const { port } = new URL(await listen(https.createServer({ key, cert }, picture)));
    const ownHosts = [`media.test:${port}`, `other.test:${port}`];
    const fetcher = new GuardedFetcher({ ownHosts, resolve: loopback });
    const get = (name: string) => fetcher.fetch(`https://${name}:${port}/a.png`, PATIENT);
    const stranger = { reason: 'unreachable', detail: 'DEPTH_ZERO_SELF_SIGNED_CERT' };
    expect(await get('media.test')).toMatchObject(stranger);
    trust(cert);
    expect(await get('media.test')).toMatchObject({ kind: 'media', mime: 'image/png' });
    expect(await get('other.test')).toMatchObject({ detail: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  test.each([
    ['switches to another protocol', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['says something else than HTTP', 'hello\r\n\r\n'],
    ['never ends its headers', `HTTP/1.1 200 OK\r\na: ${'b'.repeat(UPSTREAM_HEADER_BYTES_MAX)}\r\n\r\n`],
    ['breaks off', 'HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: 99\r\n\r\n\x89PNG'],
  ])('that %s gives no media', async (_what, said) => {
    const address = await rawVendor((_text, socket) => socket.end(said, 'latin1'));
    const { port } = new URL(address);
    const fetcher = new GuardedFetcher({ ownHosts: [`media.test:${port}`], resolve: loopback });
    const result = await fetcher.fetch(`http://media.test:${port}/`, PATIENT);
    expect(result).toMatchObject({ kind: 'media-failure', reason: 'unreachable' });
  });
});

describe('an address is not fetched', () => {
  const fetcher = new GuardedFetcher({ ownHosts: [], resolve: loopback });

  test.each([
    'ftp://a.example/b',
    'file:///etc/passwd',
    'data:image/png;base64,AAAA',
    'http://user:secret@a.example/b',
    'http://a.example:22/',
    'http://a.example:8080/',
    `https://a.example/${'a'.repeat(9_000)}`,
    'not an address',
    '',
  ])('when it is %s', async (address) => {
    expect(await fetcher.fetch(address, PATIENT)).toMatchObject({ reason: 'address' });
  });

  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[64:ff9b::7f00:1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://0/',
    'http://localhost/',
    'http://localhost./',
    'http://inside.example/',
  ])('when it leads into a private network: %s', async (address) => {
    const result = await fetcher.fetch(address, PATIENT);
    expect(result).toMatchObject({ reason: 'unreachable' });
    expect(JSON.stringify(result)).not.toContain('inside.example');
  });

  test.each(['http', 'https'])(
    'when %s leads into a private network, which the look-up refuses',
    async (scheme) => {
      const { detail } = (await fetcher.fetch(`${scheme}://inside.example/`, PATIENT)) as MediaFailure;
      expect(detail).toBe('the name leads into a private network');
    },
  );

  test('when one of the addresses of its name is private', async () => {
    const resolve: Resolve = () => Promise.resolve([PUBLIC, { address: 'fe80::1', family: 6 }]);
    const mixed = new GuardedFetcher({ ownHosts: [], resolve });
    expect(await mixed.fetch('http://a.example/', PATIENT)).toMatchObject({
      reason: 'unreachable',
      detail: 'the name leads into a private network',
    });
  });

  test('when only another port of its host is allowed', async () => {
    const own = new GuardedFetcher({ ownHosts: ['media.test:8443', 'plain.test'], resolve: loopback });
    expect(await own.fetch('http://media.test/', PATIENT)).toMatchObject({ reason: 'unreachable' });
    expect(await own.fetch('http://plain.test:8080/', PATIENT)).toMatchObject({ reason: 'address' });
  });
});

test('a name that changes its address between check and connection gains nothing', async () => {
  let asked = 0;
  let reached = 0;
  const { port } = new URL(
    await vendor((request, response) => {
      reached += 1;
      picture(request, response);
    }),
  );
  // Public when it is judged; whoever asked a second time would be sent to our own server.
  const resolve: Resolve = () => Promise.resolve(asked++ === 0 ? [PUBLIC] : [LOOPBACK]);
  const fetcher = new GuardedFetcher({ ownHosts: [`other.test:${port}`], resolve, timeoutMs: 300 });
  const result = await fetcher.fetch('http://rebinding.example/', PATIENT);
  expect(result).toMatchObject({ kind: 'media-failure' });
  expect(asked).toBe(1);
  expect(reached).toBe(0);
});

describe('a redirect', () => {
  const redirect = (location: string): RequestListener => {
    return (request, response) => {
      if (request.url !== '/start') return picture(request, response);
      response.writeHead(302, { location }).end();
      return undefined;
    };
  };

  test('is followed to an allowed address', async () => {
    const { get } = await serve(redirect('/a.png'));
    expect(await get('/start')).toMatchObject({ kind: 'media', bytes: PNG });
  });

  test.each([
    ['to loopback', 'http://127.0.0.1/'],
    ['to the metadata of a cloud', 'http://169.254.169.254/latest/meta-data/iam'],
    ['to a private name', 'http://inside.example/'],
    ['without a place', ''],
  ])('%s ends the fetch', async (_where, location) => {
    let asked = '';
    const resolve: Resolve = (name, namedBy) => {
      asked = name;
      return loopback(name, namedBy);
    };
    const { get } = await serve(redirect(location), resolve);
    const result = await get('/start');
    expect(result).toMatchObject({ kind: 'media-failure' });
    expect(['media.test', 'inside.example']).toContain(asked);
  });

  test('to another port or scheme ends the fetch', async () => {
    const { get } = await serve(redirect('http://media.test:25/'));
    expect(await get('/start')).toMatchObject({ reason: 'address' });
    const { get: other } = await serve(redirect('file:///etc/passwd'));
    expect(await other('/start')).toMatchObject({ reason: 'address' });
  });

  test('without end is left after three', async () => {
    let steps = 0;
    const { get } = await serve((_request, response) => {
      steps += 1;
      response.writeHead(307, { location: `/step${steps}` }).end();
    });
    expect(await get()).toMatchObject({ reason: 'unreachable', detail: 'too many redirects' });
    expect(steps).toBe(4);
  });
});

describe('a fetch', () => {
  test('leaves a silent server', async () => {
    const { get } = await serve(() => {}, loopback, 150);
    expect(await get()).toMatchObject({ reason: 'too-slow' });
  });

  test('leaves a dripping body when the time is over, not after the last byte', async () => {
    const { get } = await serve(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'image/png' });
        const drip = setInterval(() => response.write('x'), 20);
        response.on('close', () => clearInterval(drip));
      },
      loopback,
      200,
    );
    expect(await get()).toMatchObject({ reason: 'too-slow' });
  });

  test('leaves a name look-up that never ends', async () => {
    const { get } = await serve(picture, () => new Promise(() => {}), 150);
    expect(await get()).toMatchObject({ reason: 'too-slow' });
  });

  test('ends when the client leaves', async () => {
    const { get } = await serve(() => {});
    const left = new AbortController();
    const fetching = get('/', { ...PATIENT, signal: left.signal });
    setTimeout(() => left.abort(), 50);
    expect(await fetching).toMatchObject({ kind: 'media-failure' });
  });

  test('does not start a body whose declared length is too large', async () => {
    let sent = 0;
    const { get } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': MEDIA_BYTES_MAX + 1 });
      response.write(PNG, () => {
        sent += PNG.length;
      });
    });
    expect(await get()).toMatchObject({ reason: 'too-large', detail: 'by its own word' });
    expect(sent).toBeLessThanOrEqual(PNG.length);
  });

  test('cuts a body of unknown length at the limit', async () => {
    const piece = Buffer.alloc(1024 * 1024);
    const { get } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'image/png' });
      response.write(PNG);
      const more = (): void => {
        while (!response.destroyed && response.write(piece)) {}
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    let keptBytes = 0;
    const room = (bytes: number): boolean => {
      keptBytes += bytes;
      return true;
    };
    expect(await get('/', { ...PATIENT, room })).toMatchObject({ reason: 'too-large' });
    expect(keptBytes).toBeLessThanOrEqual(MEDIA_BYTES_MAX);
  });

  test('keeps nothing when the process has no memory left', async () => {
    const { get } = await serve(picture);
    expect(await get('/', { ...PATIENT, room: () => false })).toMatchObject({ reason: 'no-room' });
  });
});
