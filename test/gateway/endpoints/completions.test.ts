import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { samplePicture } from '../../../sim/answer/picture.ts';
import { countTokens } from '../../../sim/answer/tokens.ts';
import type { TruthCall } from '../../../sim/truth.ts';
import { seededRandom } from '../../../src/kernel/random.ts';
import { startWorld, type World } from '../../support/world.ts';
import { type LoggedCall, loggedCall } from '../logged-call.ts';

/** The world puts the simulator's address here. */
const SIM = '$'.concat('{SIM}');
let world: World;
let openai: OpenAI;

const INPUT_PRICE = 10n;
const OUTPUT_PRICE = 30n;

const CATALOG = JSON.stringify({
  defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false },
  vendors: [
    { code: 'openai', name: 'OpenAI', protocols: ['completions', 'images'], base_url: `${SIM}/v1` },
    { code: 'google', name: 'Google', protocols: ['gemini'], base_url: SIM },
  ],
  credentials: [
    { name: 'openai', vendor: 'openai', secret: 'sk-sim-openai' },
    { name: 'google', vendor: 'google', secret: 'sk-sim-google' },
  ],
  models: [
    {
      ...{ model_id: 'instruct', prices: { input: '10', output: '30' }, max_output_tokens: 4_000 },
      routes: [route('openai', 'gpt-3.5-turbo-instruct', ['completions'])],
    },
    {
      ...{ model_id: 'painter', prices: { image: '0.3' } },
      routes: [route('openai', 'dall-e-2', ['images'])],
    },
    {
      ...{ model_id: 'drawer', prices: { image: '0.3' } },
      routes: [route('google', 'gemini-2.5-flash-image', ['gemini'])],
    },
  ],
  policies: [{ id: 1, name: 'default', concurrency: 100, windows: [] }],
  accounts: [
    { email: 'user@example.com', password: 'user-password', user_type: 1, credits: '50000' },
    { email: 'poor@example.com', password: 'user-password', user_type: 1, credits: '10' },
  ],
});

function route(vendor: string, forward_model_id: string, protocols: readonly string[]): object {
  return { vendor, credential: vendor, forward_model_id, protocols };
}

beforeAll(async () => {
  world = await startWorld({ catalog: CATALOG });
  openai = clientOf(world.key);
});
afterAll(() => world.close());

