import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';
import { acceptedEncoding } from '../kernel/encoding/accepted-encoding.ts';
import { CONSOLE_BUILT, STAMP } from './sources.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Files of this server only. Scripts and styles are files, never inline; pictures of models are data. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' data: blob:",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const GUARDS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'content-security-policy': POLICY,
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
};

const BUILDING = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Tollgate</title>
<p>The console is being built. This page opens it in a few seconds.</p>
<p>If it stays, the server's log says why. The API is described in <a href="/docs">/docs</a>.</p></html>
`;

interface ConsoleFile {
  readonly type: string;
  readonly etag: string;
  /** Its name has a hash of its content. */
  readonly isHashed: boolean;
  readonly bytes: Readonly<Record<'plain' | 'br' | 'gzip', Buffer>>;
}

/**
 * The web console as files in memory: a few hundred kilobytes that are read once. A console that is built
 * while the server runs is noticed when a page is opened.
 */
export class ConsoleFiles {
  readonly #folder: string;
  #files: ReadonlyMap<string, ConsoleFile> = new Map();
  #builtAtMs = 0;

  constructor(folder: string = CONSOLE_BUILT) {
    this.#folder = folder;
  }

  /** Answers a request for a page or a file of the console. False: it is neither. */
  serve(request: IncomingMessage, response: ServerResponse, path: string): boolean {
    const { method, headers } = request;
    if (method !== 'GET' && method !== 'HEAD') return false;
    const file = this.#files.get(path);
    if (file !== undefined && path !== '/index.html') {
      sendFile(request, response, file);
      return true;
    }
    const isPage = path === '/' || (!path.startsWith('/assets/') && asksForPage(headers.accept));
    if (!isPage && !path.startsWith('/assets/')) return false;
    this.#refresh();
    const found = this.#files.get(isPage ? '/index.html' : path);
    if (found !== undefined) sendFile(request, response, found);
    else if (isPage && asksForPage(headers.accept)) sendBuilding(response);
    else sendMissing(response);
    return true;
  }

  #refresh(): void {
    const stamp = join(this.#folder, STAMP);
    if (!existsSync(stamp)) return;
    const builtAtMs = statSync(stamp).mtimeMs;
    if (builtAtMs === this.#builtAtMs) return;
    this.#files = readFiles(this.#folder);
    this.#builtAtMs = builtAtMs;
  }
}

/** A browser that opens a page names its type. Clients of the API do not. */
function asksForPage(accept: string | undefined): boolean {
  return accept?.includes('text/html') === true;
}

function readFiles(folder: string): ReadonlyMap<string, ConsoleFile> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = new Map<string, ConsoleFile>();
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const path = `/${name.split(sep).join('/')}`;
    const plain = readFileSync(join(folder, name));
    const coded = (suffix: string): Buffer =>
      existsSync(join(folder, `${name}${suffix}`)) ? readFileSync(join(folder, `${name}${suffix}`)) : plain;
    files.set(path, {
      type,
      etag: `"${hash('sha256', plain, 'base64url').slice(0, 22)}"`,
      isHashed: path.startsWith('/assets/'),
      bytes: { plain, br: coded('.br'), gzip: coded('.gz') },
    });
  }
  return files;
}

function sendFile({ method, headers }: IncomingMessage, response: ServerResponse, file: ConsoleFile): void {
  const encoding = acceptedEncoding(String(headers['accept-encoding'] ?? ''));
  const bytes = file.bytes[encoding ?? 'plain'];
  const isCoded = encoding !== undefined && bytes !== file.bytes.plain;
  const told = {
    ...GUARDS,
    etag: file.etag,
    'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
  };
  if (headers['if-none-match'] === file.etag) {
    response.writeHead(304, told).end();
    return;
  }
  const coded = isCoded ? { 'content-encoding': encoding } : {};
  response.writeHead(200, { ...told, ...coded, 'content-type': file.type, 'content-length': bytes.length });
  response.end(method === 'HEAD' ? undefined : bytes);
}

function sendBuilding(response: ServerResponse): void {
  const soon = { 'retry-after': '2', refresh: '2' };
  sendNow(response, { status: 503, type: 'text/html; charset=utf-8', text: BUILDING, headers: soon });
}

/** Of an older build, or never there. It may be there after the next one, so nobody keeps this answer. */
function sendMissing(response: ServerResponse): void {
  sendNow(response, { status: 404, type: 'text/plain; charset=utf-8', text: 'There is no such file.\n' });
}

interface Told {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function sendNow(response: ServerResponse, { status, type, text, headers }: Told): void {
  response.writeHead(status, {
    ...GUARDS,
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(text);
}
