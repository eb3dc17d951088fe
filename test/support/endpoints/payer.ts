import { systemRandom } from '../../../src/kernel/random.ts';
import { createKey } from '../../../src/store/accounts/api-keys.ts';
import { announceAndWait } from '../../../src/store/changes.ts';
import type { Database } from '../../../src/store/database.ts';
import { accountWith } from '../calls.ts';
import type { World } from '../world.ts';
import { PROBE_MODEL, PROBED_CREDITS } from './catalog.ts';

const MICRO = 1_000_000n;
export const PROBED_MICRO = BigInt(PROBED_CREDITS) * MICRO;

/** An account of a test's own, whose free money a probe can tell. */
export interface Payer {
  readonly accountId: number;
  readonly key: string;
}

export async function openPayer(database: Database, creditsMicro = PROBED_MICRO): Promise<Payer> {
  const accountId = await accountWith(database, { creditsMicro });
  const terms = { policyId: undefined, expiresAtMs: undefined, status: 'enabled' } as const;
  const created = await createKey(database, { accountId, name: 'test', ...terms }, systemRandom);
  if (created.kind !== 'created') throw new Error(created.kind);
  return { accountId, key: created.text };
}

/** What an account has, and what of it nobody holds, in millionths of a Credit. */
export interface Standing {
  readonly creditsMicro: bigint;
  /** Nothing when the probe was refused. */
  readonly freeMicro: bigint | undefined;
}

const PROBES_AT_ONCE = 8;

/**
 * A call that may cost more than the account has holds all that is free, and the log says how much that was.
 * Its vendor fails, so that it costs nothing. Each account has about PROBED_CREDITS.
 */
export async function standingsOf(world: World, payers: readonly Payer[]): Promise<readonly Standing[]> {
  for (let from = 0; from < payers.length; from += PROBES_AT_ONCE) {
    await Promise.all(payers.slice(from, from + PROBES_AT_ONCE).map(({ key }) => probe(world, key)));
  }
  await world.settled();
  const rows = await world.database.query<{ id: number; credits_micro: bigint; held_micro: bigint | null }>(
    `select a.id::int, a.credits_micro, (select held_micro from calls c
       where c.account_id = a.id and c.model_asked = $2 and c.verdict <> 'refused'
       order by c.created_at desc, c.id desc limit 1) as held_micro
     from accounts a where a.id = any($1)`,
    [payers.map(({ accountId }) => accountId), PROBE_MODEL],
  );
  return payers.map(({ accountId }) => {
    const row = rows.find(({ id }) => id === accountId);
    return { creditsMicro: row?.credits_micro ?? 0n, freeMicro: row?.held_micro ?? undefined };
  });
}

async function probe(world: World, key: string): Promise<void> {
  const messages = [{ role: 'user', content: 'free? [[sim fault=status@500]]' }];
  const body = { model: PROBE_MODEL, messages };
  await (await world.post('/v1/chat/completions', body, world.headers(key))).arrayBuffer();
}

/** Keys that were made since are known to the server. */
export async function openPayers(database: Database, count: number): Promise<readonly Payer[]> {
  const payers: Payer[] = [];
  for (let made = 0; made < count; made++) payers.push(await openPayer(database));
  await announceAndWait(database);
  return payers;
}
