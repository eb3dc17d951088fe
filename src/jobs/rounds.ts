import { StoreUnavailable } from '../accounts/contract.ts';
import type { Logger } from '../kernel/log.ts';
import type { Clock } from '../kernel/time/clock.ts';
import {
  JOB_AGE_MS_MAX,
  JOB_MISSING_MS,
  JOB_WAIT_MS,
  JOB_WAIT_MS_MAX,
  JOB_WAIT_SHARE,
  JOBS_ASKED_AT_ONCE,
} from './bounds.ts';
import type { AskAboutJob, Job, JobReport, JobStore, VoidReason } from './contract.ts';

export interface RoundParts {
  readonly store: Pick<JobStore, 'claim' | 'postpone' | 'end'>;
  readonly ask: AskAboutJob;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What becomes of a job after its vendor was asked. */
export type Step =
  | { readonly kind: 'complete' }
  | { readonly kind: 'void'; readonly why: VoidReason }
  | { readonly kind: 'wait'; readonly waitMs: number };

/**
 * A job that is too old ends, whatever the vendor says of it; if it is complete by then, it is charged. A
 * vendor may not know a new job at once.
 */
export function nextStep(report: JobReport, ageMs: number): Step {
  if (report === 'complete') return { kind: 'complete' };
  if (report === 'failed') return { kind: 'void', why: 'failed' };
  if (report === 'missing' && ageMs >= JOB_MISSING_MS) return { kind: 'void', why: 'missing' };
  if (ageMs >= JOB_AGE_MS_MAX) return { kind: 'void', why: 'expired' };
  const waitMs = Math.min(JOB_WAIT_MS_MAX, Math.max(JOB_WAIT_MS, Math.round(ageMs / JOB_WAIT_SHARE)));
  return { kind: 'wait', waitMs };
}

/**
 * Follows running jobs to their end. Any number of nodes may: the store gives a job to one of them at a time,
 * and ends it once.
 */
export class JobRounds {
  readonly #parts: RoundParts;
  readonly #asked = new Set<Promise<void>>();
  /** Each ends the wait for one vendor. */
  readonly #giveUps = new Set<() => void>();
  #claiming: Promise<readonly Job[]> | undefined;
  #isStopped = false;

  constructor(parts: RoundParts) {
    this.#parts = parts;
  }

  /** Takes as many jobs as may be asked about, and returns when all of them were. Never throws. */
  async run(): Promise<void> {
    if (this.#isStopped || this.#claiming !== undefined || this.#asked.size >= JOBS_ASKED_AT_ONCE) return;
    this.#claiming = this.#claim();
    const jobs = await this.#claiming;
    this.#claiming = undefined;
    await Promise.all(jobs.map((job) => this.#follow(job)));
  }

  /** A vendor that has not answered is not waited for: another node may ask it at once. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#claiming;
    for (const giveUp of this.#giveUps) giveUp();
    await Promise.all(this.#asked);
  }

  async #claim(): Promise<readonly Job[]> {
    try {
      return await this.#parts.store.claim(JOBS_ASKED_AT_ONCE - this.#asked.size);
    } catch (error) {
      this.#report(error, 'running jobs could not be read; they are tried again');
      return [];
    }
  }

  #follow(job: Job): Promise<void> {
    const following = this.#examine(job).finally(() => this.#asked.delete(following));
    this.#asked.add(following);
    return following;
  }

  async #examine(job: Job): Promise<void> {
    try {
      const report = await this.#ask(job);
      if (report === undefined) await this.#parts.store.postpone(job.callId, 0);
      else await this.#apply(job, report);
    } catch (error) {
      this.#report(error, 'a job could not be examined; it is tried again', job);
    }
  }

  /** Undefined if the rounds were stopped before the vendor answered. */
  async #ask(job: Job): Promise<JobReport | undefined> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const giveUp = (): void => resolve(undefined);
    this.#giveUps.add(giveUp);
    try {
      return await Promise.race([this.#parts.ask(job), promise]);
    } finally {
      this.#giveUps.delete(giveUp);
    }
  }

  async #apply(job: Job, report: JobReport): Promise<void> {
    const { store, clock, log } = this.#parts;
    const step = nextStep(report, clock.now() - job.createdAtMs);
    if (step.kind === 'wait') return await store.postpone(job.callId, step.waitMs);
    const why = step.kind === 'void' ? step.why : undefined;
    const isEnded = await store.end(job.callId, step.kind, why);
    const { callId, accountId, kind } = job;
    if (isEnded) log.info({ callId, accountId, kind, state: step.kind, why }, 'a job ended');
  }

  #report(error: unknown, message: string, job?: Job): void {
    // A store that is away is tried again in the next round.
    if (error instanceof StoreUnavailable) return;
    this.#parts.log.error({ err: error, callId: job?.callId }, message);
  }
}
