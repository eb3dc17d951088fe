import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2, constants } from 'node:http2';
import { request as requestHttps } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { curl } from '../prerequisites.ts';
import { type FrontProxy, type HttpVersion, SITE } from './proxies.ts';

const execute = promisify(execFile);

export interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  /** The address that the client has; all of 127.0.0.0/8 is this machine. */
  readonly from?: string;
  readonly version?: HttpVersion;
}

/** An answer while it arrives. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** All bytes so far. */
  bytes(): Buffer;
  /** Called with every piece. */
  onPiece: (() => void) | undefined;
  /** Rejects when the answer breaks off. */
  readonly whole: Promise<Buffer>;
  /** The client leaves. */
  leave(): void;
}

/** A call, which the client may leave before there is an answer. */
export interface Call {
  readonly answer: Promise<Answer>;
  leave(): void;
}

/** Each call has a connection of its own. */
export function begin(proxy: FrontProxy, asked: Asked): Call {
  return asked.version === 'HTTP/2' ? beginHttp2(proxy, asked) : beginHttp1(proxy, asked);
}

export function ask(proxy: FrontProxy, asked: Asked): Promise<Answer> {
  return begin(proxy, asked).answer;
}

export interface Uploaded {
  readonly status: number;
  readonly text: string;
  /** The answer broke off behind its headers. */
  readonly isCut: boolean;
}

/** What curl ends with when bytes of the answer are missing. */
const PARTIAL = 18;

/**
 * By curl: Node's client of HTTP/2 loses an answer that comes before the body has been sent. The body is sent
 * without waiting for a `100 Continue`.
 */
export async function upload(proxy: FrontProxy, { path, headers, body, version }: Asked): Promise<Uploaded> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-upload-'));
  try {
    writeFileSync(join(folder, 'ca.pem'), proxy.ca);
    writeFileSync(join(folder, 'body'), body ?? '');
    const lines = Object.entries({ ...headers, Expect: '' }).map(([name, value]) => `${name}: ${value}`);
    const way = ['--resolve', `${SITE}:${proxy.port}:127.0.0.1`, '--cacert', 'ca.pem', '--no-progress-meter'];
    const sent = lines.flatMap((line) => ['--header', line.replace(/: $/, ':')]);
    const asking = execute(
      String(curl),
      [
        ...[version === 'HTTP/2' ? '--http2' : '--http1.1', ...way, ...sent, '--data-binary', '@body'],
        ...['--write-out', '\n%{http_version} %{http_code}', `https://${SITE}:${proxy.port}${path}`],
      ],
      { cwd: folder },
    );
    const { stdout, code }: Ended = await asking.catch((error: Ended) => {
      if (error.code !== PARTIAL) throw error;
      return error;
    });
    const at = stdout.lastIndexOf('\n');
    const [spoken, status] = stdout.slice(at + 1).split(' ');
    if (spoken !== version?.slice('HTTP/'.length)) throw new Error(`HTTP/${spoken} instead of ${version}`);
    return { status: Number(status), text: stdout.slice(0, at), isCut: code === PARTIAL };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A program that did not end well. */
interface Ended {
  readonly stdout: string;
  readonly code?: number;
}

function beginHttp1(proxy: FrontProxy, { path, method, headers, body, from }: Asked): Call {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = requestHttps({
    ...{ host: '127.0.0.1', port: proxy.port, servername: SITE, ca: proxy.ca, agent: false, path },
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { host: SITE, ...headers, ...lengthOf(body) },
    ...(from !== undefined && { localAddress: from }),
  });
  const leave = (): void => void request.destroy();
  let isAnswered = false;
  request.on('response', (response) => {
    isAnswered = true;
    resolve(receive(response, { status: response.statusCode ?? 0, headers: response.headers, leave }));
  });
  // What happens to the rest of a request that was answered already is no failure.
  request.on('error', (error) => isAnswered || reject(error));
  request.end(body);
  return { answer: promise, leave };
}

function beginHttp2(proxy: FrontProxy, { path, method, headers, body, from }: Asked): Call {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const session = connectHttp2(`https://127.0.0.1:${proxy.port}`, {
    ...{ servername: SITE, ca: proxy.ca },
    ...(from !== undefined && { localAddress: from }),
  });
  session.on('error', reject);
  const request = session.request({
    [constants.HTTP2_HEADER_PATH]: path,
    [constants.HTTP2_HEADER_METHOD]: method ?? (body === undefined ? 'GET' : 'POST'),
    [constants.HTTP2_HEADER_AUTHORITY]: SITE,
    ...headers,
    ...lengthOf(body),
  });
  const leave = (): void => session.destroy();
  request.on('response', (given) => {
    const status = Number(given[constants.HTTP2_HEADER_STATUS]);
    resolve(receive(request, { status, headers: given as Answer['headers'], leave }));
  });
  request.on('error', reject);
  request.once('close', () => session.close());
  request.end(body);
  return { answer: promise, leave };
}

function lengthOf(body: Buffer | string | undefined): Record<string, string> {
  return body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
}

type Received = Readable & { readonly rstCode?: number | undefined; readonly aborted?: boolean };

function receive(stream: Received, head: Pick<Answer, 'status' | 'headers' | 'leave'>): Answer {
  const pieces: Buffer[] = [];
  const bytes = (): Buffer => Buffer.concat(pieces);
  const whole = new Promise<Buffer>((resolve, reject) => {
    stream.once('error', reject);
    stream.once('close', () => {
      // A stream of HTTP/2 that was reset ends like a whole one, but for its code.
      const { readableEnded, rstCode = 0, aborted = false } = stream;
      if (readableEnded && rstCode === 0 && !aborted) resolve(bytes());
      else reject(new Error(`broken off: ${rstCode}`));
    });
  });
  whole.catch(() => {});
  const answer: Answer = { ...head, bytes, onPiece: undefined, whole };
  stream.on('data', (piece: Buffer) => {
    pieces.push(piece);
    answer.onPiece?.();
  });
  return answer;
}
