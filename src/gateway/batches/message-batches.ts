import type { JobPage } from '../../jobs/contract.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import { readBatch } from '../../protocol/batches/answer.ts';
import { readResult } from '../../protocol/batches/result.ts';
import { WAIT_MS } from '../admit/identify.ts';
import { classify } from '../admit/route.ts';
import { unknown } from '../endpoints/stored-answer.ts';
import { addressObject, askAboutObject } from '../jobs/ask-vendor.ts';
import { LIST_ASK_MS } from '../jobs/bounds.ts';
import { relayContent } from '../jobs/content-relay.ts';
import { findJob } from '../jobs/find-job.ts';
import { findJobCredential, type JobCredential } from '../jobs/job-credential.ts';
import { readLimit, serveJobList } from '../jobs/job-list.ts';
import {
  endWithoutAnswer,
  type JobRequest,
  type JobRequestEnd,
  sendAnswer,
  showId,
} from '../jobs/job-request.ts';
import { type BatchJob, toBatchReport } from './ask-about-batch.ts';
import { hasten, settleBatch } from './end-batch.ts';
import { LinesChange } from './read-results.ts';
import { resultsUrl } from './results-url.ts';

/**
 * Reads, lists, cancels and deletes batches of Messages, and passes on their results. This is not a call:
 * nothing is held, counted or charged. The vendor is asked with the credential that created the batch.
 */
export async function serveMessageBatches(request: JobRequest): Promise<JobRequestEnd> {
  const { asked } = request;
  if (asked.id === 'listMessageBatches') return list(request);
  const id = asked.params.id ?? '';
  const { caller, gateway } = request;
  const job = await findJob(caller.account.id, { kind: 'message-batch', objectId: id }, gateway.deps);
  if (job === undefined) return refuseBatch(id);
  const credential = findJobCredential(job, caller.account.byok, gateway.directory.catalog());
  if (credential === undefined) {
    return refuse('upstreamBroken', { message: 'The credential that created this batch is gone' });
  }
  switch (asked.id) {
    case 'getMessageBatchResults':
      return results(request, job, credential);
    case 'deleteMessageBatch':
      return remove(request, job, credential);
    default:
      return ask(request, job, { credential, cancels: asked.id === 'cancelMessageBatch' });
  }
}

/** The same for a batch of another account as for one that never was. */
function refuseBatch(id: string): Refusal {
  return unknown(`Message batch '${showId(id)}' not found.`);
}

/** Reads a batch, or cancels it. The answer is the same. */
async function ask(
  request: JobRequest,
  job: BatchJob,
  { credential, cancels }: { readonly credential: JobCredential; readonly cancels: boolean },
): Promise<JobRequestEnd> {
  const question = cancels
    ? ({ ...job, method: 'POST', below: '/cancel' } as const)
    : ({ ...job, method: 'GET' } as const);
  const reply = await askAboutObject(request.gateway.deps.client, credential, question);
  if (reply.kind === 'failed' || classify(reply.head.status) !== 'success') {
    return endWithoutAnswer(request, job, reply);
  }
  const names = { model: job.model, resultsUrl: resultsUrl(request, job.objectId) };
  const { pieces, valid, isError } = readBatch(reply.body, names);
  if (!valid || isError) return refuse('upstreamBroken');
  if (toBatchReport(reply, job).kind === 'ended') hasten(request, job);
  sendAnswer(request, job, { head: reply.head, pieces });
  return undefined;
}

async function results(
  request: JobRequest,
  job: BatchJob,
  credential: JobCredential,
): Promise<JobRequestEnd> {
  const address = addressObject(credential, { ...job, below: '/results' });
  const reply = await relayContent(request, address, {
    job,
    began: () => hasten(request, job),
    change: new LinesChange((line) => readResult(line, 'messages', job.model).pieces),
  });
  return reply === 'sent' ? undefined : endWithoutAnswer(request, job, reply);
}

/** A batch is charged before it is deleted: afterwards nobody could read what it used. */
async function remove(request: JobRequest, job: BatchJob, credential: JobCredential): Promise<JobRequestEnd> {
  const { deps } = request.gateway;
  const unsettled = await settleBatch(request, job, credential);
  if (unsettled === 'running') {
    return refuse('notExpressible', { message: 'A batch is deleted when it has ended. Cancel it first.' });
  }
  if (unsettled !== undefined) return refuse(unsettled, { retryAfterMs: WAIT_MS });
  const reply = await askAboutObject(deps.client, credential, { ...job, method: 'DELETE' });
  const isGone = reply.kind === 'answer' && reply.head.status === 404;
  const isDeleted = reply.kind === 'answer' && classify(reply.head.status) === 'success';
  if (isDeleted || isGone) {
    deps.recentJobs.forget(job.accountId, job);
    await deps.jobs.hide(job.accountId, job);
  }
  if (!isDeleted) return endWithoutAnswer(request, job, reply);
  sendAnswer(request, job, { head: reply.head, pieces: [reply.body] });
  return undefined;
}

/** `before_id` and `after_id` name the ends of the page; the newest batch stands first. */
async function list(request: JobRequest): Promise<JobRequestEnd> {
  const asked = new URLSearchParams(request.query);
  const limit = readLimit(asked);
  if (isRefusal(limit)) return limit;
  const before = asked.get('before_id') || undefined;
  const after = asked.get('after_id') || undefined;
  const page: JobPage =
    before === undefined
      ? { limit, order: 'desc', after }
      : { limit, order: 'asc', after: before, isReversed: true };
  return serveJobList(request, page, {
    kind: 'message-batch',
    show: async (entered, job) => {
      const { directory, deps } = entered.gateway;
      const credential = findJobCredential(job, entered.caller.account.byok, directory.catalog());
      if (credential === undefined || entered.response.closed) return undefined;
      const question = { ...job, method: 'GET', waitMs: LIST_ASK_MS } as const;
      const reply = await askAboutObject(deps.client, credential, question);
      if (reply.kind === 'failed' || classify(reply.head.status) !== 'success') return undefined;
      const names = { model: job.model, resultsUrl: resultsUrl(entered, job.objectId) };
      const { pieces, valid, isError } = readBatch(reply.body, names);
      return valid && !isError ? Buffer.concat(pieces) : undefined;
    },
  });
}
