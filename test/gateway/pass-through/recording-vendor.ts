import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a vendor heard of one call, to the byte. */
export interface HeardCall {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What it answers: these bytes, one write for each piece. */
export interface CannedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly pieces: readonly Buffer[];
  /** Between two pieces. */
  readonly pauseMs?: number;
  /** Nothing but the end of the connection ends the body. */
  readonly isUntilClose?: true;
}

/** A vendor that understands nothing: it keeps what it hears and says what it was told to say. */
export interface RecordingVendor {
  readonly url: string;
  /** Answers every call from now on. */
  say(answer: CannedAnswer): void;
  /** The newest call. */
  heard(): HeardCall;
  close(): Promise<void>;
}

const HEARD_MAX = 1_000;

export async function startRecordingVendor(): Promise<RecordingVendor> {
  const calls: HeardCall[] = [];
  let answer: CannedAnswer = { pieces: [] };
  const server = createServer((request, response) => {
    void readAll(request).then((body) => {
      calls.push({ url: request.url ?? '', headers: request.headers, body });
      if (calls.length > HEARD_MAX) calls.shift();
      void speak(response, answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    say: (next) => {
      answer = next;
    },
    heard: () => {
      const call = calls.at(-1);
      if (call === undefined) throw new Error('the vendor heard nothing');
      return call;
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function speak(response: ServerResponse, answer: CannedAnswer): Promise<void> {
  const { status = 200, headers = {}, pieces, pauseMs = 0 } = answer;
  if (answer.isUntilClose === true) {
    response.useChunkedEncodingByDefault = false;
    response.shouldKeepAlive = false;
  }
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  for (const [index, piece] of pieces.entries()) {
    if (pauseMs > 0 && index > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    response.write(piece);
  }
  response.end();
}

/** One piece for every byte: whatever cuts a stream on its way cannot cut it finer. */
export function byteByByte(bytes: Buffer): Buffer[] {
  return Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
}
