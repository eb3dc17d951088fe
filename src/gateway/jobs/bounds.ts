import type { SemaphoreBounds } from '../../kernel/async/semaphore.ts';

const KIB = 1024;

/** Jobs of this process that the store may not have yet. */
export const RECENT_JOBS_MAX = 10_000;
/** Calls are settled long before this time, so that the store has the job. */
export const RECENT_JOB_MS = 60_000;
/** Another node settles a call within this time, so an unknown job is looked for once more after it. */
export const JOB_LOOK_MS = 500;
/** How often the store is asked for a job before it is deleted, or listed. */
export const JOB_LOOKS_MAX = 6;
/** How long the answer to a new job is awaited when its client has left. */
export const JOB_CREATE_WAIT_MS = 30_000;
/** One question about a job, from the connection to the last byte, and the bytes of its answer. */
export const JOB_ASK_MS = 15_000;
export const JOB_ANSWER_BYTES_MAX = 256 * KIB;
/** Jobs of one page, questions at once for it, and the time of each. */
export const LIST_SIZE = 20;
export const LIST_SIZE_MAX = 100;
export const LIST_ASKS_AT_ONCE = 8;
export const LIST_ASK_MS = 5_000;
/** Requests about jobs at once, of one account and of all. The others wait for a moment. */
export const JOB_REQUEST_SLOTS: SemaphoreBounds & { readonly activeOfOne: number } = {
  active: 1_024,
  activeOfOne: 16,
  waiting: 1_024,
  waitMs: 2_000,
};
