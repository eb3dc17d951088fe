import type { CredentialUse } from '../../accounts/views.ts';
import type { Database } from '../database.ts';
import { daysAndGaps, hoursOfGaps } from '../logs/daily-rollup-read.ts';

const SUMS =
  'credential, calls, failed, input_fresh, cache_read, cache_write, output_text, output_reasoning, images';
const OWN = "payer = 'byok'";

const SUM_USE = `
  with ${daysAndGaps({ from: "date_trunc('hour', $2::timestamptz, 'UTC')", to: '$3::timestamptz' })}
  select credential as name, sum(calls)::bigint as calls, sum(failed)::bigint as failed,
    sum(input_fresh + cache_read + cache_write)::bigint as "inputTokens",
    sum(output_text + output_reasoning)::bigint as "outputTokens", sum(images)::bigint as images
  from (select ${SUMS} from day_rows where ${OWN} union all select ${SUMS} from ${hoursOfGaps(OWN)}) as rows
  group by credential order by sum(calls) desc, credential`;

/** From the account's roll-ups, by whole hours, including those in which the period begins and ends. */
export async function sumCredentialUse(
  database: Database,
  accountId: number,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<readonly CredentialUse[]> {
  const values = [accountId, new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
  return database.query<CredentialUse>(SUM_USE, values);
}
