import { type IncomingHttpHeaders, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request as a client sends it, before it is sent: it can be performed, and printed. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Pieces are sent chunked; nothing at all is sent of a body that is only declared. */
  readonly body: string | Buffer | Iterable<Buffer> | undefined;
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export function prompt(content: string, more = '', model = 'gpt-5'): string {
  return `{"model":"${model}","messages":[{"role":"user","content":${JSON.stringify(content)}}]${more}}`;
}

export function chat(key: string, body: Asked['body'] = prompt('hello')): Asked {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return { method: 'POST', path: '/v1/chat/completions', headers, body };
}

const PIECE_BYTES = 1024 * 1024;

/** So many bytes of one letter, made while they are sent. */
export function* repeated(letter: string, bytes: number): Iterable<Buffer> {
  const piece = Buffer.alloc(PIECE_BYTES, letter);
  for (let left = bytes; left > 0; left -= PIECE_BYTES)
    yield left < PIECE_BYTES ? piece.subarray(0, left) : piece;
}

/** Over a plain socket, because a request that lies about its length is none that `fetch` would send. */
export function perform(url: string, { method, path, headers, body }: Asked): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url + path, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
      });
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
        outgoing.destroy();
      });
    });
    outgoing.on('error', reject);
    if (body === undefined) outgoing.flushHeaders();
    else if (typeof body === 'string' || Buffer.isBuffer(body)) outgoing.end(body);
    else void sendPieces(outgoing, body);
  });
}

async function sendPieces(outgoing: ReturnType<typeof request>, pieces: Iterable<Buffer>): Promise<void> {
  for (const piece of pieces) {
    if (outgoing.destroyed) return;
    if (!outgoing.write(piece)) await drained(outgoing);
  }
  outgoing.end();
}

/** The other side may stop reading once it has answered. */
async function drained(outgoing: ReturnType<typeof request>): Promise<void> {
  await Promise.race([new Promise<void>((resolve) => outgoing.once('drain', resolve)), sleep(5_000)]);
}
