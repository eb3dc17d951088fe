import type { Redis } from 'ioredis';
import type { Database } from '../../../src/store/database.ts';
import { readSharedAccount } from '../shared-gate.ts';
import { type Customer, WINDOW_SECONDS } from './payers.ts';

/** What the call log says of one account: the windows must have counted the same. */
interface Logged {
  readonly requests: bigint;
  readonly tokens: bigint;
  readonly amount_micro: bigint;
  readonly covered_micro: bigint;
  /** Cut before anything was known of them: their tokens count as estimated, and the log says none. */
  readonly unmarked: bigint;
}

const LOGGED = `
  select count(*) filter (where price is not null) as requests,
    coalesce(sum(input_fresh + cache_read + cache_write + output_text + output_reasoning), 0)::bigint as tokens,
    coalesce(sum(amount_micro), 0)::bigint as amount_micro,
    coalesce(sum(amount_micro) filter (where payer = 'subscription'), 0)::bigint as covered_micro,
    count(*) filter (where verdict = 'cut-by-gateway' and output_text + output_reasoning = 0) as unmarked
  from calls where account_id = $1`;

/** The prompts of the load are estimated at less than this. */
const ESTIMATE_TOKENS_MAX = 200n;
const NONE: Logged = { requests: 0n, tokens: 0n, amount_micro: 0n, covered_micro: 0n, unmarked: 0n };

async function loggedOf(database: Database, accountId: number): Promise<Logged> {
  return (await database.query<Logged>(LOGGED, [accountId]))[0] ?? NONE;
}

/** The windows that a gate of memory begins with after the next death. */
export async function wrongWindows(
  database: Database,
  customers: readonly Customer[],
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const { accountId, payer } of customers) {
    const logged = await loggedOf(database, accountId);
    const rows = await database.query<{ name: string; used: bigint }>(
      `select case when scope like 'subscription:%' then 'coverage' else dimension end as name, used
       from gate_windows where seconds = $1 and (scope = 'account:' || $2::bigint
         or scope in (select 'subscription:' || id from subscriptions where account_id = $2::bigint))`,
      [WINDOW_SECONDS, accountId],
    );
    const used = new Map(rows.map((row) => [row.name, row.used]));
    const check = (name: string, least: bigint, most = least): void => {
      const count = used.get(name) ?? 0n;
      if (count < least || count > most)
        wrong.push(`${payer} ${accountId}: ${count} ${name}, logged ${least}`);
    };
    check('requests', logged.requests);
    check('tokens', logged.tokens, logged.tokens + logged.unmarked * ESTIMATE_TOKENS_MAX);
    check('amount', logged.amount_micro);
    check('coverage', logged.covered_micro);
  }
  return wrong;
}

/** What Redis may know and the log does not. */
export interface Allowed {
  /** Calls that a process let in and then died with, before it asked a vendor. */
  readonly unheardMax: number;
}

/**
 * The same on Redis, where a call that died between the gate and the journal is counted, and held for until
 * its lease ends: no vendor was asked, so no journal and no log knows it. Whoever else holds something is
 * one too many. Slots of the dead count for their lifetime: only where nobody died, none is left. Answers
 * what is held by account.
 */
export async function wrongShared(
  { database, redis }: { readonly database: Database; readonly redis: Redis },
  customers: readonly Customer[],
  { unheardMax }: Allowed,
): Promise<{ readonly wrong: readonly string[]; readonly ghostMicro: ReadonlyMap<number, bigint> }> {
  const wrong: string[] = [];
  const ghostMicro = new Map<number, bigint>();
  for (const { accountId, payer } of customers) {
    const state = await readSharedAccount(redis, accountId);
    const logged = await loggedOf(database, accountId);
    const complain = (text: string): void => void wrong.push(`${payer} ${accountId}: ${text}`);
    const running = state.running.map(({ callId }) => callId);
    for (const { call_id } of await database.query<{ call_id: string }>(KNOWN, [running]))
      complain(`something is held for ${call_id}`);
    if (unheardMax === 0) for (const callId of state.slots) complain(`${callId} has a slot`);
    const heldMicro = state.running.reduce((sum, call) => sum + call.heldMicro, 0n);
    ghostMicro.set(accountId, heldMicro);
    const check = (name: string, said: bigint, least: bigint, most = least): void => {
      if (said < least || said > most) complain(`${said} ${name}, expected ${least}`);
    };
    check('pending', state.pendingMicro, 0n);
    if (payer === 'credits') check('held', state.heldMicro, heldMicro);
    const windowOf = (dimension: string) =>
      state.windows.get(`account:${accountId} ${dimension} ${WINDOW_SECONDS}`) ?? NO_WINDOW;
    check('requests', windowOf('r').used, logged.requests, logged.requests + BigInt(unheardMax));
    check('amount', windowOf('a').used, logged.amount_micro);
    if (payer !== 'byok') check('held of the amount', windowOf('a').heldMicro, heldMicro);
  }
  return { wrong, ghostMicro };
}

const KNOWN = 'select call_id from calls where call_id = any($1)';
const NO_WINDOW = { used: 0n, heldMicro: 0n };
