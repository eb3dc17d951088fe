import type { Protocol } from '../kernel/protocol-name.ts';
import type { Usage } from '../kernel/usage.ts';

/**
 * A job is work of a vendor that outlives the call which created it: a video, or a batch in the form of
 * OpenAI or Anthropic. Its price is taken from the wallet as a hold when the call is settled. When the job
 * ends, the hold is returned, and the call is charged (it is complete) or costs nothing (it is void).
 */
export const JOB_KINDS = ['video', 'batch', 'message-batch'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** What a call that created a job says of it. It is part of the call's record. */
export interface CreatedJob {
  readonly kind: JobKind;
  /** The vendor's id of the job, which the client uses too. */
  readonly objectId: string;
}

export type JobState = 'running' | 'complete' | 'void';

/** The vendor says that it failed, does not know it, or has not completed it in time. */
export type VoidReason = 'failed' | 'missing' | 'expired';

/** What a complete batch used: the sum of its items. The price of a video is known before. */
export interface JobResult {
  readonly usage: Usage;
  /** The vendor did not report the usage of some item. */
  readonly estimated: boolean;
}

/** How a job ends. Without a result the call costs what was held for it. */
export type JobEnding =
  | { readonly state: 'complete'; readonly result?: JobResult | undefined }
  | { readonly state: 'void'; readonly why?: VoidReason | undefined };

export interface Job extends CreatedJob {
  /** The call that created the job. */
  readonly callId: string;
  readonly accountId: number;
  readonly createdAtMs: number;
  /** The route of the call, and the name of its credential: only this credential knows the job. */
  readonly routeId: number;
  readonly credential: string;
  /** The credential belongs to the account. */
  readonly own: boolean;
  /** The platform's name of the model. */
  readonly model: string;
  readonly state: JobState;
}

export interface JobPage {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** The object id that the page follows. */
  readonly after?: string | undefined;
  /** The oldest of the page stands last, whatever the order in which it was found. */
  readonly isReversed?: true | undefined;
}

/** The port to the store. Throws `StoreUnavailable` while it is unreachable. */
export interface JobStore {
  /** A job of this account and this kind that was not deleted. */
  find(accountId: number, job: CreatedJob): Promise<Job | undefined>;
  list(accountId: number, kind: JobKind, page: JobPage): Promise<readonly Job[]>;
  /** How many jobs of the account run, deleted ones included. It counts up to `max`. */
  countRunning(accountId: number, max: number): Promise<number>;
  /** The client deleted it. A running job is still followed until it ends. */
  hide(accountId: number, job: CreatedJob): Promise<void>;
  /** The job is examined as soon as possible: a client has seen that it ended. */
  hasten(callId: string): Promise<void>;
  /** Running jobs whose time has come, at most `limit`. No other node gets them for a while. */
  claim(limit: number): Promise<readonly Job[]>;
  /** Still running: it is examined again later. */
  postpone(callId: string, waitMs: number): Promise<void>;
  /**
   * Returns the hold and settles the call, in one transaction. False if the job has already ended. The call
   * log says why it is void.
   */
  end(callId: string, ending: JobEnding): Promise<boolean>;
}

/** A file that an account has at a vendor. Its bytes are not here. */
export interface StoredFile
  extends Pick<Job, 'accountId' | 'createdAtMs' | 'routeId' | 'credential' | 'own'> {
  /** The vendor's id of the file, which the client uses too. */
  readonly objectId: string;
  /** The platform's name of the model that its lines name. */
  readonly model: string;
  /** The protocol of its lines. */
  readonly protocol: Protocol;
  /** How many requests it has, and the most that they may use; 0 in a file of results. */
  readonly items: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The vendor's id of the batch whose results it has; `undefined` for a file of the client. */
  readonly batchId: string | undefined;
}

/** The port to the store. Throws `StoreUnavailable` while it is unreachable. */
export interface FileStore {
  /** One that is known stays as it is. */
  add(file: StoredFile): Promise<void>;
  find(accountId: number, objectId: string): Promise<StoredFile | undefined>;
  list(accountId: number, page: JobPage): Promise<readonly StoredFile[]>;
  remove(accountId: number, objectId: string): Promise<void>;
  /** How many the account has uploaded and not deleted. */
  countUploaded(accountId: number): Promise<number>;
}

/** A file that goes to a vendor, which may have it before we know its id. */
export interface NotedUpload extends Pick<Job, 'accountId' | 'credential' | 'own'> {
  /** The id of the request. */
  readonly id: string;
  readonly notedAtMs: number;
  /** SHA-256 of its name, and its length, as the vendor has them. */
  readonly nameHash: string;
  readonly bytes: number;
}

/**
 * The port to the store. Throws `StoreUnavailable` while it is unreachable. An upload that is noted becomes a
 * file, is forgotten, or is lost; a lost one is never kept.
 */
export interface UploadStore {
  /** Before the vendor has all of it. After `waitMs` it is lost. */
  note(upload: NotedUpload, waitMs: number): Promise<void>;
  /** It is still awaited. */
  renew(id: string, waitMs: number): Promise<void>;
  /** The vendor has it. False: it is lost by now. */
  keep(id: string, file: StoredFile): Promise<boolean>;
  /** The vendor has nothing of it. */
  forget(id: string): Promise<void>;
  /** Lost uploads, at most `limit`. No other node gets them for a while. */
  takeLost(limit: number, waitMs: number): Promise<readonly NotedUpload[]>;
  /** The vendor does not show it yet, or could not be asked. */
  lookAgain(id: string, waitMs: number): Promise<void>;
  /** Of these files at the vendor, which look like this upload, those that no account has or will have. */
  findOrphans(objectIds: readonly string[], upload: NotedUpload): Promise<readonly string[]>;
}

/**
 * What a vendor says of a job. A result: it is complete, and used this. `unknown`: it could not be asked, or
 * its answer is not understood.
 */
export type JobReport = 'running' | 'complete' | 'failed' | 'missing' | 'unknown' | JobResult;

/** Asks the vendor about a job, within bounds of time and size. It never throws. */
export type AskAboutJob = (job: Job) => Promise<JobReport>;
