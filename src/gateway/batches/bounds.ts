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
/**
 * How slow a client may be: at first, and then what each interval must bring while the gateway waits for it.
 * The same as for bodies of calls.
 */
export const UPLOAD_PACE = { slowAfterMs: 30_000, intervalMs: 10_000, bytesMin: 10 * 1024 };
/** All of an upload, and the pauses of the vendor. */
export const UPLOAD_MS_MAX = 3_600_000;
export const UPLOAD_PAUSE_MS = 60_000;
export const UPLOAD_TIMEOUTS: UpstreamTimeouts = {
  connectMs: 15_000,
  firstByteMs: 2 * UPLOAD_PAUSE_MS,
  idleMs: UPLOAD_PAUSE_MS,
};
/**
 * An upload is noted before its vendor has all of it. Its process renews the note while it waits for the
 * answer; one that is not renewed for so long is looked for at the vendor, and deleted there.
 */
export const UPLOAD_NOTE_MS = 10_000;
export const UPLOAD_RENEW_MS = 2_500;
/** How often lost uploads are looked for, and how many at a time. */
export const LOST_UPLOADS_ROUND_MS = 5_000;
export const LOST_UPLOADS_AT_ONCE = 8;
/** A vendor may show a file late. After this time there is nothing to delete. */
export const LOST_UPLOAD_LOOK_MS = 600_000;
/** A vendor that cannot be asked is asked for so long. */
export const LOST_UPLOAD_MS_MAX = 86_400_000;
/** Clocks differ by less. A file that is older than its upload by more is another one. */
export const CLOCKS_DIFFER_MS = 60_000;
/** A list of a vendor's files: objects of a page, its bytes, and pages. */
export const VENDOR_LIST_SIZE = 1_000;
export const VENDOR_LIST_BYTES_MAX = 4 * 1024 * 1024;
export const VENDOR_LIST_PAGES_MAX = 10;
/** The body of a call for a batch of OpenAI: a few names. */
export const BATCH_BODY_BYTES_MAX = 256 * 1024;
