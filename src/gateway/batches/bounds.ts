import type { UpstreamTimeouts } from '../../upstream/contract.ts';

/** The results of a batch are read for its charge within this time; less than a node keeps the job. */
export const RESULTS_READ_MS = 1_200_000;
/** The pauses of a vendor while it sends them. */
export const RESULTS_TIMEOUTS: UpstreamTimeouts = { connectMs: 15_000, firstByteMs: 60_000, idleMs: 60_000 };
/** A file that is uploaded: what OpenAI takes for a batch. The form around it is small. */
export const UPLOAD_BYTES_MAX = 200 * 1024 * 1024;
export const UPLOAD_FORM_BYTES_MAX = 64 * 1024;
/** Files that one account has uploaded and not deleted: vendors keep them for the whole platform. */
export const FILES_OF_ACCOUNT_MAX = 1_000;
/** A field of the form beside the file. */
export const UPLOAD_FIELD_BYTES_MAX = 4_096;
/** All of an upload, and the pauses of the client and of the vendor. */
export const UPLOAD_MS_MAX = 3_600_000;
export const UPLOAD_PAUSE_MS = 60_000;
export const UPLOAD_TIMEOUTS: UpstreamTimeouts = {
  connectMs: 15_000,
  firstByteMs: 2 * UPLOAD_PAUSE_MS,
  idleMs: UPLOAD_PAUSE_MS,
};
/** The body of a call for a batch of OpenAI: a few names. */
export const BATCH_BODY_BYTES_MAX = 256 * 1024;
