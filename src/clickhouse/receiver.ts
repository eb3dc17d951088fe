import type { UpstreamClient } from '../upstream/contract.ts';
import { type AskReply, ask } from '../upstream/http/ask.ts';
import type { Batch } from './batch.ts';
import { ANSWER_BYTES_MAX, INSERT_MS_MAX } from './bounds.ts';
import { insertRows, type TableName } from './statements.ts';

export interface ReceiverOptions extends TableName {
  readonly client: UpstreamClient;
  /** `https://clickhouse.example:8443`, perhaps with a path. */
  readonly url: string;
  readonly user: string;
  /** Sent in a header, and nowhere else. */
  readonly password: string | undefined;
  readonly timeoutMs?: number | undefined;
}

/** `failed` says why in words that contain neither rows nor secrets. */
export type Received =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly reason: string; readonly code: number | undefined };

/** How an insert is carried out: at once, as one block, and once for each token. */
const INSERT_SETTINGS: Readonly<Record<string, string>> = {
  async_insert: '0',
  insert_deduplicate: '1',
  max_insert_threads: '1',
  input_format_parallel_parsing: '0',
  input_format_skip_unknown_fields: '0',
  wait_end_of_query: '1',
};

/** What operators can do about the frequent ones. Others are named by their number. */
const MEANINGS: Readonly<Record<number, string>> = {
  60: 'the table does not exist: run `tollgate clickhouse table --apply`',
  81: 'the database does not exist: run `tollgate clickhouse table --apply`',
  117: 'the table lacks a column of this version: see docs/logs.md',
  16: 'the table lacks a column of this version: see docs/logs.md',
  192: 'the user is not known',
  193: 'the password is wrong',
  194: 'the password is missing',
  516: 'user or password are wrong',
  497: 'the user may not do this',
  242: 'the table is read-only',
  252: 'too many parts: it merges more slowly than it is written',
  241: 'it has no memory left',
  243: 'it has no disk space left',
};

/** A ClickHouse behind its HTTP interface. It never throws. */
export class Receiver {
  readonly #options: ReceiverOptions;

  constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  /** `done` only if ClickHouse has said that all rows are written, or were before. */
  insert({ body, token }: Batch): Promise<Received> {
    const settings = { ...INSERT_SETTINGS, insert_deduplication_token: token };
    return this.#send({ query: insertRows(this.#options), ...settings }, [body]);
  }

  /** A statement without rows. */
  execute(statement: string): Promise<Received> {
    return this.#send({ wait_end_of_query: '1' }, [Buffer.from(statement)]);
  }

  async #send(query: Readonly<Record<string, string>>, body: readonly Buffer[]): Promise<Received> {
    const { client, url, user, password, timeoutMs = INSERT_MS_MAX } = this.#options;
    const { origin, pathname } = new URL(url);
    const headers = ['content-type', 'application/x-ndjson', 'x-clickhouse-user', user];
    if (password !== undefined) headers.push('x-clickhouse-key', password);
    const path = `${pathname}?${new URLSearchParams(query)}`;
    const request = { origin, reach: 'any', method: 'POST', path, headers, body } as const;
    return judge(await ask(client, request, { waitMs: timeoutMs, bytesMax: ANSWER_BYTES_MAX }));
  }
}

/** A success has status 200, no error in its head, nothing in its body, and an end. */
function judge(reply: AskReply): Received {
  if (reply.kind === 'failed') return failed(`no answer (${reply.reason})`);
  if (reply.head.bodyEnd === 'closed') return failed('an answer that does not say where it ends');
  const { status, headers } = reply.head;
  const code = Number(headers['x-clickhouse-exception-code'] ?? codeIn(reply.body));
  if (Number.isInteger(code) && code > 0) {
    return { kind: 'failed', code, reason: `error ${code}, ${MEANINGS[code] ?? `status ${status}`}` };
  }
  if (status !== 200) return failed(`status ${status}`);
  return reply.body.length === 0 ? { kind: 'done' } : failed('an answer that ClickHouse does not give');
}

/** `Code: 60. DB::Exception: …`: also written behind a status of 200 if it comes late. */
function codeIn(body: Buffer): string | undefined {
  return /Code: (\d{1,6})\b/.exec(body.toString('latin1'))?.[1];
}

function failed(reason: string): Received {
  return { kind: 'failed', code: undefined, reason };
}
