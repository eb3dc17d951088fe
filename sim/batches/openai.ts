import { newHexId } from '../answer/id.ts';
import type { Dialect, VendorRequest } from '../dialect.ts';
import { readBody } from '../openai/body.ts';
import { describe, invalid, openaiError, openaiHeaders } from '../openai/error.ts';
import { openaiChat } from '../openai-chat/dialect.ts';
import { openaiCompletions } from '../openai-completions/dialect.ts';
import { openaiEmbeddings } from '../openai-embeddings/dialect.ts';
import { openaiModerations } from '../openai-moderations/dialect.ts';
import { openaiResponses } from '../openai-responses/dialect.ts';
import type { Reply } from '../request/ask.ts';
import { check } from '../request/check.ts';
import { findDirective } from '../request/directive.ts';
import { parseJson, record, string } from '../request/json.ts';
import { anything, isRecord, oneOf, type Shape, struct, text } from '../request/shape.ts';
import type { Asking } from './anthropic.ts';
import type { Batch, BatchItem, StoredFile } from './batches.ts';
import { workOn } from './work.ts';

const PATH = /^\/v1\/batches(?:\/([^/]{1,300})(\/cancel)?)?$/;
const LINES_MAX = 50_000;
const PAGE_SIZE = 20;
const WINDOW_SECONDS = 86_400;

const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ['/v1/chat/completions', openaiChat],
  ['/v1/responses', openaiResponses],
  ['/v1/embeddings', openaiEmbeddings],
  ['/v1/completions', openaiCompletions],
  ['/v1/moderations', openaiModerations],
]);

const REQUEST: Shape = struct({
  'input_file_id!': text(),
  'endpoint!': oneOf(...DIALECTS.keys()),
  'completion_window!': oneOf('24h'),
  metadata: anything,
  output_expires_after: anything,
});

/** Batches of OpenAI. `undefined`: not at this path, or not with this method. */
export function matchBatches(
  method: string,
  path: string,
): ((request: VendorRequest, asking: Asking) => Reply) | undefined {
  const match = PATH.exec(path);
  if (match === null) return undefined;
  const [, name, below = ''] = match;
  if (name === undefined) return method === 'POST' ? create : method === 'GET' ? list : undefined;
  const id = decodeURIComponent(name);
  const isCancel = method === 'POST' && below === '/cancel';
  if (!isCancel && (method !== 'GET' || below !== '')) return undefined;
  return (request, asking) => {
    const batch = asking.batches.find(request.key, id);
    if (batch === undefined || batch.kind !== 'batch') {
      return openaiError(404, { message: `No batch found with id '${id}'.` });
    }
    if (isCancel) asking.batches.cancel(batch);
    else asking.batches.poll(batch);
    return json(show(batch, asking));
  };
}

function create(request: VendorRequest, asking: Asking): Reply {
  const body = readBody(request.body);
  if ('kind' in body) return body;
  const [problem] = check(REQUEST, body.value);
  if (problem !== undefined) return describe(problem);
  const { batches } = asking;
  const file = batches.findFile(request.key, string(body.value.input_file_id));
  if (file === undefined || file.purpose !== 'batch') {
    return invalid(
      `Invalid file id '${string(body.value.input_file_id)}'.`,
      'input_file_id',
      'invalid_value',
    );
  }
  const endpoint = string(body.value.endpoint);
  const read = readLines(file, endpoint, { request, asking });
  const { steps } = findDirective(file.content.toString(), {}, '');
  const { metadata = null } = body.value;
  const batch = batches.create({
    ...{ id: `batch_${newHexId(32)}`, key: request.key, kind: 'batch', steps },
    ...('problems' in read ? { items: [], ...read } : { problems: [], ...read }),
    shown: { endpoint, input_file_id: file.id, completion_window: '24h', metadata },
  });
  return json(show(batch, asking));
}

