import type { Job, JobPage, JobState } from '../../jobs/contract.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import { readVideo } from '../../protocol/videos/answer.ts';
import { WAIT_MS } from '../admit/identify.ts';
import { endAnswer, ownHeaders, totalBytes } from '../answer/answer.ts';
import { wrong } from '../endpoints/stored-answer.ts';
import { toReport } from './ask-about-job.ts';
import { askAboutVideo } from './ask-vendor.ts';
import { LIST_ASK_MS, LIST_ASKS_AT_ONCE, LIST_SIZE, LIST_SIZE_MAX } from './bounds.ts';
import { awaitNewestJob } from './find-job.ts';
import { findJobCredential } from './job-credential.ts';
import type { VideoEnd, VideoRequest } from './video-request.ts';

/** The videos of an account, each as its vendor shows it. A vendor's own list would show those of others. */
export async function serveList(request: VideoRequest): Promise<VideoEnd> {
  const page = readPage(new URLSearchParams(request.endpoint.query));
  if (isRefusal(page)) return page;
  const { deps } = request.gateway;
  const { id: accountId } = request.caller.account;
  // One more than is shown tells whether there are more.
  const limit = Math.min(page.limit + 1, LIST_SIZE_MAX);
  await awaitNewestJob(accountId, deps);
  const found = await deps.jobs.list(accountId, 'video', { ...page, limit });
  const jobs = found.slice(0, page.limit);
  const items = await mapSome(jobs, (job) => showVideo(request, job));
  const shown = items.filter((item) => item !== undefined);
  const bytes = totalBytes(shown);
  if (!deps.bodies.take(accountId, bytes)) return refuse('unavailable', { retryAfterMs: WAIT_MS });
  const give = (): void => deps.bodies.give(accountId, bytes);
  if (request.response.closed) give();
  else request.response.once('close', give);
  const rest = JSON.stringify({
    first_id: jobs.at(0)?.objectId ?? null,
    last_id: jobs.at(-1)?.objectId ?? null,
    has_more: found.length > page.limit || found.length === LIST_SIZE_MAX,
  });
  const data = shown.flatMap((item, index) => (index === 0 ? [item] : [COMMA, item]));
  const pieces = [LIST_START, ...data, Buffer.from(`],${rest.slice(1)}`)];
  request.response.writeHead(200, [
    ...['content-type', 'application/json; charset=utf-8'],
    ...['content-length', String(totalBytes(pieces))],
    ...ownHeaders(request.requestId, 'videos'),
  ]);
  endAnswer(request.response, pieces);
  return undefined;
}

const LIST_START = Buffer.from('{"object":"list","data":[');
const COMMA = Buffer.from(',');

function readPage(asked: URLSearchParams): JobPage | Refusal {
  const limit = asked.get('limit') ?? String(LIST_SIZE);
  const order = asked.get('order') ?? 'desc';
  if (!/^\d{1,9}$/.test(limit) || Number(limit) < 1) {
    return wrong('limit', 'must be a whole number above 0');
  }
  if (order !== 'asc' && order !== 'desc') return wrong('order', 'must be "asc" or "desc"');
  const after = asked.get('after');
  return {
    limit: Math.min(Number(limit), LIST_SIZE_MAX),
    order,
    after: after === null || after === '' ? undefined : after,
  };
}

/** `undefined`: the vendor does not know it any more, or nobody can ask it. */
async function showVideo({ gateway, caller, response }: VideoRequest, job: Job): Promise<Buffer | undefined> {
  const { directory, deps } = gateway;
  const credential = findJobCredential(job, caller.account.byok, directory.catalog());
  if (credential === undefined || response.closed) return undefined;
  const question = { objectId: job.objectId, method: 'GET', waitMs: LIST_ASK_MS } as const;
  const reply = await askAboutVideo(deps.client, credential, question);
  const report = toReport(reply);
  if (report === 'missing') return undefined;
  if (report === 'unknown' || reply.kind === 'failed') return Buffer.from(JSON.stringify(knownVideo(job)));
  return Buffer.concat(readVideo(reply.body, job.model).pieces);
}

const STATUSES: Readonly<Record<JobState, string>> = {
  running: 'in_progress',
  complete: 'completed',
  void: 'failed',
};

/** What we know ourselves of a video whose vendor does not answer. */
function knownVideo({ objectId, createdAtMs, model, state }: Job): object {
  return {
    id: objectId,
    object: 'video',
    created_at: Math.floor(createdAtMs / 1000),
    status: STATUSES[state],
    model,
    progress: state === 'complete' ? 100 : 0,
    ...{ completed_at: null, expires_at: null, error: null },
  };
}

/** A few at a time, in their order. */
async function mapSome<One, Made>(
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
