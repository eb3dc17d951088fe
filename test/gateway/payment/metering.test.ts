import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TruthCall } from '../../../sim/truth.ts';
import { STANDARD_CATALOG, startWorld, type World } from '../../support/world.ts';
import { type LoggedCall, loggedCall, paidCredits } from '../logged-call.ts';

let world: World;
beforeAll(async () => {
  // Each price differs from every other, and one rate is not the list's: no figure can hide behind another.
  const catalog = STANDARD_CATALOG.replace('cache_output: "30"', 'cache_output: "29"')
    .replace('prices: { image: "0.3" }', 'prices: { input: "5", output: "40", image: "0.3" }')
    .replace('{ code: openai, ', '{ code: openai, rate: 90, ');
  world = await startWorld({ catalog });
});
afterAll(() => world.close());

/** Prices in tenths of a micro-yuan per token, that is tenths of a yuan per million, and rates in percent. */
interface Tariff {
  readonly input: bigint;
  readonly output: bigint;
  readonly cacheRead: bigint;
  readonly cacheWrite: bigint;
  /** Output of a call that hit the cache. */
  readonly cachedOutput: bigint;
  readonly image: bigint;
  readonly rate: bigint;
}

type Way = 'plain' | 'streamed';

interface Metered {
  readonly name: string;
  readonly tariff: Tariff;
  path(way: Way): string;
  body(prompt: string, way: Way): unknown;
}

const GPT: Tariff = {
  input: 100n,
  output: 300n,
  cacheRead: 10n,
  cacheWrite: 125n,
  cachedOutput: 290n,
  image: 0n,
  rate: 90n,
};
const CLAUDE: Tariff = {
  input: 200n,
  output: 1000n,
  cacheRead: 20n,
  cacheWrite: 250n,
  cachedOutput: 1000n,
  image: 0n,
  rate: 100n,
};
const GEMINI: Tariff = {
  input: 80n,
  output: 600n,
  cacheRead: 10n,
  cacheWrite: 80n,
  cachedOutput: 600n,
  image: 0n,
  rate: 100n,
};
const IMAGE: Tariff = {
  input: 50n,
  output: 400n,
  cacheRead: 50n,
  cacheWrite: 50n,
  cachedOutput: 400n,
  image: 3_000_000n,
  rate: 90n,
};

const CHAT: Metered = {
  name: 'Chat Completions',
  tariff: GPT,
  path: () => '/v1/chat/completions',
  body: (content, way) => ({
    model: 'gpt-5',
    stream: way === 'streamed',
    messages: [{ role: 'user', content }],
  }),
};
const RESPONSES: Metered = {
  name: 'Responses',
  tariff: GPT,
  path: () => '/v1/responses',
  body: (input, way) => ({ model: 'gpt-5', stream: way === 'streamed', input }),
};
const MESSAGES: Metered = {
  name: 'Messages',
  tariff: CLAUDE,
  path: () => '/v1/messages',
  body: (content, way) => ({
    model: 'claude-sonnet-5',
    stream: way === 'streamed',
    max_tokens: 4_000,
    messages: [{ role: 'user', content }],
    ...(isThoughtful(content) ? { thinking: { type: 'adaptive', display: 'summarized' } } : {}),
  }),
};
const GENERATE: Metered = {
  name: 'generate-content',
  tariff: GEMINI,
  path: (way) =>
    `/v1beta/models/gemini-3-pro:${way === 'plain' ? 'generateContent' : 'streamGenerateContent?alt=sse'}`,
  body: (text) => ({
    contents: [{ role: 'user', parts: [{ text }] }],
    ...(isThoughtful(text) ? { generationConfig: { thinkingConfig: { includeThoughts: true } } } : {}),
  }),
};
const PROTOCOLS = [CHAT, RESPONSES, MESSAGES, GENERATE] as const;

/** Messages and generate-content think only when they are asked to. */
function isThoughtful(prompt: string): boolean {
  return prompt.includes('thinking=');
}

/** Rule M-1 from the simulator's truth, with no line of our own price code: exact, cut, not rounded. */
function priceOf(truth: TruthCall, tariff: Tariff): bigint {
  const { inputTokens, cacheRead, cacheWrite, outputTokens, images } = truth;
  const output = cacheRead > 0 ? tariff.cachedOutput : tariff.output;
  const tenths =
    BigInt(inputTokens - cacheRead - cacheWrite) * tariff.input +
    BigInt(cacheRead) * tariff.cacheRead +
    BigInt(cacheWrite) * tariff.cacheWrite +
    BigInt(outputTokens) * output +
    BigInt(images) * tariff.image;
  return (tenths * tariff.rate) / 1000n;
}

let calls = 0;

interface Measured {
  readonly row: LoggedCall;
  readonly truth: TruthCall;
  readonly requestId: string | null;
}

/** Both ways at once: they share the wait for the store. */
function measureBoth(protocol: Metered, directive: string): Promise<readonly Measured[]> {
  return Promise.all([measure(protocol, directive, 'plain'), measure(protocol, directive, 'streamed')]);
}

async function measure(protocol: Metered, directive: string, way: Way): Promise<Measured> {
  const tag = `meter-${++calls}`;
  const prompt = `a prompt of some words ${'more words '.repeat(20)}[[sim tag=${tag} ${directive}]]`;
  const headers = { 'anthropic-version': '2023-06-01' };
  const response = await world.post(protocol.path(way), protocol.body(prompt, way), headers);
  await response.arrayBuffer().catch(() => undefined);
  expect(response.status).toBe(200);
  const requestId = response.headers.get('x-request-id');
  const row = await loggedCall(world, requestId);
  const truth = world.simulator.truth.find(tag);
  if (truth === undefined) throw new Error('the vendor heard nothing');
  return { row, truth, requestId };
}

