import { JOBS_PER_ACCOUNT_MAX } from '../../bounds.ts';
import { type Refusal, refuse } from '../../kernel/errors.ts';
import type { GatewayDeps } from '../attempt/attempt-context.ts';
import type { Call } from '../call.ts';

/** Videos take minutes, batches hours. */
const RETRY_AFTER_MS = 60_000;

/** Each running job is asked about again and again, and a vendor keeps it for the whole platform. */
export async function refuseMoreJobs(
  { caller }: Call,
  { jobs }: Pick<GatewayDeps, 'jobs'>,
): Promise<Refusal | undefined> {
  const running = await jobs.countRunning(caller.account.id, JOBS_PER_ACCOUNT_MAX);
  if (running < JOBS_PER_ACCOUNT_MAX) return undefined;
  const bound = `limit=${JOBS_PER_ACCOUNT_MAX}; used=${running}`;
  return refuse('concurrencyExceeded', {
    message:
      `${JOBS_PER_ACCOUNT_MAX} videos and batches of this account are running, which is the most: ` +
      'wait until some have ended, or cancel batches',
    retryAfterMs: RETRY_AFTER_MS,
    limit: `jobs; ${bound}; window=0; reset=${RETRY_AFTER_MS / 1_000}; scope=account`,
  });
}
