import { setTimeout as sleep } from 'node:timers/promises';
import type { CreatedJob, Job, JobKind } from '../../jobs/contract.ts';
import { isObjectId } from '../../protocol/pass-through/object-text.ts';
import type { GatewayDeps } from '../attempt/attempt-context.ts';
import { JOB_LOOK_MS, JOB_LOOKS_MAX } from './bounds.ts';

type FindDeps = Pick<GatewayDeps, 'jobs' | 'recentJobs' | 'clock'>;

/**
 * A job of this account and this kind. The store has it when its call is settled, which is a moment after its
 * client has the id. So a job of another node is looked for twice.
 */
export async function findJob<Kind extends JobKind>(
  accountId: number,
  wanted: { readonly kind: Kind; readonly objectId: string },
  deps: FindDeps,
): Promise<(Job & { readonly kind: Kind }) | undefined> {
  if (!isObjectId(wanted.objectId)) return undefined;
  const recent = deps.recentJobs.find(accountId, wanted, deps.clock.now());
  const job = recent ?? (await lookUp(accountId, wanted, { jobs: deps.jobs, looks: 2 }));
  return job && { ...job, kind: wanted.kind };
}

/** The same from the store alone, with its state of now. It is awaited if its call is being settled. */
export function findStoredJob(job: Job, { jobs }: Pick<GatewayDeps, 'jobs'>): Promise<Job | undefined> {
  return lookUp(job.accountId, job, { jobs, looks: JOB_LOOKS_MAX });
}

/** A list is complete when the newest job of the account is in the store. It is awaited for a moment. */
export async function awaitNewestJob(accountId: number, deps: FindDeps): Promise<void> {
  const newest = deps.recentJobs.findNewest(accountId, deps.clock.now());
  if (newest !== undefined) await findStoredJob(newest, deps);
}

async function lookUp(
  accountId: number,
  wanted: CreatedJob,
  { jobs, looks }: Pick<GatewayDeps, 'jobs'> & { readonly looks: number },
): Promise<Job | undefined> {
  for (let look = 1; look < looks; look++) {
    const job = await jobs.find(accountId, wanted);
    if (job !== undefined) return job;
    await sleep(JOB_LOOK_MS);
  }
  return jobs.find(accountId, wanted);
}
