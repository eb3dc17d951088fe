import { JOBS_ROUND_MS } from '../jobs/bounds.ts';
import type { AskAboutJob, JobStore } from '../jobs/contract.ts';
import { JobRounds } from '../jobs/rounds.ts';
import { systemClock } from '../kernel/time/clock.ts';
import type { AppContext } from './app-context.ts';

/** Follows running jobs in processes that serve calls, because those know the vendors. */
export function startJobs(
  store: JobStore,
  ask: AskAboutJob,
  { config, log, cleanup, post }: AppContext,
): void {
  // One worker of several is enough, and leaves the connections of the others to calls.
  if (config.role === 'platform' || (post !== undefined && post.number !== 1)) return;
  const rounds = new JobRounds({ store, ask, clock: systemClock, log });
  const looking = setInterval(() => void rounds.run(), JOBS_ROUND_MS);
  cleanup.add(async () => {
    clearInterval(looking);
    await rounds.stop();
  });
}
