import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { ANSWERS, REQUESTS, type Shape, STREAMS } from './hostile-bodies.ts';

/** One call of this thread's client through the gateway to this thread's vendor. */
export interface HostileCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly client: Shape;
  readonly vendor: Shape;
  readonly kind: 'answer' | 'stream' | 'request';
  readonly body: string;
  readonly how?: 'whole' | 'small-chunks' | 'gzip' | 'status-400' | 'chunked';
}

export interface HostileResult {
  readonly status: number;
  readonly bytes: number;
  /** Of an error, its beginning. */
  readonly text: string;
}

const PATHS: Readonly<Record<Shape, (call: HostileCall) => string>> = {
  chat: () => '/v1/chat/completions',
  messages: () => '/v1/messages',
  responses: () => '/v1/responses',
  gemini: ({ vendor, kind }) =>
    `/v1beta/models/hostile-${vendor}:${kind === 'stream' ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
};

let present: HostileCall;
let served: Buffer;

const vendor = createServer(async (incoming, response) => {
  incoming.resume();
  await once(incoming, 'end');
  await serve(response);
});
vendor.listen(0, '127.0.0.1', () => parentPort?.postMessage((vendor.address() as AddressInfo).port));

const SMALL_CHUNK = 1_000;

async function serve(response: ServerResponse): Promise<void> {
  const { kind, how } = present;
  const type = kind === 'stream' ? 'text/event-stream' : 'application/json';
  const head: Record<string, string> = { 'content-type': type };
  if (how === 'gzip') head['content-encoding'] = 'gzip';
  if (how !== 'chunked' && kind !== 'stream') head['content-length'] = String(served.length);
  response.on('error', () => {});
  response.writeHead(how === 'status-400' ? 400 : 200, head);
  if (how !== 'small-chunks') {
    response.end(served);
    return;
  }
  for (let at = 0; at < served.length && !response.destroyed; at += SMALL_CHUNK) {
    const isTaken = response.write(served.subarray(at, at + SMALL_CHUNK));
    if (!isTaken) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
}

function answerOf({ kind, body, vendor: shape, how }: HostileCall): Buffer {
  if (kind === 'request') return ANSWERS['one short text']?.(shape) ?? Buffer.alloc(0);
  const made = (kind === 'stream' ? STREAMS : ANSWERS)[body]?.(shape) ?? Buffer.alloc(0);
  return how === 'gzip' ? gzipSync(made, { level: 1 }) : made;
}

function requestOf({ kind, body, client, vendor: shape, how }: HostileCall): Buffer {
  const made = REQUESTS[kind === 'request' ? body : 'a short one']?.(client) ?? Buffer.alloc(0);
  const at = made.indexOf('MODEL');
  const named =
    at < 0
      ? made
      : Buffer.concat([made.subarray(0, at), Buffer.from(`hostile-${shape}`), made.subarray(at + 5)]);
  const streamed =
    kind === 'stream' && client !== 'gemini'
      ? Buffer.concat([Buffer.from('{"stream":true,'), named.subarray(1)])
      : named;
  return kind === 'request' && how === 'gzip' ? gzipSync(streamed, { level: 1 }) : streamed;
}

parentPort?.on('message', async (call: HostileCall) => {
  present = call;
  served = answerOf(call);
  const asked = requestOf(call);
  const headers: Record<string, string> = { ...call.headers };
  if (call.kind === 'request' && call.how === 'gzip') headers['content-encoding'] = 'gzip';
  if (call.kind === 'request' && call.how === 'chunked') headers['transfer-encoding'] = 'chunked';
  const sent = request(call.url + PATHS[call.client](call), { method: 'POST', headers });
  sent.on('error', () => {});
  parentPort?.postMessage('begins');
  sent.end(asked);
  let status = 0;
  let bytes = 0;
  let text = '';
  try {
    const [response] = await once(sent, 'response');
    status = response.statusCode ?? 0;
    for await (const chunk of response) {
      bytes += chunk.length;
      if (text.length < 400) text += chunk.toString('utf8', 0, 400);
    }
  } catch {
    // A stream that is cut ends with a reset.
  }
  parentPort?.postMessage({ status, bytes, text: text.slice(0, 400) } satisfies HostileResult);
});
