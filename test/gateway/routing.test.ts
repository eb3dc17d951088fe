import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { STANDARD_CATALOG, startWorld, type World } from '../support/world.ts';

/** Four credentials of one vendor. It keeps the prompts of each of them apart, as vendors do. */
const NAMES = ['one', 'two', 'three', 'four'];

const credentials = NAMES.map(
  (name) => `  - { name: ${name}, vendor: openai, secret: sk-sim-openai-${name} }\n`,
);
const models = ['weight', 'cache', 'latency', 'cost'].map((routing) => {
  const routes = NAMES.map(
    (name, at) =>
      `{ vendor: openai, forward_model_id: gpt-4o, protocols: [chat], credential: ${name}, ` +
      `rate_multiplier: "${at === 2 ? '0.5' : '1'}" }`,
  );
  const prices = '{ input: "10", output: "30", cache_input: "1" }';
  return `  - { model_id: by-${routing}, routing: ${routing}, prices: ${prices}, routes: [${routes.join(', ')}] }\n`;
});
const CATALOG = STANDARD_CATALOG.replace('credentials:\n', `credentials:\n${credentials.join('')}`).replace(
  'models:\n',
  `models:\n${models.join('')}`,
);

let world: World;
beforeAll(async () => {
  world = await startWorld({ catalog: CATALOG });
});
afterAll(() => world?.close());
beforeEach(() => world.simulator.reset());

interface Turn {
  readonly model: string;
  readonly directive?: string;
  readonly conversation?: string;
  readonly turn?: number;
  readonly stream?: boolean;
}

async function ask({
  model,
  directive = '',
  conversation = 'c',
  turn = 1,
  stream = false,
}: Turn): Promise<void> {
  const history = Array.from({ length: turn }, (_, at) => `${conversation} ${at} `.repeat(300)).join('');
  const content = `${history}[[sim tokens=2 tag=${model} ${directive}]]`;
  const messages = [{ role: 'user', content }];
  const response = await world.post('/v1/chat/completions', { model, messages, stream });
  expect(response.status, await response.text()).toBe(200);
}

/** How many calls came with each credential. */
function byCredential(model: string): Record<string, number> {
  const count: Record<string, number> = {};
  for (const { key } of world.simulator.truth.list(model)) {
    const name = key.replace('sk-sim-openai-', '');
    count[name] = (count[name] ?? 0) + 1;
  }
  return count;
}

/** The share of input tokens that the vendor read from its cache in twelve conversations of six turns. */
async function cacheShare(model: string): Promise<number> {
  for (let turn = 1; turn <= 6; turn++) {
    const conversations = Array.from({ length: 12 }, (_, at) => `talk-${at}`);
    await Promise.all(
      conversations.map((conversation) => ask({ model, conversation, turn, directive: 'promptcache' })),
    );
  }
  const calls = world.simulator.truth.list(model);
  const sum = (of: (call: (typeof calls)[number]) => number) =>
    calls.reduce((all, call) => all + of(call), 0);
  return sum(({ cacheRead }) => cacheRead) / sum(({ inputTokens }) => inputTokens);
}

test('a conversation stays with the credential whose vendor has its prompt, and more is read from caches', async () => {
  const byWeight = await cacheShare('by-weight');
  const byCache = await cacheShare('by-cache');
  expect(byCache).toBeGreaterThan(byWeight + 0.2);
  expect(byCache).toBeGreaterThan(0.7);
  // Twelve conversations are spread: no credential has all of them.
  expect(Object.keys(byCredential('by-cache')).length).toBeGreaterThan(1);
});

test('a credential that fails gives its conversations to another, and gets them back', async () => {
  const turns = { model: 'by-cache', conversation: 'long talk', turn: 3, directive: 'promptcache' };
  await ask(turns);
  const [first] = Object.keys(byCredential('by-cache'));
  world.simulator.script({
    match: { key: `sk-sim-openai-${first}` },
    answer: { status: 429, headers: { 'retry-after': '2' } },
  });
  await ask(turns);
  await ask(turns);
  const { [String(first)]: served, ...others } = byCredential('by-cache');
  // The first call, and the one that was refused.
  expect(served).toBe(2);
  expect(Object.values(others)).toEqual([2]);
  await new Promise((resolve) => setTimeout(resolve, 2_200));
  await ask(turns);
  expect(byCredential('by-cache')[String(first)]).toBe(3);
});

test('the route with the shortest first token gets most streams, and all are tried', async () => {
  for (const name of NAMES) {
    world.simulator.script({
      ...{ match: { key: `sk-sim-openai-${name}` }, times: 1_000 },
      answer: { delayMs: name === 'two' ? 0 : 150 },
    });
  }
  for (let round = 0; round < 25; round++) {
    await Promise.all([1, 2, 3, 4].map(() => ask({ model: 'by-latency', stream: true })));
  }
  const count = byCredential('by-latency');
  expect(Object.keys(count).sort()).toEqual([...NAMES].sort());
  expect(count.two).toBeGreaterThan(50);
});

test('the cheapest route gets all calls while it works, and the receipt has its multiplier', async () => {
  for (let call = 0; call < 8; call++) await ask({ model: 'by-cost' });
  expect(byCredential('by-cost')).toEqual({ three: 8 });
  world.simulator.script({ match: { key: 'sk-sim-openai-three' }, answer: { status: 500 } });
  await ask({ model: 'by-cost' });
  expect(Object.keys(byCredential('by-cost')).length).toBe(2);
});

test('an unknown routing is refused with what there is', async () => {
  const token = await world.login('operator@example.com');
  const body = { model_id: 'other', routing: 'random' };
  const answer = await world.api('POST', '/api/v1/admin/models', { token, body });
  expect(answer.body.code).toBe(1001);
  expect(answer.body.message).toContain('routing');
});
