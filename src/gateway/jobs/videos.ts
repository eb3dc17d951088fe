import type { Job } from '../../jobs/contract.ts';
import { type Refusal, refuse } from '../../kernel/errors.ts';
import { readVideo } from '../../protocol/videos/answer.ts';
import { WAIT_MS } from '../admit/identify.ts';
import { classify } from '../admit/route.ts';
import { toReport } from './ask-about-job.ts';
import { askAboutObject } from './ask-vendor.ts';
import { findJob, findStoredJob } from './find-job.ts';
import { findJobCredential, type JobCredential } from './job-credential.ts';
import {
  endWithoutAnswer,
  type JobRequest,
  type JobRequestEnd,
  refuseVideo,
  sendAnswer,
} from './job-request.ts';
import { serveContent } from './video-content.ts';
import { serveList } from './video-list.ts';

/**
 * Reads, lists and deletes the videos of an account, and passes on their content. This is not a call: nothing
 * is held, counted or charged. The vendor is asked with the credential that created the video.
 */
export async function serveVideos(request: JobRequest): Promise<JobRequestEnd> {
  const { asked } = request;
  if (asked.id === 'listVideos') return serveList(request);
  const { caller, gateway } = request;
  const objectId = asked.params.id ?? '';
  const job = await findJob(caller.account.id, { kind: 'video', objectId }, gateway.deps);
  if (job === undefined) return refuseVideo(objectId);
  const credential = findJobCredential(job, caller.account.byok, gateway.directory.catalog());
  if (credential === undefined) {
    return refuse('upstreamBroken', { message: 'The credential that created this video is gone' });
  }
  switch (asked.id) {
    case 'getVideoContent':
      return serveContent(request, job, credential);
    case 'deleteVideo':
      return remove(request, job, credential);
    default:
      return read(request, job, credential);
  }
}

/** The vendor has more that can be done with videos. */
export async function refuseUnservedVideos(): Promise<Refusal> {
  return refuse('notExpressible', {
    message: 'Videos are neither remixed, edited nor extended here, and there are no characters',
  });
}

async function read(request: JobRequest, job: Job, credential: JobCredential): Promise<JobRequestEnd> {
  const { client, jobs, tasks } = request.gateway.deps;
  const reply = await askAboutObject(client, credential, {
    kind: 'video',
    objectId: job.objectId,
    method: 'GET',
  });
  if (reply.kind === 'failed' || classify(reply.head.status) !== 'success') {
    return endWithoutAnswer(request, job, reply);
  }
  const { pieces, valid, isError } = readVideo(reply.body, job.model);
  if (!valid || isError) return refuse('upstreamBroken');
  const report = toReport(reply);
  const isOver = report === 'complete' || report === 'failed';
  if (isOver && job.state === 'running') tasks.run('jobs.hasten', () => jobs.hasten(job.callId));
  sendAnswer(request, job, { head: reply.head, pieces });
  return undefined;
}

/**
 * A video that is complete is settled before it is deleted: afterwards the vendor would not know it any more,
 * and it would cost nothing.
 */
async function remove(request: JobRequest, found: Job, credential: JobCredential): Promise<JobRequestEnd> {
  const { deps } = request.gateway;
  const { objectId, accountId, callId } = found;
  const job = await findStoredJob(found, deps);
  if (job === undefined) return refuse('unavailable', { retryAfterMs: WAIT_MS });
  if (job.state === 'running') {
    const reply = await askAboutObject(deps.client, credential, { kind: 'video', objectId, method: 'GET' });
    const report = toReport(reply);
    if (report === 'unknown') {
      return reply.kind === 'failed' ? endWithoutAnswer(request, job, reply) : refuse('upstreamBroken');
    }
    if (report === 'complete') await deps.jobs.end(callId, { state: 'complete' });
  }
  const reply = await askAboutObject(deps.client, credential, { kind: 'video', objectId, method: 'DELETE' });
  const isGone = reply.kind === 'answer' && reply.head.status === 404;
  const isDeleted = reply.kind === 'answer' && classify(reply.head.status) === 'success';
  if (isDeleted || isGone) {
    deps.recentJobs.forget(accountId, found);
    await deps.jobs.hide(accountId, found);
  }
  if (!isDeleted) return endWithoutAnswer(request, job, reply);
  sendAnswer(request, job, { head: reply.head, pieces: [reply.body] });
  return undefined;
}
