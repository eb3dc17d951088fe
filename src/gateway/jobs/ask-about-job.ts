import type { CatalogSnapshot, Credential } from '../../catalog/contract.ts';
import type { AskAboutJob, JobReport } from '../../jobs/contract.ts';
import { isJsonObject, parseJson } from '../../kernel/encoding/json.ts';
import { readVideo } from '../../protocol/videos/answer.ts';
import type { UpstreamClient } from '../../upstream/contract.ts';
import type { AskReply } from '../../upstream/http/ask.ts';
import { classify } from '../admit/route.ts';
import { askAboutVideo } from './ask-vendor.ts';
import { JOB_ANSWER_BYTES_MAX } from './bounds.ts';
import { findJobCredential } from './job-credential.ts';

export interface AskAboutJobParts {
  readonly client: UpstreamClient;
  catalog(): CatalogSnapshot;
  /** The credentials of an account. */
  findOwn(accountId: number): Promise<readonly Credential[]>;
}

/** Asks with the credential that created the job. */
export function createAskAboutJob({ client, catalog, findOwn }: AskAboutJobParts): AskAboutJob {
  return async (job) => {
    try {
      const own = job.own ? await findOwn(job.accountId) : [];
      const credential = findJobCredential(job, own, catalog());
      if (credential === undefined) return 'unknown';
      return toReport(await askAboutVideo(client, credential, { objectId: job.objectId, method: 'GET' }));
    } catch {
      return 'unknown';
    }
  };
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

/** The page of a proxy says nothing about a job. */
function isErrorObject(body: Buffer): boolean {
  const parsed = parseJson(body.toString('utf8'), { bytesMax: JOB_ANSWER_BYTES_MAX, depthMax: 32 });
  return parsed.kind === 'parsed' && isJsonObject(parsed.value);
}
