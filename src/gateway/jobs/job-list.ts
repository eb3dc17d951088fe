import type { Job, JobKind, JobPage } from '../../jobs/contract.ts';
import { type Refusal, refuse } from '../../kernel/errors.ts';
import { WAIT_MS } from '../admit/identify.ts';
import { endAnswer, ownHeaders, totalBytes } from '../answer/answer.ts';
import { wrong } from '../endpoints/stored-answer.ts';
import { LIST_ASKS_AT_ONCE, LIST_SIZE, LIST_SIZE_MAX } from './bounds.ts';
import { awaitNewestJob } from './find-job.ts';
import type { JobRequest, JobRequestEnd } from './job-request.ts';

/** How one kind of jobs is listed. */
export interface JobListing {
  readonly kind: JobKind;
  /** A job as its vendor shows it. `undefined`: the vendor does not know it any more. */
  show(request: JobRequest, job: Job): Promise<Buffer | undefined>;
}

/** The jobs of an account, each as its vendor shows it. A vendor's own list would show those of others. */
export async function serveJobList(
  request: JobRequest,
  page: JobPage,
  { kind, show }: JobListing,
): Promise<JobRequestEnd> {
  const { deps } = request.gateway;
  const { id: accountId } = request.caller.account;
  // One more than is shown tells whether there are more.
  const limit = Math.min(page.limit + 1, LIST_SIZE_MAX);
  await awaitNewestJob(accountId, deps);
  const found = await deps.jobs.list(accountId, kind, { ...page, limit });
  const jobs = found.slice(0, page.limit);
  if (page.order === 'asc' && page.isReversed === true) jobs.reverse();
  const items = await mapSome(jobs, (job) => show(request, job));
  return sendList(
    request,
    items.filter((item) => item !== undefined),
    {
      first_id: jobs.at(0)?.objectId ?? null,
      last_id: jobs.at(-1)?.objectId ?? null,
      has_more: found.length > page.limit || found.length === LIST_SIZE_MAX,
    },
  );
}

/** Answers with a list of objects, in the form of OpenAI and Anthropic alike. */
export function sendList(
  { requestId, protocol, response, gateway, caller }: JobRequest,
  shown: readonly Buffer[],
  ends: Readonly<Record<string, unknown>>,
): JobRequestEnd {
  const { bodies } = gateway.deps;
  const { id: accountId } = caller.account;
  const bytes = totalBytes(shown);
  if (!bodies.take(accountId, bytes)) return refuse('unavailable', { retryAfterMs: WAIT_MS });
  const give = (): void => bodies.give(accountId, bytes);
  if (response.closed) give();
  else response.once('close', give);
  const data = shown.flatMap((item, index) => (index === 0 ? [item] : [COMMA, item]));
  const pieces = [LIST_START, ...data, Buffer.from(`],${JSON.stringify(ends).slice(1)}`)];
  response.writeHead(200, [
    ...['content-type', 'application/json; charset=utf-8'],
    ...['content-length', String(totalBytes(pieces))],
    ...ownHeaders(requestId, protocol),
  ]);
  endAnswer(response, pieces);
  return undefined;
}

const LIST_START = Buffer.from('{"object":"list","data":[');
const COMMA = Buffer.from(',');

/** `limit`, `order` and `after`. */
export function readPage(asked: URLSearchParams): JobPage | Refusal {
  const limit = readLimit(asked);
  const order = asked.get('order') ?? 'desc';
  if (typeof limit !== 'number') return limit;
  if (order !== 'asc' && order !== 'desc') return wrong('order', 'must be "asc" or "desc"');
  return { limit, order, after: asked.get('after') || undefined };
}

export function readLimit(asked: URLSearchParams): number | Refusal {
  const limit = asked.get('limit') ?? String(LIST_SIZE);
  if (!/^\d{1,9}$/.test(limit) || Number(limit) < 1) {
    return wrong('limit', 'must be a whole number above 0');
  }
  return Math.min(Number(limit), LIST_SIZE_MAX);
}

/** A few at a time, in their order. */
export async function mapSome<One, Made>(
  all: readonly One[],
  make: (one: One) => Promise<Made>,
): Promise<readonly Made[]> {
  const made: Made[] = [];
  const entries = all.entries();
  const work = async (): Promise<void> => {
    for (const [index, one] of entries) made[index] = await make(one);
  };
  await Promise.all(Array.from({ length: LIST_ASKS_AT_ONCE }, work));
  return made;
}
