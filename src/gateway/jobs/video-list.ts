import type { Job, JobState } from '../../jobs/contract.ts';
import { isRefusal } from '../../kernel/errors.ts';
import { readVideo } from '../../protocol/videos/answer.ts';
import { toReport } from './ask-about-job.ts';
import { askAboutObject } from './ask-vendor.ts';
import { LIST_ASK_MS } from './bounds.ts';
import { findJobCredential } from './job-credential.ts';
import { readPage, serveJobList } from './job-list.ts';
import type { JobRequest, JobRequestEnd } from './job-request.ts';

/** The videos of an account. */
export async function serveList(request: JobRequest): Promise<JobRequestEnd> {
  const page = readPage(new URLSearchParams(request.query));
  return isRefusal(page) ? page : serveJobList(request, page, { kind: 'video', show: showVideo });
}

/** `undefined`: the vendor does not know it any more, or nobody can ask it. */
async function showVideo({ gateway, caller, response }: JobRequest, job: Job): Promise<Buffer | undefined> {
  const { directory, deps } = gateway;
  const credential = findJobCredential(job, caller.account.byok, directory.catalog());
  if (credential === undefined || response.closed) return undefined;
  const question = { ...job, method: 'GET', waitMs: LIST_ASK_MS } as const;
  const reply = await askAboutObject(deps.client, credential, question);
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
