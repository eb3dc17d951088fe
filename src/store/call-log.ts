import type { Usage } from '../kernel/usage.ts';
import type { Verdict } from '../ledger/contract.ts';
import { type Database, idNumber } from './database.ts';

/** One row of the call log, with what was taken for it. */
export interface LoggedCall {
  readonly callId: string;
  readonly modelUsed: string;
  readonly status: number;
  readonly verdict: Verdict;
  readonly usage: Usage;
  /** What the call cost, micro-yuan. */
  readonly amountMicro: bigint;
  /** What was charged for it, micro-Credits; 0 when it was free. */
  readonly creditsMicro: bigint;
}

interface CallRow {
  readonly call_id: string;
  readonly model_used: string;
  readonly status: number;
  readonly verdict: Verdict;
  readonly input_fresh: bigint;
  readonly cache_read: bigint;
  readonly cache_write: bigint;
  readonly output_text: bigint;
  readonly output_reasoning: bigint;
  readonly images: bigint;
  readonly videos: bigint;
  readonly amount_micro: bigint;
  readonly credits_micro: bigint;
}

/** The latest calls of an account, newest first. */
export async function listCalls(
  database: Database,
  accountId: number,
  limit: number,
): Promise<readonly LoggedCall[]> {
  // The newest are picked before their charges are looked up, so the size of the log does not matter.
  const rows = await database.query<CallRow>(
    `select newest.*, coalesce(consumptions.credits_micro, 0) as credits_micro
     from (select id, created_at, call_id, model_used, status, verdict, input_fresh, cache_read, cache_write,
             output_text, output_reasoning, images, videos, amount_micro
           from calls where account_id = $1 order by created_at desc, id desc limit $2) as newest
     left join consumptions using (created_at, call_id) order by created_at desc, newest.id desc`,
    [accountId, limit],
  );
  return rows.map(callFromRow);
}

function callFromRow(row: CallRow): LoggedCall {
  return {
    callId: row.call_id,
    modelUsed: row.model_used,
    status: row.status,
    verdict: row.verdict,
    usage: {
      inputFresh: idNumber(row.input_fresh),
      cacheRead: idNumber(row.cache_read),
      cacheWrite: idNumber(row.cache_write),
      outputText: idNumber(row.output_text),
      outputReasoning: idNumber(row.output_reasoning),
      images: idNumber(row.images),
      videos: idNumber(row.videos),
    },
    amountMicro: row.amount_micro,
    creditsMicro: row.credits_micro,
  };
}
