import type { CreatedJob, Job } from '../../jobs/contract.ts';
import { RECENT_JOB_MS, RECENT_JOBS_MAX } from './bounds.ts';

/** The jobs that this process has just created. Their calls may not be settled yet. */
export class RecentJobs {
  /** In the order of creation; the first is removed first. */
  readonly #jobs = new Map<string, Job>();
  readonly #sizeMax: number;

  constructor(sizeMax = RECENT_JOBS_MAX) {
    this.#sizeMax = sizeMax;
  }

  get size(): number {
    return this.#jobs.size;
  }

  add(job: Job): void {
    for (const [key, { createdAtMs }] of this.#jobs) {
      if (this.#jobs.size < this.#sizeMax && isRecent(createdAtMs, job.createdAtMs)) break;
      this.#jobs.delete(key);
    }
    this.#jobs.set(toKey(job.accountId, job), job);
  }

  find(accountId: number, wanted: CreatedJob, nowMs: number): Job | undefined {
    const job = this.#jobs.get(toKey(accountId, wanted));
    return job !== undefined && isRecent(job.createdAtMs, nowMs) ? job : undefined;
  }

  /** The last one that the account created. */
  findNewest(accountId: number, nowMs: number): Job | undefined {
    let newest: Job | undefined;
    for (const job of this.#jobs.values()) if (job.accountId === accountId) newest = job;
    return newest !== undefined && isRecent(newest.createdAtMs, nowMs) ? newest : undefined;
  }

  /** It is deleted. */
  forget(accountId: number, deleted: CreatedJob): void {
    this.#jobs.delete(toKey(accountId, deleted));
  }
}

function isRecent(createdAtMs: number, nowMs: number): boolean {
  return nowMs - createdAtMs < RECENT_JOB_MS;
}

function toKey(accountId: number, { kind, objectId }: CreatedJob): string {
  return `${accountId} ${kind} ${objectId}`;
}
