import type { Database } from './database.ts';

/** What one hosted credential was used for. The name is that of the time of the calls. */
export interface CredentialUse {
  readonly name: string;
  readonly calls: bigint;
  readonly failed: bigint;
  readonly inputTokens: bigint;
  readonly outputTokens: bigint;
  readonly images: bigint;
}

/** From the account's own roll-ups, by whole hours: those in which the period begins and ends count. */
export async function sumCredentialUse(
  database: Database,
  accountId: number,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<readonly CredentialUse[]> {
  return database.query<CredentialUse>(
    `select credential as name, sum(calls)::bigint as calls, sum(failed)::bigint as failed,
       sum(input_fresh + cache_read + cache_write)::bigint as "inputTokens",
       sum(output_text + output_reasoning)::bigint as "outputTokens", sum(images)::bigint as images
     from usage_hourly
     where account_id = $1 and hour >= date_trunc('hour', $2::timestamptz, 'UTC') and hour < $3 and payer = 'byok'
     group by credential order by sum(calls) desc, credential`,
    [accountId, new Date(fromMs).toISOString(), new Date(toMs).toISOString()],
  );
}
