import type { CatalogSnapshot, Credential } from '../../catalog/contract.ts';
import type { AskAboutJob, Job, JobReport } from '../../jobs/contract.ts';
import { readVideo } from '../../protocol/videos/answer.ts';
import type { AskReply } from '../../upstream/http/ask.ts';
import { classify } from '../admit/route.ts';
import { askAboutBatch, type BatchParts, isBatchJob } from '../batches/ask-about-batch.ts';
import { askAboutObject } from './ask-vendor.ts';
import { isErrorObject } from './error-object.ts';
import { findJobCredential } from './job-credential.ts';

export interface AskAboutJobParts extends BatchParts {
  catalog(): CatalogSnapshot;
  /** The credentials of an account. */
  findOwn(accountId: number): Promise<readonly Credential[]>;
}

/** Asks with the credential that created the job. */
export function createAskAboutJob(parts: AskAboutJobParts): AskAboutJob {
  /** Reading results takes long. Whoever asks meanwhile gets the same answer. */
  const asking = new Map<string, Promise<JobReport>>();
  return (job) => {
    const known = asking.get(job.callId);
    if (known !== undefined) return known;
    const asked = askVendor(parts, job).finally(() => asking.delete(job.callId));
    asking.set(job.callId, asked);
    return asked;
  };
}

async function askVendor({ client, jobs, catalog, findOwn }: AskAboutJobParts, job: Job): Promise<JobReport> {
  try {
    const own = job.own ? await findOwn(job.accountId) : [];
    const credential = findJobCredential(job, own, catalog());
    if (credential === undefined) return 'unknown';
    if (isBatchJob(job)) return await askAboutBatch({ client, jobs }, credential, job);
    return toReport(await askAboutObject(client, credential, { ...job, method: 'GET' }));
  } catch {
    return 'unknown';
  }
}

const REPORTS: ReadonlyMap<string, JobReport> = new Map([
  ['queued', 'running'],
  ['in_progress', 'running'],
  ['completed', 'complete'],
  ['failed', 'failed'],
]);

/** What an answer about a video means for its job. */
export function toReport(reply: AskReply): JobReport {
  if (reply.kind === 'failed') return 'unknown';
  const { status } = reply.head;
  if (status === 404) return isErrorObject(reply.body) ? 'missing' : 'unknown';
  if (classify(status) !== 'success') return 'unknown';
  const video = readVideo(reply.body, '');
  return video.valid && !video.isError ? (REPORTS.get(video.status) ?? 'unknown') : 'unknown';
}
