import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { expect } from 'vitest';
import type { ItemCounts } from '../../../sim/batches/batches.ts';
import { startWorld, type World, type WorldOptions } from '../../support/world.ts';
import type { LoggedCall } from '../logged-call.ts';

/** The world puts the simulator's address here. */
const SIM = '$'.concat('{SIM}');
const PASSWORD = 'a test password';
/** Yuan for a million tokens, and the percentage of them that batches cost. */
const INPUT_PRICE = 1_000n;
const OUTPUT_PRICE = 4_000n;
const CREDITS_PER_YUAN = 1_000n;

const account = (name: string, credits: string) => ({
  ...{ email: `${name}@example.com`, password: PASSWORD, user_type: 1, credits },
});
const prices = { input: String(INPUT_PRICE), output: String(OUTPUT_PRICE), cache_output: '99' };
const openai = { vendor: 'openai', credential: 'openai' };
const anthropic = { vendor: 'anthropic', credential: 'anthropic', forward_model_id: 'claude-sonnet-4-5' };

const CATALOG = JSON.stringify({
  defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false },
  vendors: [
    {
      ...{ code: 'openai', name: 'OpenAI', base_url: `${SIM}/v1`, byok: true },
      protocols: ['chat', 'responses', 'embeddings'],
    },
    { code: 'anthropic', name: 'Anthropic', protocols: ['messages'], base_url: SIM, byok: true },
  ],
  credentials: [
    { name: 'openai', vendor: 'openai', secret: 'sk-sim-openai' },
    { name: 'anthropic', vendor: 'anthropic', secret: 'sk-sim-anthropic' },
  ],
  models: [
    { model_id: 'sonnet', prices, batch_rate: 50, routes: [anthropic] },
    { model_id: 'gpt', prices, batch_rate: 50, routes: [{ ...openai, forward_model_id: 'gpt-5' }] },
    { model_id: 'other', prices, routes: [{ ...openai, forward_model_id: 'gpt-5' }] },
  ],
  policies: [
    { id: 1, name: 'default', concurrency: 100, windows: [] },
    { id: 2, name: 'few-tokens', windows: [{ dimension: 'tokens', seconds: 3600, limit: 3_000 }] },
    { id: 3, name: 'one-request', windows: [{ dimension: 'requests', seconds: 3600, limit: 1 }] },
  ],
  accounts: [
    account('user', '500000000'),
    account('other', '500000000'),
    account('poor', '1'),
    account('small', '2000'),
    account('hasty', '2000'),
  ],
});

/** A platform with models whose batches cost half. */
export async function startBatchesWorld(options: WorldOptions = {}): Promise<World> {
  return startWorld({ catalog: CATALOG, ...options });
}

export function openaiOf(url: string, apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
}

export function anthropicOf(url: string, authToken: string): Anthropic {
  return new Anthropic({ baseURL: url, authToken, apiKey: null, maxRetries: 0 });
}

/** What the items of a batch cost by the truth of the simulator: half of the price, in micro-Credits. */
export function costOf({ input, output }: ItemCounts): bigint {
  const yuanMicro = (BigInt(input) * INPUT_PRICE + BigInt(output) * OUTPUT_PRICE) / 2n;
  return yuanMicro * CREDITS_PER_YUAN;
}

/** The row of the call that created a batch; nothing until the batch has ended. */
export async function rowOf({ database }: World, requestId: string | null): Promise<LoggedCall | undefined> {
  const rows = await database.query<LoggedCall>('select * from calls where call_id = $1', [requestId]);
  return rows[0];
}

export async function creditsOf({ database }: World, email: string): Promise<bigint> {
  const [row] = await database.query<{ credits_micro: bigint }>(
    'select credits_micro from accounts where email = $1',
    [email],
  );
  return row?.credits_micro ?? -1n;
}

/** Ends what runs at the vendor, and waits until all of it is settled. */
export async function endAll({ database, simulator, settled }: World): Promise<void> {
  await settled();
  const running = async (): Promise<number> => {
    const rows = await database.query<{ object_id: string }>(
      "select object_id from jobs where state = 'running'",
    );
    for (const { object_id: id } of rows) simulator.batches.end(id);
    await database.query("update jobs set examine_at = now() where state = 'running'");
    return rows.length;
  };
  await expect.poll(running, { timeout: 20_000, interval: 200 }).toBe(0);
}