/** The whole file is checked before anything is done. */
function readLines(
  file: StoredFile,
  endpoint: string,
  { request, asking }: { readonly request: VendorRequest; readonly asking: Asking },
): { readonly items: readonly BatchItem[] } | { readonly problems: readonly object[] } {
  const lines = file.content
    .toString()
    .split('\n')
    .filter((line) => line.trim() !== '');
  const fail = (line: number, code: string, message: string) => ({
    problems: [{ line, code, message, param: null }],
  });
  if (lines.length === 0) return fail(1, 'empty_file', 'The file is empty.');
  if (lines.length > LINES_MAX) return fail(LINES_MAX, 'request_limit_exceeded', 'Too many requests.');
  const dialect = DIALECTS.get(endpoint) ?? openaiChat;
  const ids = new Set<string>();
  const items: BatchItem[] = [];
  let model: string | undefined;
  for (const [at, line] of lines.entries()) {
    const parsed = parseJson(line);
    if ('problem' in parsed || !isRecord(parsed.value))
      return fail(at + 1, 'invalid_json_line', 'Not an object.');
    const { custom_id: customId, method, url, body } = parsed.value;
    if (typeof customId !== 'string' || customId === '')
      return fail(at + 1, 'missing_required_parameter', 'custom_id');
    if (ids.has(customId))
      return fail(at + 1, 'duplicate_custom_id', `The custom_id ${customId} is not unique.`);
    if (method !== 'POST') return fail(at + 1, 'invalid_method', 'The method is POST.');
    if (url !== endpoint) return fail(at + 1, 'mismatched_endpoint', 'The url is that of the batch.');
    if (!isRecord(body)) return fail(at + 1, 'missing_required_parameter', 'body');
    model ??= string(body.model);
    if (string(body.model) !== model) return fail(at + 1, 'mismatched_model', 'All requests have one model.');
    if (body.stream === true) return fail(at + 1, 'invalid_value', 'Streams are not supported.');
    ids.add(customId);
    const own = { ...request, headers: {}, body: Buffer.from(JSON.stringify(record(body))) };
    items.push(workOn(customId, dialect, { request: own, clock: asking.clock }));
  }
  return { items };
}

function list({ key, query }: VendorRequest, asking: Asking): Reply {
  const all = asking.batches.list(key, 'batch');
  const data = all.slice(0, Number(query.get('limit') ?? PAGE_SIZE)).map((batch) => show(batch, asking));
  return json({ object: 'list', data, has_more: data.length < all.length });
}

const seconds = (ms: number | undefined): number | null => (ms === undefined ? null : Math.floor(ms / 1000));

function show(batch: Batch, asking: Asking) {
  writeResults(batch, asking);
  const { id, items, state, done, problems, cancelledMs } = batch;
  const isEnded = state === 'ended';
  const isCancelled = isEnded && cancelledMs !== undefined;
  const ended = seconds(batch.endedMs);
  const succeeded = items.slice(0, done).filter(({ outcome }) => outcome === 'succeeded');
  const errored = items.slice(0, done).filter(({ outcome }) => outcome === 'errored');
  return {
    id,
    object: 'batch',
    ...batch.shown,
    errors: problems.length === 0 ? null : { object: 'list', data: problems },
    status: isEnded ? (isCancelled ? 'cancelled' : 'completed') : state,
    output_file_id: succeeded.length > 0 ? fileId(batch, 'succeeded') : null,
    error_file_id: errored.length > 0 ? fileId(batch, 'errored') : null,
    created_at: seconds(batch.createdMs),
    in_progress_at: seconds(batch.createdMs),
    expires_at: (seconds(batch.createdMs) ?? 0) + WINDOW_SECONDS,
    finalizing_at: ended,
    completed_at: isCancelled ? null : ended,
    failed_at: state === 'failed' ? seconds(batch.createdMs) : null,
    expired_at: null,
    cancelling_at: seconds(cancelledMs),
    cancelled_at: isCancelled ? ended : null,
    request_counts: { total: items.length, completed: succeeded.length, failed: errored.length },
  };
}

/** The id of a file of results. */
function fileId({ id }: Batch, name: string): string {
  return `file-${id.slice('batch_'.length)}-${name}`;
}

/** The files of results are written once, when the batch ends. Not in the order of the requests. */
function writeResults(batch: Batch, { batches }: Asking): void {
  if (batch.state !== 'ended' || batch.isWritten) return;
  batch.isWritten = true;
  for (const name of ['succeeded', 'errored'] as const) {
    const lines = batch.items
      .slice(0, batch.done)
      .filter(({ outcome }) => outcome === name)
      .map(resultLine);
    if (lines.length === 0) continue;
    const content = Buffer.from(lines.reverse().join(''));
    const filename = `${batch.id}_${name}.jsonl`;
    batches.addFile({ id: fileId(batch, name), key: batch.key, filename, purpose: 'batch_output', content });
  }
}

function resultLine({ customId, answer, status }: BatchItem): string {
  const response = `{"status_code": ${status}, "request_id": "${newHexId(32)}", "body": ${answer}}`;
  const id = `"id": "batch_req_${newHexId(24)}", "custom_id": ${JSON.stringify(customId)}`;
  return `{${id}, "response": ${response}, "error": null}\n`;
}

export function json(value: object): Reply {
  return { kind: 'reply', status: 200, headers: openaiHeaders(), body: JSON.stringify(value) };
}
