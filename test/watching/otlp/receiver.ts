import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { sleep } from '../../support/processes.ts';
import type { ReceivedMetric, ReceivedRecord, ReceivedSpan } from './messages.ts';
import { readMetrics, readRecords, readSpans } from './read.ts';

/**
 * How the receiver behaves: `slow` is strict and answers late, `hang` takes requests and never answers. A
 * number is a status.
 */
export type Behaviour = 'strict' | 'slow' | 'hang' | number;

const SLOW_MS = 400;

/** A strict receiver of OTLP over HTTP. */
export interface Receiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  readonly records: readonly ReceivedRecord[];
  readonly metrics: readonly ReceivedMetric[];
  /** Why requests were refused, from the beginning on. */
  readonly refused: readonly string[];
  /** The bodies of all requests, decompressed. */
  readonly bodies: readonly Buffer[];
  /** The headers of all requests. */
  readonly headers: readonly IncomingMessage['headers'][];
  behave(behaviour: Behaviour): void;
  forget(): void;
  close(): Promise<void>;
}

class Kept {
  spans: ReceivedSpan[] = [];
  records: ReceivedRecord[] = [];
  metrics: ReceivedMetric[] = [];
  bodies: Buffer[] = [];
  headers: IncomingMessage['headers'][] = [];

  take(path: string, body: Buffer): void {
    if (path === '/v1/traces') this.spans.push(...readSpans(body));
    else if (path === '/v1/logs') this.records.push(...readRecords(body));
    else if (path === '/v1/metrics') this.metrics.push(...readMetrics(body));
    else throw new Error(`no path ${path}`);
  }
}

export async function startReceiver(): Promise<Receiver> {
  const refused: string[] = [];
  let kept = new Kept();
  let behaviour: Behaviour = 'strict';
  const server = createServer((request, response) => {
    void collect(request).then(async (sent) => {
      kept.headers.push(request.headers);
      if (behaviour === 'hang') return;
      if (behaviour === 'slow') await sleep(SLOW_MS);
      if (typeof behaviour === 'number') response.writeHead(behaviour).end();
      else if (!take(request, kept, sent, refused)) response.writeHead(400).end();
      else response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get spans() {
      return kept.spans;
    },
    get records() {
      return kept.records;
    },
    get metrics() {
      return kept.metrics;
    },
    refused,
    get bodies() {
      return kept.bodies;
    },
    get headers() {
      return kept.headers;
    },
    behave: (wanted) => {
      behaviour = wanted;
    },
    forget: () => {
      kept = new Kept();
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function collect(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function take(request: IncomingMessage, kept: Kept, sent: Buffer, refused: string[]): boolean {
  try {
    const { 'content-type': type, 'content-encoding': encoding } = request.headers;
    if (request.method !== 'POST') throw new Error(`method ${request.method}`);
    if (type !== 'application/x-protobuf') throw new Error(`type ${type}`);
    const body = encoding === 'gzip' ? gunzipSync(sent) : sent;
    kept.bodies.push(body);
    kept.take(request.url ?? '', body);
    return true;
  } catch (error) {
    refused.push(String(error));
    return false;
  }
}
