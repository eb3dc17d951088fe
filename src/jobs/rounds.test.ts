import { describe, expect, test } from 'vitest';
import { StoreUnavailable } from '../accounts/contract.ts';
import { type Logger, silentLogger } from '../kernel/log.ts';
import { ManualClock } from '../kernel/time/clock.ts';
import { NO_USAGE } from '../kernel/usage.ts';
import { JOB_AGES_MS_MAX, JOB_MISSING_MS, JOBS_ASKED_AT_ONCE } from './bounds.ts';
import type { AskAboutJob, Job, JobReport } from './contract.ts';
import { JobRounds, nextStep, type RoundParts } from './rounds.ts';

const START_MS = Date.UTC(2026, 10, 15);
const JOB_AGE_MS_MAX = JOB_AGES_MS_MAX.video;

function jobOf(number: number): Job {
  return {
    ...{ kind: 'video', objectId: `video_${number}`, callId: `req_${number}`, accountId: 1 },
    ...{
      createdAtMs: START_MS,
      routeId: 1,
      credential: 'main',
      own: false,
      model: 'sora-2',
      state: 'running',
    },
  };
}

/** A store in memory whose jobs are due at their times, by the clock of the test. */
class Stage {
  readonly clock = new ManualClock(START_MS);
  readonly due = new Map<string, number>();
  readonly said: string[] = [];
  readonly logged: string[] = [];
  away = false;
  readonly #jobs: readonly Job[];

  constructor(count: number) {
    this.#jobs = Array.from({ length: count }, (_, number) => jobOf(number));
    for (const { callId } of this.#jobs) this.due.set(callId, START_MS);
  }

  readonly log: Logger = {
    ...silentLogger,
    error: (_fields, message) => void this.logged.push(message),
  };

  readonly store: RoundParts['store'] = {
    claim: async (limit) => {
      if (this.away) throw new StoreUnavailable('away');
      const now = this.clock.now();
      const claimed = this.#jobs
        .filter(({ callId }) => (this.due.get(callId) ?? Number.POSITIVE_INFINITY) <= now)
        .slice(0, limit);
      for (const { callId } of claimed) this.due.set(callId, now + 120_000);
      return claimed;
    },
    postpone: async (callId, waitMs) => {
      this.said.push(`${callId} in ${waitMs}`);
      this.due.set(callId, this.clock.now() + waitMs);
    },
    end: async (callId, ending) => {
      const { state } = ending;
      const why = ending.state === 'void' ? ending.why : undefined;
      const isRunning = this.due.delete(callId);
      this.said.push(`${callId} ${state}${why === undefined ? '' : ` ${why}`}`);
      return isRunning;
    },
  };

  rounds(ask: AskAboutJob): JobRounds {
    return new JobRounds({ store: this.store, ask, clock: this.clock, log: this.log });
  }
}

describe('what becomes of a job', () => {
  const wait = (waitMs: number) => ({ state: 'running', waitMs }) as const;
  test.each<[JobReport, number, ReturnType<typeof nextStep>]>([
    ['complete', 0, { state: 'complete' }],
    ['complete', 2 * JOB_AGE_MS_MAX, { state: 'complete' }],
    ['failed', 0, { state: 'void', why: 'failed' }],
    ['failed', 2 * JOB_AGE_MS_MAX, { state: 'void', why: 'failed' }],
    ['missing', JOB_MISSING_MS - 1, wait(6_000)],
    ['missing', JOB_MISSING_MS, { state: 'void', why: 'missing' }],
    ['running', 0, wait(2_000)],
    ['running', -5_000, wait(2_000)],
    ['running', 90_000, wait(9_000)],
    ['running', 3_600_000, wait(60_000)],
    ['unknown', JOB_AGE_MS_MAX - 1, wait(60_000)],
    ['running', JOB_AGE_MS_MAX, { state: 'void', why: 'expired' }],
    ['unknown', JOB_AGE_MS_MAX, { state: 'void', why: 'expired' }],
  ])('that its vendor calls %s at an age of %d ms', (report, ageMs, step) => {
    expect(nextStep(report, ageMs, 'video')).toEqual(step);
  });
});

test('a batch has longer, and ends with what it used', () => {
  const result = { usage: { ...NO_USAGE, inputFresh: 7 }, estimated: false };
  expect(nextStep(result, 0, 'batch')).toEqual({ state: 'complete', result });
  expect(nextStep('running', JOB_AGE_MS_MAX, 'message-batch')).toMatchObject({ state: 'running' });
  expect(nextStep('running', JOB_AGES_MS_MAX.batch, 'batch')).toEqual({ state: 'void', why: 'expired' });
});

describe('rounds', () => {
  test('follow a job to its end, with growing waits', async () => {
    const stage = new Stage(1);
    const reports: JobReport[] = ['running', 'unknown', 'running', 'complete'];
    const rounds = stage.rounds(async () => reports.shift() ?? 'unknown');
    for (const advanceMs of [0, 1_999, 1, 58_000, 100_000]) {
      stage.clock.advance(advanceMs);
      await rounds.run();
    }
    expect(stage.said).toEqual(['req_0 in 2000', 'req_0 in 2000', 'req_0 in 6000', 'req_0 complete']);
    await rounds.run();
    expect(stage.said).toHaveLength(4);
    expect(stage.logged).toEqual([]);
  });

  test('end what is too old after the vendor was asked once more', async () => {
    const stage = new Stage(2);
    stage.clock.advance(JOB_AGE_MS_MAX);
    await stage.rounds(async ({ callId }) => (callId === 'req_0' ? 'unknown' : 'complete')).run();
    expect(stage.said.toSorted()).toEqual(['req_0 void expired', 'req_1 complete']);
  });

  test('ask about a bounded number at once, and a vendor that does not answer holds up only itself', async () => {
    const stage = new Stage(JOBS_ASKED_AT_ONCE + 10);
    let asked = 0;
    const rounds = stage.rounds(async ({ callId }) => {
      asked += 1;
      if (callId === 'req_0') await new Promise(() => undefined);
      return 'complete';
    });
    void rounds.run();
    const again = rounds.run();
    await until(() => stage.said.length === JOBS_ASKED_AT_ONCE - 1);
    await again;
    expect(asked).toBe(JOBS_ASKED_AT_ONCE);
    await rounds.run();
    expect(stage.said).toHaveLength(JOBS_ASKED_AT_ONCE + 9);
    // A stop does not wait for it, and another node may ask.
    await rounds.stop();
    await rounds.run();
    expect(stage.said.filter((text) => text.startsWith('req_0 '))).toEqual(['req_0 in 0']);
  });

  test('go on when the store is away, and report what else goes wrong', async () => {
    const stage = new Stage(3);
    stage.away = true;
    const rounds = stage.rounds(async ({ callId }) => {
      if (callId === 'req_1') throw new Error('a fault of ours');
      if (callId === 'req_2') throw new StoreUnavailable('away');
      return 'running';
    });
    await rounds.run();
    expect([stage.said, stage.logged]).toEqual([[], []]);
    stage.away = false;
    await rounds.run();
    expect(stage.said).toEqual(['req_0 in 2000']);
    expect(stage.logged).toEqual(['a job could not be examined; it is tried again']);
  });
});

async function until(holds: () => boolean): Promise<void> {
  for (let turns = 0; turns < 1_000 && !holds(); turns++)
    await new Promise((resolve) => setImmediate(resolve));
  expect(holds()).toBe(true);
}
