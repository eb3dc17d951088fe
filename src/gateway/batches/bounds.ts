import type { UpstreamTimeouts } from '../../upstream/contract.ts';

/** The results of a batch are read for its charge within this time; less than a node keeps the job. */
export const RESULTS_READ_MS = 1_200_000;
/** The pauses of a vendor while it sends them. */
export const RESULTS_TIMEOUTS: UpstreamTimeouts = { connectMs: 15_000, firstByteMs: 60_000, idleMs: 60_000 };
