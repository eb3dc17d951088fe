import { systemRandom } from '../../src/kernel/random.ts';
import { createKey } from '../../src/store/accounts/api-keys.ts';
import { accountWith } from '../support/calls.ts';
import { startWorld, type World } from '../support/world.ts';
import { CELLS } from './cells.ts';
import { DIALECTS, VENDORS } from './dialects.ts';

/** The world puts the simulator's address here. */
const SIM = '$'.concat('{SIM}');

/** Micro-yuan for a token: each differs, so that no figure can hide behind another. */
export const PRICES = { input: 100n, output: 300n, cacheInput: 11n, cacheOutput: 290n, cacheWrite: 125n };
/** Percent of the list price. */
export const RATE = 90n;
export const CREDITS_PER_MICRO_YUAN = 1_000n;
export const MICRO = 1_000_000n;

/** The longest answer of any model here. */
export const OUTPUT_MAX = 1_000;
/** More than all seeds of a cell cost, and less than the probe asks for. */
const OPENING_MICRO = 100_000n * MICRO;
/** A call on this model may cost more than any account has: it holds all that is free. */
export const PROBE_MODEL = 'probe';
/** A stalled vendor is given up after this; a busy machine must not take a moving one for stalled. */
const IDLE_MS = 6_000;

const CATALOG = {
  defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false },
  vendors: DIALECTS.map((code) => ({
    code,
    name: code,
    protocols: [code],
    base_url: SIM + VENDORS[code].root,
    rate: Number(RATE),
  })),
  credentials: DIALECTS.map((code) => ({ name: code, vendor: code, secret: VENDORS[code].secret })),
  models: [
    ...CELLS.map(({ model, vendor }) => ({
      model_id: model,
      prices: {
        input: String(PRICES.input),
        output: String(PRICES.output),
        cache_input: String(PRICES.cacheInput),
        cache_output: String(PRICES.cacheOutput),
        cache_write: String(PRICES.cacheWrite),
      },
      max_output_tokens: OUTPUT_MAX,
      routes: [{ vendor, credential: vendor, forward_model_id: VENDORS[vendor].forward }],
    })),
    {
      model_id: PROBE_MODEL,
      // 1,000 tokens cost more than anybody has, and 256 less: a call holds all that is free.
      prices: { input: '1', output: '200000' },
      max_output_tokens: OUTPUT_MAX,
      routes: [{ vendor: 'chat', credential: 'chat', forward_model_id: VENDORS.chat.forward }],
    },
  ],
  // A slot that is not given back shows in the next call.
  policies: [{ id: 1, name: 'one-at-a-time', concurrency: 1, windows: [] }],
  accounts: [{ email: 'user@example.com', password: 'user-password', user_type: 1, credits: '1' }],
};

/** Whose money a cell moves: an account of its own, so that what went is the cell's doing. */
export interface Payer {
  readonly accountId: number;
  readonly key: string;
}

export interface TruthWorld {
  readonly world: World;
  /** By the cell's index. */
  readonly payers: readonly Payer[];
}

export async function startTruthWorld(): Promise<TruthWorld> {
  const world = await startWorld({
    catalog: JSON.stringify(CATALOG),
    environment: { TOLLGATE_IDLE_TIMEOUT_MS: String(IDLE_MS) },
  });
  const payers = await inTurns(
    CELLS,
    async () => {
      const accountId = await accountWith(world.database, { creditsMicro: OPENING_MICRO });
      const terms = { policyId: undefined, expiresAtMs: undefined, status: 'enabled' } as const;
      const created = await createKey(world.database, { accountId, name: 'truth', ...terms }, systemRandom);
      if (created.kind !== 'created') throw new Error(created.kind);
      return { accountId, key: created.text };
    },
    CREATED_AT_ONCE,
  );
  return { world, payers };
}

const PARALLEL = 32;
/** Fewer than the database has connections: none waits for one so long that it is given up. */
const CREATED_AT_ONCE = 4;

/** Works through a list, some at a time; the answers are in the order of the list. */
export async function inTurns<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  parallel: number = PARALLEL,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      results[index] = await work(items[index] as T);
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return results;
}
