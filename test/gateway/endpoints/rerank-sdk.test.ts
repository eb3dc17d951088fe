import { CohereClient, CohereClientV2, CohereError } from 'cohere-ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';
import { loggedCall } from '../logged-call.ts';

/** The world puts the simulator's address here. */
const SIM = '$'.concat('{SIM}');
const CATALOG = JSON.stringify({
  defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false },
  vendors: [{ code: 'cohere', name: 'Cohere', protocols: ['rerank'], base_url: `${SIM}/v2` }],
  credentials: [{ name: 'cohere', vendor: 'cohere', secret: 'sk-sim-openai' }],
  models: [
    {
      ...{ model_id: 'ranker', prices: { output: '14000' } },
      routes: [{ vendor: 'cohere', credential: 'cohere', forward_model_id: 'rerank-v3.5' }],
    },
  ],
  policies: [{ id: 1, name: 'default', concurrency: 100, windows: [] }],
  accounts: [{ email: 'user@example.com', password: 'user-password', user_type: 1, credits: '50000' }],
});
const ASKED = {
  ...{ model: 'ranker', query: 'Where do the boats land?', topN: 2 },
  documents: ['The harbour is in the north.', 'Boats land at the pier.', 'Bread is baked at four.'],
};

let world: World;
beforeAll(async () => {
  world = await startWorld({ catalog: CATALOG });
});
afterAll(() => world.close());

const options = (token: string) => ({ environment: world.url, token, maxRetries: 0 });

async function paidUnits(): Promise<object> {
  await world.settled();
  const [row] = await world.database.query<{ call_id: string }>(
    'select call_id from calls order by id desc limit 1',
  );
  return loggedCall(world, row?.call_id ?? null);
}

describe('reranking with the SDK of Cohere', () => {
  it.each([
    ['v2', () => new CohereClientV2(options(world.key)).rerank(ASKED)],
    ['v1', () => new CohereClient(options(world.key)).rerank(ASKED)],
  ] as const)('by %s reads a ranking, and is charged by search units', async (_version, rerank) => {
    const { results, meta } = await rerank();
    expect(results).toHaveLength(2);
    expect(results[0]?.relevanceScore).toBeGreaterThanOrEqual(results[1]?.relevanceScore ?? 0);
    expect(meta?.billedUnits?.searchUnits).toBe(1);
    expect(await paidUnits()).toMatchObject({
      ...{ status: 200, verdict: 'complete', protocol_in: 'rerank', estimated: false },
      ...{ output_text: 1n, amount_micro: 14_000n },
    });
  });

  it('gets an error of the gateway as one of its own', async () => {
    const wrong = new CohereClientV2(options('sk-no-key-of-anybody')).rerank(ASKED);
    await expect(wrong).rejects.toMatchObject({ statusCode: 401 });
    const unknown = new CohereClientV2(options(world.key)).rerank({ ...ASKED, model: 'nobody-has-this' });
    const error = await unknown.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(CohereError);
    expect(error).toMatchObject({ statusCode: 502, body: { error: { type: 'gateway_error' } } });
  });
});