function clientOf(apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${world.url}/v1`, apiKey, maxRetries: 0 });
}

async function lastCall(): Promise<LoggedCall> {
  await world.settled();
  const [row] = await world.database.query<{ call_id: string }>(
    'select call_id from calls order by id desc limit 1',
  );
  return loggedCall(world, row?.call_id ?? null);
}

/** The call was logged and charged as the vendor really served it. */
function isExact(row: LoggedCall, truth: TruthCall | undefined): void {
  const { inputTokens = -1, outputTokens = -1 } = truth ?? {};
  expect(row).toMatchObject({
    ...{ status: 200, verdict: 'complete', estimated: false },
    ...{ protocol_in: 'completions', protocol_out: 'completions' },
    ...{ input_fresh: BigInt(inputTokens), output_text: BigInt(outputTokens) },
    amount_micro: BigInt(inputTokens) * INPUT_PRICE + BigInt(outputTokens) * OUTPUT_PRICE,
  });
  expect(row.held_micro).toBeGreaterThanOrEqual((row.amount_micro as bigint) * 1000n);
}

function asked(prompt: OpenAI.CompletionCreateParams['prompt'], more: object = {}) {
  return { model: 'instruct', prompt, max_tokens: 100, ...more };
}

describe('completions with the SDK of OpenAI', () => {
  it('pass through, and are charged by the reported usage', async () => {
    const prompt = 'Once upon a time [[sim tokens=40 tag=plain]]';
    const answer = await openai.completions.create(asked(prompt));
    expect(answer).toMatchObject({ model: 'instruct', object: 'text_completion' });
    const truth = world.simulator.truth.find('plain');
    expect(answer.choices[0]?.text).toBe(truth?.said?.text);
    expect(answer.usage).toMatchObject({ prompt_tokens: countTokens(prompt), completion_tokens: 40 });
    isExact(await lastCall(), truth);
  });

  it.each([undefined, { include_usage: true }])('stream, with %j', async (stream_options) => {
    const tag = stream_options === undefined ? 'quiet' : 'told';
    const stream = await openai.completions.create({
      ...asked(`Once upon a time [[sim tokens=50 tag=${tag}]]`),
      stream: true,
      ...(stream_options && { stream_options }),
    });
    let text = '';
    let reported = 0;
    for await (const chunk of stream) {
      expect(chunk.model).toBe('instruct');
      text += chunk.choices[0]?.text ?? '';
      if (chunk.usage) reported++;
    }
    const truth = world.simulator.truth.find(tag);
    expect(text).toBe(truth?.said?.text);
    // Only a client that asked for the usage gets it.
    expect(reported).toBe(stream_options === undefined ? 0 : 1);
    isExact(await lastCall(), truth);
  });

  it('of many prompts, and the best of many, are all charged', async () => {
    const prompt = ['One [[sim tokens=9]]', 'Two [[sim tokens=9 tag=many]]'];
    const answer = await openai.completions.create(asked(prompt, { n: 2, best_of: 3 }));
    expect(answer.choices).toHaveLength(4);
    const truth = world.simulator.truth.find('many');
    expect(truth?.outputTokens).toBe(2 * 3 * 9);
    isExact(await lastCall(), truth);
  });

  it('of ids of tokens are counted as tokens', async () => {
    const answer = await openai.completions.create(asked([1, 2, 3, 40_000]));
    expect(answer.usage?.prompt_tokens).toBe(4);
    expect(await lastCall()).toMatchObject({ input_fresh: 4n, estimated: false });
  });

  it('without a report are counted, and say so', async () => {
    const prompt = 'Nobody counts this [[sim tokens=30 usage=none]]';
    await openai.completions.create(asked(prompt));
    const plain = await lastCall();
    expect(plain).toMatchObject({
      estimated: true,
      input_fresh: BigInt(countTokens(prompt)),
      output_text: 30n,
    });
    const stream = await openai.completions.create({ ...asked(prompt), stream: true });
    for await (const chunk of stream) expect(chunk.object).toBe('text_completion');
    expect(await lastCall()).toMatchObject({
      ...{ estimated: true, input_fresh: plain.input_fresh, output_text: 30n },
    });
  });

  it('are cut at what the account can pay', async () => {
    const poor = clientOf(await world.newKey('poor@example.com'));
    const prompt = 'A long story [[sim tokens=2000 tag=poor]]';
    const { data, response } = await poor.completions.create({ model: 'instruct', prompt }).withResponse();
    const bound = Number(response.headers.get('x-tollgate-max-output-tokens'));
    expect(bound).toBeGreaterThan(200);
    expect(bound).toBeLessThan(334);
    expect(data.choices[0]?.finish_reason).toBe('length');
    expect(data.usage?.completion_tokens).toBe(bound);
    const row = await lastCall();
    expect(row.amount_micro).toBeLessThanOrEqual(10_000n);
  });

  it('that the client leaves are aborted, and what came is charged', async () => {
    const left = new AbortController();
    const stream = await openai.completions.create(
      { ...asked('Slowly [[sim tokens=100 pace=50 tag=left]]'), stream: true },
      { signal: left.signal },
    );
    let seen = 0;
    try {
      for await (const chunk of stream) {
        seen += chunk.choices[0]?.text === '' ? 0 : 1;
        if (seen === 5) left.abort();
      }
    } catch {
      // The client left.
    }
    await expect.poll(() => world.simulator.truth.find('left')?.finished).toBe('aborted-by-client');
    await expect.poll(async () => (await lastCall()).verdict).toBe('cut-by-client');
    const { output_text: output } = await lastCall();
    expect(output).toBeGreaterThanOrEqual(5n);
    expect(output).toBeLessThan(100n);
  });

  it('with more answers than a call may have are refused', async () => {
    const prompt = Array.from({ length: 65 }, () => 'x');
    const refused = openai.completions.create(asked(prompt, { n: 2 }));
    await expect(refused).rejects.toMatchObject({ status: 400, code: '40004' });
    await expect(openai.completions.create(asked('x', { n: 200 }))).rejects.toMatchObject({ status: 400 });
  });

  it('get the errors of vendor and gateway in the form of OpenAI', async () => {
    const wrong = openai.completions.create(asked('x', { temperature: 9 }));
    await expect(wrong).rejects.toMatchObject({ status: 400, param: 'temperature' });
    const none = openai.completions.create({ model: 'painter', prompt: 'x' });
    await expect(none).rejects.toMatchObject({ error: { type: 'gateway_error' } });
  });
});

describe('variations of an image', () => {
  const picture = (): Promise<File> =>
    toFile(samplePicture(seededRandom(1)), 'boat.png', { type: 'image/png' });

  it('pass through as a form, and are charged by the images', async () => {
    const image = await picture();
    const answer = await openai.images.createVariation({ model: 'painter', image, n: 2 });
    expect(answer.data).toHaveLength(2);
    const row = await lastCall();
    expect(row).toMatchObject({
      ...{ status: 200, verdict: 'complete', protocol_in: 'images', protocol_out: 'images' },
      ...{ images: 2n, amount_micro: 600_000n },
    });
    expect(row.held_micro).toBeGreaterThanOrEqual(600_000n * 1000n);
    const [call] = world.simulator.truth.all().slice(-1);
    expect(call).toMatchObject({ path: '/v1/images/variations', model: 'dall-e-2', images: 2 });
  });

  it('are not made by a model that follows prompts', async () => {
    const image = await picture();
    const refused = openai.images.createVariation({ model: 'drawer', image });
    await expect(refused).rejects.toMatchObject({ status: 400, code: '40004' });
  });
});
