import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { acceptedEncoding } from '../../kernel/encoding/accepted-encoding.ts';

/**
 * The page at /docs: Scalar's API reference for /openapi.json. Its program comes from the installed package
 * and is served by this server, so the page loads nothing else; its content security policy enforces that.
 */
const load = createRequire(import.meta.url);
const FOLDER = dirname(load.resolve('@scalar/api-reference'));
const PROGRAM = join(FOLDER, 'browser', 'standalone.js');
const { version } = load(join(FOLDER, '..', 'package.json')) as { readonly version: string };

/** None of the package's services: no fonts, no metrics, no proxy, no agent. */
export const START = `Scalar.createApiReference('#reference', ${JSON.stringify({
  url: '/openapi.json',
  theme: 'default',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'direct',
  persistAuth: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideModels: true,
  authentication: { preferredSecurityScheme: 'apiKey' },
  operationTitleSource: 'summary',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
})});
`;

/** The names of the files have a version or a hash, so a browser may cache them for ever. */
export const PROGRAM_PATH = `/docs/scalar-${version}.js`;
export const START_PATH = `/docs/start-${hash('sha256', START, 'hex').slice(0, 16)}.js`;

export const REFERENCE_PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tollgate API</title><link rel="icon" href="data:,"></head>
<body><div id="reference"></div><noscript>The same as JSON: <a href="/openapi.json">openapi.json</a></noscript>
<script src="${PROGRAM_PATH}"></script><script src="${START_PATH}"></script></body></html>
`;

/**
 * What the program needs, from this server only. It inserts style elements and attributes, most of them
 * without a nonce, so styles may be inline. Scripts may not, and nothing is evaluated. A style could load
 * nothing but an image of this server.
 */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export interface Program {
  readonly bytes: Buffer;
  readonly encoding: 'br' | 'gzip' | undefined;
  readonly etag: string;
}

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) };
/** As small as one second of compression allows. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };
const kept = new Map<Program['encoding'], Promise<Program>>();

/** Read and compressed once per encoding, off the event loop, at the first request. */
export function loadProgram(headers: IncomingHttpHeaders): Promise<Program> {
  const encoding = acceptedEncoding(String(headers['accept-encoding'] ?? ''));
  const known = kept.get(encoding);
  if (known !== undefined) return known;
  const made = makeProgram(encoding);
  kept.set(encoding, made);
  made.catch(() => kept.delete(encoding));
  return made;
}

async function makeProgram(encoding: Program['encoding']): Promise<Program> {
  const plain = await readFile(PROGRAM);
  const etag = `"${hash('sha256', plain, 'base64url').slice(0, 22)}${encoding ?? ''}"`;
  if (encoding === undefined) return { bytes: plain, encoding, etag };
  const bytes = encoding === 'br' ? await compress.br(plain, BROTLI) : await compress.gzip(plain);
  return { bytes, encoding, etag };
}
