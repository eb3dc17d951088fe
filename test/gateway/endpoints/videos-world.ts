import OpenAI from 'openai';
import { startWorld, type World, type WorldOptions } from '../../support/world.ts';
import type { LoggedCall } from '../logged-call.ts';

/** The world puts the simulator's address here. */
const SIM = '$'.concat('{SIM}');
/** What a video costs: 2.6 yuan, by a rate of 50 for the account and a multiplier of 3 of the route. */
export const PRICE_MICRO = 3_900_000n;
const CREDITS_PER_YUAN = 1_000n;
export const PRICE_CREDITS_MICRO = PRICE_MICRO * CREDITS_PER_YUAN;
const PASSWORD = 'a test password';

const route = { vendor: 'openai', credential: 'openai', forward_model_id: 'sora-2' };
const account = (name: string, credits: string) => ({
  ...{ email: `${name}@example.com`, password: PASSWORD, user_type: 1, credits },
});

const CATALOG = JSON.stringify({
  defaults: { policy: 1, user_rate: 50, api_billing: true, auto_exchange: false },
  vendors: [
    { code: 'openai', name: 'OpenAI', protocols: ['chat', 'videos'], base_url: `${SIM}/v1`, byok: true },
  ],
  credentials: [{ name: 'openai', vendor: 'openai', secret: 'sk-sim-openai' }],
  models: [
    { model_id: 'film', prices: { video: '2.6' }, routes: [{ ...route, rate_multiplier: 3 }] },
    { model_id: 'free-film', prices: {}, routes: [route] },
  ],
  policies: [
    { id: 1, name: 'default', concurrency: 100, windows: [] },
    { id: 2, name: 'one-video', windows: [{ dimension: 'videos', seconds: 3600, limit: 1 }] },
  ],
  accounts: [account('user', '500000'), account('other', '500000'), account('poor', '3899')],
});

/** A platform with a model of videos. */
export async function startVideosWorld(options: WorldOptions = {}): Promise<World> {
  return startWorld({ catalog: CATALOG, ...options });
}

export function clientOf(url: string, apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
}

/** The row of the call that created this video; nothing until the video has ended. */
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
