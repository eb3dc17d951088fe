import { setTimeout as sleep } from 'node:timers/promises';
import type { Job } from '../../jobs/contract.ts';
import { isObjectId } from '../../protocol/pass-through/object-text.ts';
import type { GatewayDeps } from '../attempt/attempt-context.ts';
import { JOB_LOOK_MS, JOB_LOOKS_MAX } from './bounds.ts';

type FindDeps = Pick<GatewayDeps, 'jobs' | 'recentJobs' | 'clock'>;

/**
 * A job of this account. The store has it when its call is settled, which is a moment after its client has
 * the id. So a job of another node is looked for twice.
 */
export async function findJob(accountId: number, objectId: string, deps: FindDeps): Promise<Job | undefined> {
  if (!isObjectId(objectId)) return undefined;
  const recent = deps.recentJobs.find(accountId, objectId, deps.clock.now());
  return recent ?? lookUp(accountId, objectId, { jobs: deps.jobs, looks: 2 });
}

/** The same from the store alone, with its state of now. It is awaited if its call is being settled. */
export function findStoredJob(
  { accountId, objectId }: Job,
  { jobs }: Pick<GatewayDeps, 'jobs'>,
): Promise<Job | undefined> {
  return lookUp(accountId, objectId, { jobs, looks: JOB_LOOKS_MAX });
}

/** A list is complete when the newest job of the account is in the store. It is awaited for a moment. */
export async function awaitNewestJob(accountId: number, deps: FindDeps): Promise<void> {
  const newest = deps.recentJobs.findNewest(accountId, deps.clock.now());
  if (newest !== undefined) await findStoredJob(newest, deps);
}

async function lookUp(
  accountId: number,
  objectId: string,
  { jobs, looks }: Pick<GatewayDeps, 'jobs'> & { readonly looks: number },
): Promise<Job | undefined> {
  for (let look = 1; look < looks; look++) {
    const job = await jobs.find(accountId, objectId);
    if (job !== undefined) return job;
    await sleep(JOB_LOOK_MS);
  }
  return jobs.find(accountId, objectId);
}
