import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { COLUMNS } from '../../../src/clickhouse/statements.ts';

/** One insert as it arrived. */
export interface Insert {
  readonly token: string;
  readonly lines: readonly string[];
  readonly outcome: Misfortune | 'taken' | 'repeated';
}

/**
 * What befalls one insert. `lost`: an error, and nothing was taken. The others take the rows first: an error
 * status, silence, half a head, an answer that breaks off, an error behind a status of 200.
 */
export type Misfortune = 'lost' | 'error-after' | 'silent-after' | 'half-head' | 'half-body' | 'late-error';

export interface FakeClickhouse {
  readonly url: string;
  /** All rows that are stored, by call id, each as often as it was taken. */
  rows(): ReadonlyMap<string, number>;
  readonly inserts: readonly Insert[];
  readonly statements: readonly string[];
  /** The next inserts meet these, one each. */
  readonly misfortunes: Misfortune[];
  /** Nothing is taken while it is set. */
  away: boolean;
  close(): Promise<void>;
}

export const FAKE_USER = 'writer';
export const FAKE_PASSWORD = 'pa$$w0rd-of-the-writer';

/** Settings that an insert must have: without them an answer means less, or a block is cut in two. */
const WANTED = {
  async_insert: '0',
  insert_deduplicate: '1',
  max_insert_threads: '1',
  input_format_parallel_parsing: '0',
  input_format_skip_unknown_fields: '0',
  wait_end_of_query: '1',
};
const INSERT = /^insert into tollgate\.calls \(([a-z_, ]+)\) format JSONEachRow$/;

/** A receiver that takes what ClickHouse would take, counts it, and refuses everything else. */
export async function startFakeClickhouse(): Promise<FakeClickhouse> {
  const stored = new Map<string, number>();
  const tokens = new Set<string>();
  const inserts: Insert[] = [];
  const statements: string[] = [];
  const misfortunes: Misfortune[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((body) => handle(request, body, response));
  });
  const fake = { away: false };

  const take = (token: string, lines: readonly string[]): 'taken' | 'repeated' => {
    if (tokens.has(token)) return 'repeated';
    tokens.add(token);
    for (const line of lines) {
      const row = JSON.parse(line) as { readonly call_id: string };
      assert.deepEqual(Object.keys(row), Object.keys(COLUMNS));
      stored.set(row.call_id, (stored.get(row.call_id) ?? 0) + 1);
    }
    return 'taken';
  };

  const handle = (request: IncomingMessage, body: string, response: ServerResponse): void => {
    const query = new URL(request.url ?? '/', 'http://fake').searchParams;
    if (fake.away) return void response.socket?.destroy();
    if (request.headers['x-clickhouse-user'] !== FAKE_USER) return void refuse(response, 516);
    if (request.headers['x-clickhouse-key'] !== FAKE_PASSWORD) return void refuse(response, 516);
    const statement = query.get('query');
    if (statement === null) {
      statements.push(body);
      return void response.writeHead(200, { 'content-length': 0 }).end();
    }
    const token = query.get('insert_deduplication_token') ?? '';
    const isRight = Object.entries(WANTED).every(([name, value]) => query.get(name) === value);
    if (!INSERT.test(statement) || !isRight || token === '') return void refuse(response, 62);
    const lines = body.split('\n').slice(0, -1);
    const misfortune = misfortunes.shift();
    if (misfortune !== 'lost') {
      const outcome = take(token, lines);
      inserts.push({ token, lines, outcome: misfortune ?? outcome });
    } else inserts.push({ token, lines, outcome: 'lost' });
    answer(response, misfortune);
  };

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(fake, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    rows: () => stored,
    inserts,
    statements,
    misfortunes,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

function refuse(response: ServerResponse, code: number): void {
  const text = `Code: ${code}. DB::Exception: refused`;
  response.writeHead(500, { 'x-clickhouse-exception-code': String(code) }).end(text);
}

function answer(response: ServerResponse, misfortune: Misfortune | undefined): void {
  const { socket } = response;
  switch (misfortune) {
    case undefined:
      return void response.writeHead(200, { 'content-length': 0 }).end();
    case 'lost':
    case 'error-after':
      return void refuse(response, 1000);
    case 'silent-after':
      return;
    case 'half-head':
      return void socket?.end('HTTP/1.1 200 OK\r\nContent-Le');
    case 'half-body':
      return void socket?.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    case 'late-error':
      return void response.writeHead(200).end('Code: 241. DB::Exception: Memory limit exceeded');
  }
}
