import { FEEDBACK_SENDERS_SWEPT } from '../../operations/bounds.ts';
import type { Database } from '../database.ts';

export interface Feedback {
  /** Undefined: sent without a login. */
  readonly accountId: number | undefined;
  readonly content: string;
  readonly contact: string | undefined;
  /** The sender that the wait counts for. */
  readonly sender: string;
}

export type FeedbackResult =
  | { readonly kind: 'kept' }
  /** The sender sent something less than the wait ago. */
  | { readonly kind: 'too-early'; readonly waitMs: number };

/**
 * One statement, so that of several at once, on any number of nodes, one is stored: the first locks the
 * sender's row, and the others see its new time. Then old senders are deleted by the way. They are looked for
 * when the sender's row is stored: who waits for that row must not hold those of others.
 */
const KEEP = `
  with sender as (
    insert into feedback_senders as known (address, sent_at) values ($1, clock_timestamp())
    on conflict (address) do update set sent_at = excluded.sent_at
      where known.sent_at <= excluded.sent_at - $5 * interval '1 millisecond'
    returning address),
  forgotten as (
    delete from feedback_senders where address in (
      select address from feedback_senders
      where exists (select from sender) and sent_at < now() - interval '1 hour' and address <> $1
      limit ${FEEDBACK_SENDERS_SWEPT} for update skip locked))
  insert into feedback (account_id, content, contact) select $2, $3, $4 from sender returning id`;

const WAIT = `
  select greatest(1, extract(epoch from sent_at - clock_timestamp()) * 1000 + $2)::bigint as wait_ms
  from feedback_senders where address = $1`;

export async function keepFeedback(
  database: Database,
  feedback: Feedback,
  waitMs: number,
): Promise<FeedbackResult> {
  const { accountId, content, contact, sender } = feedback;
  const kept = await database.query(KEEP, [sender, accountId ?? null, content, contact ?? null, waitMs]);
  if (kept.length > 0) return { kind: 'kept' };
  const [row] = await database.query<{ wait_ms: bigint }>(WAIT, [sender, waitMs]);
  return { kind: 'too-early', waitMs: Number(row?.wait_ms ?? 1n) };
}