/** Directives whose usage is true, however the vendor delivers it. */
const EXACT = [
  'tokens=50',
  'tokens=50 cached=30',
  'tokens=40 thinking=25',
  'tokens=40 thinking=25 cached=30',
  'tokens=50 usage=repeated',
  'tokens=50 usage=late',
];

describe('reported usage is charged to the micro-unit', () => {
  for (const protocol of PROTOCOLS) {
    // Google reports no writes to its cache.
    const directives = protocol === GENERATE ? EXACT : [...EXACT, 'tokens=50 cached=11 cachewrite=7'];
    for (const directive of directives) {
      it(`${protocol.name}, plain and streamed: ${directive}`, async () => {
        for (const { row, truth, requestId } of await measureBoth(protocol, directive)) {
          const amountMicro = priceOf(truth, protocol.tariff);
          expect(row).toMatchObject({
            verdict: 'complete',
            estimated: false,
            input_fresh: BigInt(truth.inputTokens - truth.cacheRead - truth.cacheWrite),
            cache_read: BigInt(truth.cacheRead),
            cache_write: BigInt(truth.cacheWrite),
            output_text: BigInt(truth.outputTokens - truth.reasoningTokens),
            output_reasoning: BigInt(truth.reasoningTokens),
            amount_micro: amountMicro,
            charge_micro: amountMicro * 1000n,
            payer: 'credits',
            free_reason: null,
          });
          expect(await paidCredits(world, requestId)).toBe(amountMicro * 1000n);
          if (isThoughtful(directive)) expect(truth.reasoningTokens).toBe(25);
          if (directive.includes('cached')) expect(truth.cacheRead).toBeGreaterThan(0);
        }
      });
    }
  }
});

/** Without usage nobody knows the vendor's own framing of the prompt; it is a dozen tokens at most. */
const FRAMING_TOKENS_MAX = 12n;
const UNUSABLE = ['none', 'null', 'wrong-type', 'negative', 'huge'];

describe('missing or absurd usage is counted and marked as estimated', () => {
  for (const protocol of PROTOCOLS) {
    for (const usage of UNUSABLE) {
      it(`${protocol.name}, plain and streamed: usage ${usage}`, async () => {
        for (const { row, truth } of await measureBoth(protocol, `tokens=60 usage=${usage}`)) {
          expect(row).toMatchObject({ verdict: 'complete', estimated: true, output_text: 60n });
          expect(distance(row, truth)).toBeLessThanOrEqual(FRAMING_TOKENS_MAX);
          const counted = { ...truth, inputTokens: Number(row.input_fresh) };
          expect(row.amount_micro).toBe(priceOf(counted, protocol.tariff));
        }
      });
    }

    it(`${protocol.name}: a stream cut after 35 tokens is charged for these`, async () => {
      const { row, truth } = await measure(protocol, 'tokens=90 cut=35', 'streamed');
      expect(truth.outputTokens).toBe(35);
      expect(row).toMatchObject({ verdict: 'cut-by-upstream', output_text: 35n });
      expect(distance(row, truth)).toBeLessThanOrEqual(FRAMING_TOKENS_MAX);
    });
  }
});

function distance(row: LoggedCall, truth: TruthCall): bigint {
  const difference = BigInt(String(row.input_fresh)) - BigInt(truth.inputTokens);
  return difference < 0n ? -difference : difference;
}

describe('images are charged by the piece, and their tokens beside', () => {
  const picture = (n: number): Metered => ({
    name: 'Images',
    tariff: IMAGE,
    path: () => '/v1/images/generations',
    body: (prompt, way) => ({ model: 'gpt-image-1', prompt, n, stream: way === 'streamed', quality: 'low' }),
  });

  for (const [n, way] of [
    [1, 'plain'],
    [3, 'plain'],
    [1, 'streamed'],
  ] as const) {
    it(`${n}, ${way}`, async () => {
      const { row, truth } = await measure(picture(n), '', way);
      expect(truth.images).toBe(n);
      expect(row).toMatchObject({
        images: BigInt(n),
        estimated: false,
        input_fresh: BigInt(truth.inputTokens),
        amount_micro: priceOf(truth, IMAGE),
      });
    });
  }

  it('without token figures, by the piece only', async () => {
    const { row } = await measure(picture(2), 'usage=none', 'plain');
    expect(row).toMatchObject({ images: 2n, amount_micro: 540_000n, estimated: false });
  });
});

describe('the charge', () => {
  it('of an amount below one Credit is zero, and the amount is logged', async () => {
    const { row, requestId } = await measure({ ...CHAT, body: small }, 'tokens=1', 'plain');
    expect(row.amount_micro).toBeLessThan(1000n);
    expect(row.amount_micro).toBeGreaterThan(0n);
    expect(row).toMatchObject({ charge_micro: 0n, free_reason: 'below-one-credit' });
    expect(await paidCredits(world, requestId)).toBe(0n);
  });

  it('of all calls is what the account has less', async () => {
    await world.settled();
    const [sums] = await world.database.query<Record<string, unknown>>(
      `select (select sum(charge_micro) from calls) as charged,
              (select sum(credits_micro) from consumptions) as paid,
              (select 50000000000 - credits_micro from accounts where email = 'user@example.com') as gone`,
    );
    expect(BigInt(String(sums?.charged))).toBeGreaterThan(0n);
    expect(String(sums?.paid)).toBe(String(sums?.charged));
    expect(String(sums?.gone)).toBe(String(sums?.charged));
  });
});

/** The directive alone, so that the input costs next to nothing. */
function small(prompt: string): unknown {
  return { model: 'gpt-5', messages: [{ role: 'user', content: prompt.slice(prompt.indexOf('[[')) }] };
}
