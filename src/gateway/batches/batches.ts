import type { Job } from '../../jobs/contract.ts';
import { isRefusal, type Refusal, refuse } from '../../kernel/errors.ts';
import { type BatchAnswer, readBatch } from '../../protocol/batches/answer.ts';
import { batchProtocol } from '../../protocol/batches/item.ts';
import { classify } from '../admit/route.ts';
import { unknown } from '../endpoints/stored-answer.ts';
import { askAboutObject } from '../jobs/ask-vendor.ts';
import { LIST_ASK_MS } from '../jobs/bounds.ts';
import { findJob } from '../jobs/find-job.ts';
import { findJobCredential } from '../jobs/job-credential.ts';
import { readPage, serveJobList } from '../jobs/job-list.ts';
import {
  endWithoutAnswer,
  type JobRequest,
  type JobRequestEnd,
  sendAnswer,
  showId,
} from '../jobs/job-request.ts';
import { type BatchJob, toBatchReport } from './ask-about-batch.ts';
import { hasten } from './end-batch.ts';

/**
 * Reads, lists and cancels the batches of an account in the form of OpenAI. This is not a call: nothing is
 * held, counted or charged.
 */
export async function serveBatches(request: JobRequest): Promise<JobRequestEnd> {
  const { asked } = request;
  if (asked.id === 'listBatches') return list(request);
  const id = asked.params.id ?? '';
  const { caller, gateway } = request;
  const job = await findJob(caller.account.id, { kind: 'batch', objectId: id }, gateway.deps);
  if (job === undefined) return refuseBatch(id);
  const credential = findJobCredential(job, caller.account.byok, gateway.directory.catalog());
  if (credential === undefined) {
    return refuse('upstreamBroken', { message: 'The credential that created this batch is gone' });
  }
  const question =
    asked.id === 'cancelBatch'
      ? ({ ...job, method: 'POST', below: '/cancel' } as const)
      : ({ ...job, method: 'GET' } as const);
  const reply = await askAboutObject(gateway.deps.client, credential, question);
  if (reply.kind === 'failed' || classify(reply.head.status) !== 'success') {
    return endWithoutAnswer(request, job, reply);
  }
  const batch = readBatch(reply.body, { model: job.model });
  if (!batch.valid || batch.isError) return refuse('upstreamBroken');
  await keepResults(request, job, batch);
  if (toBatchReport(reply, job).kind === 'ended') hasten(request, job);
  sendAnswer(request, job, { head: reply.head, pieces: batch.pieces });
  return undefined;
}

/** The same for a batch of another account as for one that never was. */
function refuseBatch(id: string): Refusal {
  return unknown(`No batch found with id '${showId(id)}'.`);
}

/** The files of results that a batch names belong to its account, before the client knows of them. */
async function keepResults(
  { gateway }: JobRequest,
  { accountId, routeId, credential, own, model, objectId: batchId }: BatchJob | Job,
  { outputFileId, errorFileId, endpoint }: BatchAnswer,
): Promise<void> {
  const { files, clock } = gateway.deps;
  const protocol = batchProtocol(endpoint) ?? 'chat';
  const counts = { items: 0, inputTokens: 0, outputTokens: 0 };
  const owner = { accountId, routeId, credential, own, model, protocol, batchId };
  for (const objectId of [outputFileId, errorFileId]) {
    if (objectId !== '') await files.add({ ...owner, ...counts, objectId, createdAtMs: clock.now() });
  }
}

async function list(request: JobRequest): Promise<JobRequestEnd> {
  const page = readPage(new URLSearchParams(request.query));
  if (isRefusal(page)) return page;
  return serveJobList(request, page, { kind: 'batch', show });
}

async function show(request: JobRequest, job: Job): Promise<Buffer | undefined> {
  const { gateway, caller, response } = request;
  const credential = findJobCredential(job, caller.account.byok, gateway.directory.catalog());
  if (credential === undefined || response.closed) return undefined;
  const question = { ...job, method: 'GET', waitMs: LIST_ASK_MS } as const;
  const reply = await askAboutObject(gateway.deps.client, credential, question);
  if (reply.kind === 'failed' || classify(reply.head.status) !== 'success') return undefined;
  const batch = readBatch(reply.body, { model: job.model });
  if (!batch.valid || batch.isError) return undefined;
  await keepResults(request, job, batch);
  return Buffer.concat(batch.pieces);
}
