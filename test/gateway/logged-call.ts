import type { World } from '../support/world.ts';

/** A row of the call log as the store keeps it: counts and money are exact integers. */
export type LoggedCall = Readonly<Record<string, unknown>>;

/** The row of the call that was answered with this request id, once everything is in the store. */
export async function loggedCall(world: World, requestId: string | null): Promise<LoggedCall> {
  await world.settled();
  const rows = await world.database.query<LoggedCall>('select * from calls where call_id = $1', [requestId]);
  const [row] = rows;
  if (row === undefined || rows.length !== 1) throw new Error(`${rows.length} rows of call ${requestId}`);
  return row;
}

/** What the account really paid for the call, from the consumption log; nothing when no vendor was asked. */
export async function paidCredits(world: World, requestId: string | null): Promise<unknown> {
  await world.settled();
  const [row] = await world.database.query<{ credits_micro: unknown }>(
    'select credits_micro from consumptions where call_id = $1',
    [requestId],
  );
  return row?.credits_micro;
}
