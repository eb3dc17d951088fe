import type { Clock } from '../../src/kernel/time/clock.ts';
import { newId } from '../answer/id.ts';
import { anthropicMessages } from '../anthropic/dialect.ts';
import { anthropicError, anthropicHeaders } from '../anthropic/error.ts';
import type { VendorRequest } from '../dialect.ts';
import type { Reply } from '../request/ask.ts';
import { findDirective } from '../request/directive.ts';
import { parseJson, record, records, string } from '../request/json.ts';
import { isRecord } from '../request/shape.ts';
import type { Batch, Batches } from './batches.ts';
import { workOn } from './work.ts';

const PATH = /^\/v1\/messages\/batches(?:\/([^/]{1,300})(\/cancel|\/results)?)?$/;
const CUSTOM_ID = /^[a-zA-Z0-9_-]{1,64}$/;
const REQUESTS_MAX = 100_000;
const EXPIRES_MS = 86_400_000;
const PAGE_SIZE = 20;

export interface Asking {
  readonly batches: Batches;
  readonly clock: Clock;
}

/** Batches of Messages. `undefined`: not at this path, or not with this method. */
export function matchMessageBatches(
  method: string,
  path: string,
): ((request: VendorRequest, asking: Asking) => Reply) | undefined {
  const match = PATH.exec(path);
  if (match === null) return undefined;
  const [, name, below = ''] = match;
  if (name === undefined) return method === 'POST' ? create : method === 'GET' ? list : undefined;
  const id = decodeURIComponent(name);
  const action = ACTIONS[`${method} ${below}`];
  if (action === undefined) return undefined;
  return (request, asking) => {
    const batch = asking.batches.find(request.key, id);
    if (batch === undefined || batch.kind !== 'message-batch')
      return anthropicError(404, `Batch ${id} not found`);
    return action(batch, asking);
  };
}

const ACTIONS: Readonly<Record<string, (batch: Batch, asking: Asking) => Reply>> = {
  'GET ': (batch, { batches }) => {
    batches.poll(batch);
    return json(show(batch));
  },
  'DELETE ': (batch, { batches }) => {
    if (batch.state !== 'ended') return anthropicError(400, 'A batch is deleted when it has ended.');
    batches.forget(batch.id);
    return json({ id: batch.id, type: 'message_batch_deleted' });
  },
  'POST /cancel': (batch, { batches }) => {
    batches.cancel(batch);
    return json(show(batch));
  },
  'GET /results': (batch) => {
    if (batch.state !== 'ended') return anthropicError(404, 'The batch has no results yet.');
    const headers = { ...anthropicHeaders(), 'content-type': 'application/x-jsonl' };
    return { kind: 'reply', status: 200, headers, body: resultLines(batch) };
  },
};

function create(request: VendorRequest, { batches, clock }: Asking): Reply {
  if (request.headers['anthropic-version'] === undefined) {
    return anthropicError(400, 'anthropic-version: header is required');
  }
  const parsed = parseJson(request.body.toString());
  if ('problem' in parsed || !isRecord(parsed.value))
    return anthropicError(400, 'The body is not valid JSON');
  const { requests } = parsed.value;
  if (!Array.isArray(requests) || requests.length === 0)
    return anthropicError(400, 'requests: Field required');
  if (requests.length > REQUESTS_MAX) return anthropicError(400, 'requests: too many');
  const ids = new Set<string>();
  for (const [at, each] of records(requests).entries()) {
    const id = string(each.custom_id);
    if (!CUSTOM_ID.test(id))
      return anthropicError(400, `requests.${at}.custom_id: String should match pattern`);
    if (ids.has(id)) return anthropicError(400, `requests.${at}.custom_id: ${id} is not unique`);
    if (!isRecord(each.params)) return anthropicError(400, `requests.${at}.params: Field required`);
    if (each.params.stream === true)
      return anthropicError(400, `requests.${at}.params.stream: not supported`);
    ids.add(id);
  }
  const items = records(requests).map((each) => {
    const own = { ...request, body: Buffer.from(JSON.stringify(record(each.params))) };
    return workOn(string(each.custom_id), anthropicMessages, { request: own, clock });
  });
  const { steps } = findDirective(request.body.toString(), {}, '');
  const id = `msgbatch_${newId(24)}`;
  const made = {
    id,
    key: request.key,
    kind: 'message-batch',
    items,
    steps,
    problems: [],
    shown: {},
  } as const;
  return json(show(batches.create(made)));
}

function list({ key, query }: VendorRequest, { batches }: Asking): Reply {
  const all = batches.list(key, 'message-batch');
  const data = all.slice(0, Number(query.get('limit') ?? PAGE_SIZE)).map(show);
  const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  return json({ data, has_more: data.length < all.length, ...ends });
}

function show(batch: Batch) {
  const { id, items, done, state } = batch;
  const isEnded = state === 'ended';
  const finished = items.slice(0, done);
  const count = (outcome: string): number => finished.filter((item) => item.outcome === outcome).length;
  const time = (ms: number | undefined): string | null =>
    ms === undefined ? null : new Date(ms).toISOString();
  return {
    id,
    type: 'message_batch',
    processing_status: isEnded ? 'ended' : state === 'cancelling' ? 'canceling' : 'in_progress',
    request_counts: {
      processing: isEnded ? 0 : items.length,
      succeeded: count('succeeded'),
      errored: count('errored'),
      canceled: isEnded ? items.length - done : 0,
      expired: 0,
    },
    ended_at: time(batch.endedMs),
    created_at: time(batch.createdMs),
    expires_at: time(batch.createdMs + EXPIRES_MS),
    archived_at: null,
    cancel_initiated_at: time(batch.cancelledMs),
    results_url: isEnded ? `https://api.anthropic.com/v1/messages/batches/${id}/results` : null,
  };
}

/** Not in the order of the requests. */
function resultLines({ items, done }: Batch): string {
  const lines = items.map(({ customId, outcome, answer }, at) => {
    const ended = outcome === 'succeeded' ? `"message":${answer}` : `"error":${answer}`;
    const result = at < done ? `{"type":"${outcome}",${ended}}` : '{"type":"canceled"}';
    return `{"custom_id":${JSON.stringify(customId)},"result":${result}}\n`;
  });
  return lines.reverse().join('');
}

function json(value: object): Reply {
  return { kind: 'reply', status: 200, headers: anthropicHeaders(), body: JSON.stringify(value) };
}
