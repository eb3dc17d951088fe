import type { JobKind } from './contract.ts';

/** Limits of jobs, each with its reason. */

/** How often running jobs are looked for. */
export const JOBS_ROUND_MS = 2_000;
/** Vendors that one process asks at a time. */
export const JOBS_ASKED_AT_ONCE = 32;
/** The first wait between two questions about a job, and the longest. A wait is a tenth of the job's age. */
export const JOB_WAIT_MS = 2_000;
export const JOB_WAIT_MS_MAX = 60_000;
export const JOB_WAIT_SHARE = 10;
/** A job that a node took is taken by another after this time: longer than a vendor may take to answer. */
export const JOB_CLAIM_MS = 120_000;
/** A vendor may not know a job at once that it has just accepted. */
export const JOB_MISSING_MS = 60_000;
const DAY_MS = 86_400_000;
/** A job that runs for longer is void. A vendor ends a batch after a day, and needs a while for results. */
export const JOB_AGES_MS_MAX: Readonly<Record<JobKind, number>> = {
  video: DAY_MS,
  batch: 3 * DAY_MS,
  'message-batch': 3 * DAY_MS,
};
/** The doctor reports a job that runs for longer: nobody has looked at it for an hour. */
export const JOB_OVERDUE_MS = 3 * DAY_MS + 3_600_000;
/** A node that reads the results of a batch keeps the job for itself so long. */
export const RESULTS_CLAIM_MS = 1_800_000;
/** Ended jobs are forgotten after this time. */
export const JOB_KEPT_MS = 30 * 86_400_000;
/** What is known of a file is forgotten after this time. Vendors keep results for about a month. */
export const FILE_KEPT_MS = 35 * 86_400_000;
/** Jobs or files that one statement deletes. */
export const JOBS_PRUNED_ROWS = 1_000;
/** Lost uploads that one statement takes. */
export const LOST_UPLOADS_PAGE_MAX = 100;
/** Jobs of one page. */
export const JOBS_PAGE_MAX = 100;
