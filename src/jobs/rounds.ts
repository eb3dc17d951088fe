import { StoreUnavailable } from '../accounts/contract.ts';
import type { Logger } from '../kernel/log.ts';
import type { Clock } from '../kernel/time/clock.ts';
import {
  JOB_AGES_MS_MAX,
  JOB_MISSING_MS,
  JOB_WAIT_MS,
  JOB_WAIT_MS_MAX,
  JOB_WAIT_SHARE,
  JOBS_ASKED_AT_ONCE,
} from './bounds.ts';
import type { AskAboutJob, Job, JobEnding, JobKind, JobReport, JobStore } from './contract.ts';

export interface RoundParts {
  readonly store: Pick<JobStore, 'claim' | 'postpone' | 'end'>;
  readonly ask: AskAboutJob;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What becomes of a job after its vendor was asked. */
export type Step = JobEnding | { readonly state: 'running'; readonly waitMs: number };

/**
 * A job that is too old ends, whatever the vendor says of it; if it is complete by then, it is charged. A
 * vendor may not know a new job at once.
 */
export function nextStep(report: JobReport, ageMs: number, kind: JobKind): Step {
  if (report === 'complete') return { state: 'complete' };
  if (typeof report === 'object') return { state: 'complete', result: report };
  if (report === 'failed') return { state: 'void', why: 'failed' };
  if (report === 'missing' && ageMs >= JOB_MISSING_MS) return { state: 'void', why: 'missing' };
  if (ageMs >= JOB_AGES_MS_MAX[kind]) return { state: 'void', why: 'expired' };
  const waitMs = Math.min(JOB_WAIT_MS_MAX, Math.max(JOB_WAIT_MS, Math.round(ageMs / JOB_WAIT_SHARE)));
  return { state: 'running', waitMs };
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
    const { callId, accountId, kind } = job;
    const step = nextStep(report, clock.now() - job.createdAtMs, kind);
    if (step.state === 'running') return await store.postpone(callId, step.waitMs);
    const isEnded = await store.end(callId, step);
    const why = step.state === 'void' ? step.why : undefined;
    if (isEnded) log.info({ callId, accountId, kind, state: step.state, why }, 'a job ended');
  }

  #report(error: unknown, message: string, job?: Job): void {
    // A store that is away is tried again in the next round.
    if (error instanceof StoreUnavailable) return;
    this.#parts.log.error({ err: error, callId: job?.callId }, message);
  }
}
