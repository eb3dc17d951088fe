import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConsoleFiles } from './files.ts';
import { STAMP } from './sources.ts';

const PAGE = '<!doctype html><title>Tollgate</title>';
const PROGRAM = 'console.info("tollgate");'.repeat(20);

let folder: string;
let url: string;
let close: () => Promise<void>;

function writeConsole(page: string, builtAtSeconds: number): void {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), page);
  writeFileSync(join(folder, 'assets', 'main-1a2b.js'), PROGRAM);
  writeFileSync(join(folder, 'assets', 'main-1a2b.js.br'), brotliCompressSync(PROGRAM));
  writeFileSync(join(folder, 'assets', 'main-1a2b.js.gz'), gzipSync(PROGRAM));
  writeFileSync(join(folder, STAMP), 'hash');
  utimesSync(join(folder, STAMP), builtAtSeconds, builtAtSeconds);
}

const browse = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url + path, { headers: { accept: 'text/html,application/xhtml+xml', ...headers } });

interface RawAnswer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The path goes out as it is written: `fetch` would tidy it. */
function askRaw(method: string, path: string, headers: Record<string, string> = {}): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    asked.on('error', reject).end();
  });
}

describe('the files of the console', () => {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-console-'));
    const files = new ConsoleFiles(folder);
    const server = createServer((request, response) => {
      const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
      if (!files.serve(request, response, path)) response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    close = () => new Promise((resolve) => server.close(() => resolve()));
  });

  afterEach(async () => {
    await close();
    rmSync(folder, { recursive: true });
  });

  it('are served with a policy that allows nothing from elsewhere and nothing inline', async () => {
    writeConsole(PAGE, 1_000);
    const response = await browse('/');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(PAGE);
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(response.headers.get('cache-control')).toBe('no-cache');
  });

  it('answer every page with the same file, and leave requests of API clients alone', async () => {
    writeConsole(PAGE, 1_000);
    expect(await (await browse('/calls?model=a')).text()).toBe(PAGE);
    expect((await fetch(`${url}/calls`)).status).toBe(404);
    expect((await browse('/assets/none.js')).status).toBe(404);
  });

  it('are kept by browsers for ever if their name has a hash, in the encoding the browser takes', async () => {
    writeConsole(PAGE, 1_000);
    const sizes: number[] = [];
    for (const encoding of ['br', 'gzip', 'identity']) {
      const response = await fetch(`${url}/assets/main-1a2b.js`, {
        headers: { 'accept-encoding': encoding },
      });
      expect(await response.text()).toBe(PROGRAM);
      expect(response.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
      expect(response.headers.get('cache-control')).toContain('immutable');
      sizes.push(Number(response.headers.get('content-length')));
    }
    expect(sizes[0]).toBeLessThan(sizes[2] ?? 0);
    const etag = (await browse('/')).headers.get('etag') ?? '';
    expect((await browse('/', { 'if-none-match': etag })).status).toBe(304);
  });

  it('are nothing but the files of the build, however a path is written', async () => {
    writeConsole(PAGE, 1_000);
    writeFileSync(join(folder, 'secret.json'), '"secret"');
    writeFileSync(join(folder, '..', `${basename(folder)}.js`), '"secret"');
    const beside = `../${basename(folder)}.js`;
    const paths = [
      ...['/assets/../../package.json', '/assets/../secret.json', '/secret.json', `/assets/../${beside}`],
      ...['/assets/%2e%2e/%2e%2e/package.json', '/assets/..%2f..%2fpackage.json', '/assets/..%5csecret.json'],
      ...[`/${beside}`, `/${STAMP}`, '/assets/', '/assets', '/assets//main-1a2b.js', '/assets/main-1a2b.js/'],
      ...[
        '/assets/main-1a2b.js%00.css',
        '/assets/main-1a2b.js.br',
        '/assets/__proto__',
        '/ASSETS/MAIN-1A2B.JS',
      ],
      ...[
        '//assets/main-1a2b.js',
        '/assets/constructor',
        '/assets/./main-1a2b.js',
        '/assets/main-1a2b.js.gz',
      ],
    ];
    for (const path of paths) {
      const { status, text } = await askRaw('GET', path);
      expect([path, status]).toEqual([path, 404]);
      expect(text, path).not.toMatch(/secret|tollgate/i);
    }
    rmSync(join(folder, '..', `${basename(folder)}.js`));
  });

  it('are guarded in every answer, with and without a body', async () => {
    const guards = [
      ...['content-security-policy', 'x-content-type-options', 'referrer-policy', 'permissions-policy'],
      'cross-origin-opener-policy',
    ];
    const html = { accept: 'text/html' };
    const building = await askRaw('GET', '/', html);
    writeConsole(PAGE, 1_000);
    const page = await askRaw('GET', '/', html);
    const etag = String(page.headers.etag);
    const answers = {
      503: [building],
      200: [page, await askRaw('GET', '/', { accept: '*/*' }), await askRaw('GET', '/no/such/page', html)],
      304: [await askRaw('GET', '/', { 'if-none-match': etag })],
      404: [await askRaw('GET', '/assets/none.js'), await askRaw('GET', '/assets/none.js', html)],
    };
    for (const [status, each] of Object.entries(answers)) {
      for (const answer of each) {
        expect(answer.status).toBe(Number(status));
        for (const name of guards) expect(answer.headers[name], `${name} of ${status}`).toBeDefined();
        if (status === '404' || status === '503') expect(answer.headers['cache-control']).toBe('no-store');
      }
    }
    for (const path of ['/', '/assets/main-1a2b.js', '/assets/none.js']) {
      const [whole, head] = [await askRaw('GET', path, html), await askRaw('HEAD', path, html)];
      expect([head.status, head.text]).toEqual([whole.status, '']);
      expect(head.headers['content-length']).toBe(whole.headers['content-length']);
    }
  });

  it('are read and never written', async () => {
    writeConsole(PAGE, 1_000);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']) {
      for (const path of ['/', '/calls', '/assets/main-1a2b.js', '/assets/none.js']) {
        const { status } = await askRaw(method, path, { accept: 'text/html' });
        expect([method, path, status]).toEqual([method, path, 404]);
      }
    }
  });

  it('are noticed when they are built while the server runs, and when they are built anew', async () => {
    const early = await browse('/calls');
    expect(early.status).toBe(503);
    expect(early.headers.get('refresh')).toBe('2');
    writeConsole(PAGE, 1_000);
    expect(await (await browse('/calls')).text()).toBe(PAGE);
    writeConsole(`${PAGE}<p>new`, 2_000);
    expect(await (await browse('/calls')).text()).toBe(`${PAGE}<p>new`);
  });
});
