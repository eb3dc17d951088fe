/** Calls with bodies of 20 MiB that arrive slowly, one behind the other on each of many connections. */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { StartedTarget } from '../target.ts';

export const LARGE_BODIES = 50;
/** A body takes so long. In this time every connection ends one, each at its own moment. */
export const LARGE_BODY_MS = 15_000;
const BODY_BYTES = 20 * 1024 * 1024;
const PIECES = 80;
const SENTENCE = 'The quick brown fox jumps over the lazy dog. ';

export interface LargeBodies {
  /** Cuts the connections and tells how many calls were answered, by the first line of the answer. */
  stop(): Promise<Readonly<Record<string, number>>>;
}

export function sendLargeBodies(target: StartedTarget, model: string): LargeBodies {
  const request = encodeRequest(target, model);
  const ending = new AbortController();
  const answers: Record<string, number> = {};
  const connections = Array.from({ length: LARGE_BODIES }, async (_, index) => {
    await delay((index * LARGE_BODY_MS) / LARGE_BODIES, undefined, ending);
    while (!ending.signal.aborted) {
      const line = await sendOne(target.port, request, ending.signal);
      answers[line] = (answers[line] ?? 0) + 1;
    }
  });
  return {
    stop: async () => {
      ending.abort();
      await Promise.allSettled(connections);
      return answers;
    },
  };
}

function encodeRequest(target: StartedTarget, model: string): Buffer {
  const content = SENTENCE.repeat(BODY_BYTES / SENTENCE.length);
  const body = JSON.stringify({ model, max_tokens: 256, messages: [{ role: 'user', content }] });
  const headers = { host: '127.0.0.1', 'content-type': 'application/json', ...target.headers };
  const lines = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const length = `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n`;
  return Buffer.from(`POST ${target.path} HTTP/1.1\r\n${lines}${length}\r\n${body}`);
}

/** Answers the first line of the answer, or what became of the connection. */
async function sendOne(port: number, request: Buffer, signal: AbortSignal): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', signal });
  const answered = new Promise<string>((resolve) => {
    socket.once('data', (bytes) => resolve(bytes.toString('latin1').split('\r\n', 1)[0] ?? ''));
    socket.once('error', ({ message }) => resolve(message));
    socket.once('close', () => resolve('closed'));
  });
  const size = Math.ceil(request.length / PIECES);
  for (let at = 0; at < request.length && !socket.destroyed; at += size) {
    socket.write(request.subarray(at, at + size));
    await delay(LARGE_BODY_MS / PIECES, undefined, { signal }).catch(() => undefined);
  }
  const line = await answered;
  socket.destroy();
  return line;
}
