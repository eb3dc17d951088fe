import { RESULTS_CLAIM_MS } from '../../jobs/bounds.ts';
import type { Job, JobReport, JobStore } from '../../jobs/contract.ts';
import { fault } from '../../kernel/fault.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { NO_USAGE } from '../../kernel/usage.ts';
import { type BatchAnswer, batchProgress, readBatch } from '../../protocol/batches/answer.ts';
import { batchProtocol } from '../../protocol/batches/item.ts';
import type { BatchKind } from '../../protocol/batches/sum.ts';
import type { UpstreamClient } from '../../upstream/contract.ts';
import type { AskReply } from '../../upstream/http/ask.ts';
import { classify } from '../admit/route.ts';
import { addressObject, askAboutObject, type VendorObject } from '../jobs/ask-vendor.ts';
import { isErrorObject } from '../jobs/error-object.ts';
import type { JobCredential } from '../jobs/job-credential.ts';
import { meterResults } from './read-results.ts';

export interface BatchParts {
  readonly client: UpstreamClient;
  readonly jobs: Pick<JobStore, 'postpone'>;
}

export interface BatchJob extends Job {
  readonly kind: BatchKind;
}

export function isBatchJob(job: Job): job is BatchJob {
  return job.kind === 'batch' || job.kind === 'message-batch';
}

/** Asks the vendor how far a batch is. If it has ended, what its results used is added up. */
export async function askAboutBatch(
  { client, jobs }: BatchParts,
  credential: JobCredential,
  job: BatchJob,
): Promise<JobReport> {
  const reply = await askAboutObject(client, credential, { ...job, method: 'GET' });
  const report = toBatchReport(reply, job);
  if (report.kind !== 'ended') return report.kind;
  const results = findResults(job, report.batch);
  if (results === undefined || results === 'none') return results === 'none' ? NOTHING : 'unknown';
  // Reading takes longer than a question. No other node begins it meanwhile.
  await jobs.postpone(job.callId, RESULTS_CLAIM_MS);
  const result = await meterResults(client, addressObject(credential, results.object), results.protocol);
  fault('batch.after-results');
  return result;
}

const NOTHING: JobReport = { usage: NO_USAGE, estimated: false };

export type BatchReport =
  | { readonly kind: 'ended'; readonly batch: BatchAnswer }
  | { readonly kind: 'running' | 'failed' | 'missing' | 'unknown' };

/** What an answer about a batch means for its job. */
export function toBatchReport(
  reply: AskReply,
  { kind, model }: Pick<BatchJob, 'kind' | 'model'>,
): BatchReport {
  if (reply.kind === 'failed') return { kind: 'unknown' };
  const { status } = reply.head;
  if (status === 404) return { kind: isErrorObject(reply.body) ? 'missing' : 'unknown' };
  if (classify(status) !== 'success') return { kind: 'unknown' };
  const batch = readBatch(reply.body, { model });
  if (!batch.valid || batch.isError) return { kind: 'unknown' };
  const progress = batchProgress(kind, batch.status);
  return progress === 'ended' ? { kind: 'ended', batch } : { kind: progress };
}

/** Where the results are. `none`: no request was completed. `undefined`: they cannot be found. */
function findResults(
  job: BatchJob,
  { outputFileId, endpoint, completed }: BatchAnswer,
): { readonly object: VendorObject; readonly protocol: Protocol } | 'none' | undefined {
  if (job.kind === 'message-batch') return { object: { ...job, below: '/results' }, protocol: 'messages' };
  if (outputFileId === '') return completed > 0 ? undefined : 'none';
  const protocol = batchProtocol(endpoint);
  const object = { kind: 'file', objectId: outputFileId, below: '/content' } as const;
  return protocol === undefined ? undefined : { object, protocol };
}
