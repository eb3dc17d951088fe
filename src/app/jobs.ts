import type { GatewayDeps } from '../gateway/attempt/attempt-context.ts';
import { LOST_UPLOADS_ROUND_MS } from '../gateway/batches/bounds.ts';
import { LostUploads } from '../gateway/batches/lost-uploads.ts';
import { createAskAboutJob } from '../gateway/jobs/ask-about-job.ts';
import { JOBS_ROUND_MS } from '../jobs/bounds.ts';
import { JobRounds } from '../jobs/rounds.ts';
import { systemClock } from '../kernel/time/clock.ts';
import { findAccount } from '../store/accounts/accounts.ts';
import { RunningJobs } from '../store/jobs/running-jobs.ts';
import type { AppContext } from './app-context.ts';
import type { Data } from './store.ts';

/** How often running jobs are counted for the metrics. */
const JOBS_COUNTED_MS = 10_000;

/** Follows running jobs in processes that serve calls, because those know the vendors. */
export function startJobs(
  { jobs: store, uploads, client }: Pick<GatewayDeps, 'jobs' | 'uploads' | 'client'>,
  { database, sealer, directory }: Data,
  { config, log, cleanup, post }: AppContext,
): RunningJobs {
  const running = new RunningJobs(database);
  // One worker of several is enough, and leaves the connections of the others to calls.
  if (config.role === 'platform' || (post !== undefined && post.number !== 1)) return running;
  const known = {
    catalog: () => directory.catalog(),
    findOwn: async (accountId: number) =>
      (await findAccount(database, accountId, { sealer, log }))?.byok ?? [],
  };
  const ask = createAskAboutJob({ client, jobs: store, ...known });
  const lost = new LostUploads({ uploads, client, clock: systemClock, log, ...known });
  const rounds = new JobRounds({ store, ask, clock: systemClock, log });
  const looking = setInterval(() => void rounds.run(), JOBS_ROUND_MS);
  void running.count();
  const counting = setInterval(() => void running.count(), JOBS_COUNTED_MS);
  void lost.run();
  const lookingForLost = setInterval(() => void lost.run(), LOST_UPLOADS_ROUND_MS);
  cleanup.add(async () => {
    clearInterval(looking);
    clearInterval(lookingForLost);
    await lost.stop();
    clearInterval(counting);
    await rounds.stop();
  });
  return running;
}
