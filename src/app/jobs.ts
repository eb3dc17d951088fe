import type { GatewayDeps } from '../gateway/attempt/attempt-context.ts';
import { createAskAboutJob } from '../gateway/jobs/ask-about-job.ts';
import { JOBS_ROUND_MS } from '../jobs/bounds.ts';
import { JobRounds } from '../jobs/rounds.ts';
import { systemClock } from '../kernel/time/clock.ts';
import { findAccount } from '../store/accounts/accounts.ts';
import type { AppContext } from './app-context.ts';
import type { Data } from './store.ts';

/** Follows running jobs in processes that serve calls, because those know the vendors. */
export function startJobs(
  { jobs: store, client }: Pick<GatewayDeps, 'jobs' | 'client'>,
  { database, sealer, directory }: Data,
  { config, log, cleanup, post }: AppContext,
): void {
  // One worker of several is enough, and leaves the connections of the others to calls.
  if (config.role === 'platform' || (post !== undefined && post.number !== 1)) return;
  const ask = createAskAboutJob({
    client,
    jobs: store,
    catalog: () => directory.catalog(),
    findOwn: async (accountId) => (await findAccount(database, accountId, { sealer, log }))?.byok ?? [],
  });
  const rounds = new JobRounds({ store, ask, clock: systemClock, log });
  const looking = setInterval(() => void rounds.run(), JOBS_ROUND_MS);
  cleanup.add(async () => {
    clearInterval(looking);
    await rounds.stop();
  });
}
