import type { ErrorName } from '../../kernel/errors.ts';
import { findStoredJob } from '../jobs/find-job.ts';
import type { JobCredential } from '../jobs/job-credential.ts';
import type { JobRequest } from '../jobs/job-request.ts';
import { askAboutBatch, type BatchJob } from './ask-about-batch.ts';

/** A client has seen that a batch ended, or reads its results: it is charged as soon as possible. */
export function hasten({ gateway }: JobRequest, { callId, state }: BatchJob): void {
  const { tasks, jobs } = gateway.deps;
  if (state === 'running') tasks.run('jobs.hasten', () => jobs.hasten(callId));
}

/** Charges a batch that has ended, now. `undefined`: it is settled. Else why it is not. */
export async function settleBatch(
  { gateway }: JobRequest,
  found: BatchJob,
  credential: JobCredential,
): Promise<'running' | ErrorName | undefined> {
  const { deps } = gateway;
  const job = await findStoredJob(found, deps);
  if (job === undefined) return 'unavailable';
  if (job.state !== 'running') return undefined;
  const report = await askAboutBatch(deps, credential, { ...job, kind: found.kind });
  if (typeof report === 'object') await deps.jobs.end(job.callId, { state: 'complete', result: report });
  else if (report === 'failed') await deps.jobs.end(job.callId, { state: 'void', why: 'failed' });
  else return report === 'running' || report === 'complete' ? 'running' : 'upstreamBroken';
  return undefined;
}
