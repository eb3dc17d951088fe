import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTollgate, type Tollgate } from '../../src/app.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import { needs, REDIS } from '../needs.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { STANDARD_CATALOG, startWorld, type World } from '../support/world.ts';

/** A credential's limits are the vendor's: two nodes that share a Redis share them. */
const MODELS = {
  'four-a-minute': 'rpm: 4',
  'one-a-minute': 'rpm: 1',
  'many-a-minute': 'concurrency: 500, rpm: 100000, tpm: 10000000',
  'three-at-once': 'concurrency: 3',
  'five-a-minute': 'rpm: 5',
  'few-tokens': 'tpm: 400',
  unlimited: '',
};

const credentials = Object.entries(MODELS).map(
  ([name, limits]) =>
    `  - { name: ${name}, vendor: openai, secret: sk-sim-openai-${name}, base_url: "\${SIM}/v1"` +
    `, limits: { ${limits} } }\n`,
);
const CLAUDE =
  '  - { name: claude, vendor: anthropic, secret: sk-sim-anthropic-claude, limits: { rpm: 3 } }\n';
const CLAUDE_MODEL =
  '  - { model_id: claude, prices: { input: "1", output: "1" }, max_output_tokens: 1000' +
  ', routes: [{ vendor: anthropic, forward_model_id: claude-sonnet-5, credential: claude }] }\n';
const models = Object.keys(MODELS).map((name) => {
  const routes = `[{ vendor: openai, forward_model_id: gpt-5, credential: ${name} }]`;
  return `  - { model_id: ${name}, prices: { input: "1", output: "1" }, routes: ${routes} }\n`;
});
const CATALOG = STANDARD_CATALOG.replace(
  'credentials:\n',
  `credentials:\n${CLAUDE}${credentials.join('')}`,
).replace('models:\n', `models:\n${CLAUDE_MODEL}${models.join('')}`);

let redis: TestRedis;
let world: World;
let second: Tollgate;
let folder: string;
beforeAll(async () => {
  redis = await startRedis();
  world = await startWorld({
    catalog: CATALOG,
    environment: { REDIS_URL: redis.url, TOLLGATE_SECRET: 'one root secret for both of the nodes' },
  });
  folder = await mkdtemp(join(tmpdir(), 'tollgate-second-'));
  second = await startTollgate({ ...world.config, dataDirectory: folder, nodeName: 'second' }, silentLogger);
});
afterAll(async () => {
  await second?.stop();
  await world?.close();
  await redis?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});
beforeEach(() => world.simulator.reset());

interface Answer {
  readonly status: number;
  readonly wait: string | null;
  readonly text: string;
}

/** The nodes take turns. */
function askMany(
  model: keyof typeof MODELS | 'claude',
  count: number,
  directive: string,
  { key = world.key, more = {} }: { readonly key?: string; readonly more?: object } = {},
): Promise<Answer[]> {
  const ask = async (url: string): Promise<Answer> => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: world.headers(key),
      body: JSON.stringify({
        model,
        messages: [{ role: 'user', content: `[[sim ${directive}]]` }],
        max_completion_tokens: 300,
        ...more,
      }),
    });
    return {
      status: response.status,
      wait: response.headers.get('retry-after'),
      text: await response.text(),
    };
  };
  return Promise.all(Array.from({ length: count }, (_, index) => ask(index % 2 ? second.url : world.url)));
}

const served = (answers: readonly Answer[]): number => answers.filter(({ status }) => status === 200).length;

/** One after the other, so that no two of them share a message. */
async function scriptRuns(model: keyof typeof MODELS, calls: number): Promise<number> {
  const read = async (): Promise<number> => {
    await world.settled();
    const stats = await redis.inspect.info('commandstats');
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
  };
  const before = await read();
  for (let done = 0; done < calls; done++) expect(served(await askMany(model, 1, 'tokens=1'))).toBe(1);
  return (await read()) - before;
}

describe('the limits of a credential', needs(REDIS), () => {
  test('concurrent calls of a credential are counted over all nodes', async () => {
    const answers = await askMany('three-at-once', 12, 'tokens=1 delay=1500');
    expect([served(answers), world.simulator.stats.peakOpen]).toEqual([3, 3]);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
    expect(refused.every(({ wait }) => Number(wait) >= 1)).toBe(true);
    expect(refused[0]?.text).toContain('at its rate limit');
    await world.settled();
    // The places are given back.
    expect(served(await askMany('three-at-once', 2, 'tokens=1'))).toBe(2);
  });

  test('requests per minute of a credential are counted over all nodes', async () => {
    const answers = await askMany('five-a-minute', 14, 'tokens=1');
    expect([served(answers), world.simulator.stats.requests]).toEqual([5, 5]);
    const again = await askMany('five-a-minute', 4, 'tokens=1');
    expect(served(again)).toBe(0);
    expect(again.every(({ wait }) => Number(wait) > 1 && Number(wait) <= 60)).toBe(true);
  });

  test('tokens of a credential are counted over all nodes, as used', async () => {
    expect(served(await askMany('few-tokens', 1, 'tokens=250'))).toBe(1);
    expect(served(await askMany('few-tokens', 1, 'tokens=250'))).toBe(1);
    await world.settled();
    expect(served(await askMany('few-tokens', 4, 'tokens=1'))).toBe(0);
  });

  test('a credential without limits is not counted', async () => {
    expect(served(await askMany('unlimited', 20, 'tokens=1'))).toBe(20);
  });

  test('a call that its account may not make is not counted', async () => {
    const two = await world.newKey('user@example.com', { policyId: 3 });
    const answers = await askMany('four-a-minute', 20, 'tokens=1', { key: two });
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(18);
    expect(served(await askMany('four-a-minute', 6, 'tokens=1'))).toBe(2);
    expect(world.simulator.stats.requests).toBe(4);
  });

  test('a call that cannot be converted for the route is not counted', async () => {
    const refused = await askMany('claude', 8, 'tokens=1', { more: { n: 3 } });
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([400]));
    await world.settled();
    expect(served(await askMany('claude', 5, 'tokens=1'))).toBe(3);
  });

  test('counting adds no message to Redis', async () => {
    await scriptRuns('many-a-minute', 5);
    const plain = await scriptRuns('unlimited', 40);
    const counted = await scriptRuns('many-a-minute', 40);
    // Two for each call. Settlements and the checks of both nodes, twice a second, are among them too.
    expect(plain).toBeGreaterThanOrEqual(80);
    expect(counted - plain).toBeLessThan(20);
  });

  test('a call is counted once', async () => {
    expect(served(await askMany('one-a-minute', 1, 'tokens=1'))).toBe(1);
    expect(served(await askMany('one-a-minute', 3, 'tokens=1'))).toBe(0);
  });
});
