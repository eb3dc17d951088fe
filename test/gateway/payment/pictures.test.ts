import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';
import { byteByByte, type RecordingVendor, startRecordingVendor } from '../pass-through/recording-vendor.ts';

const PICTURE = Buffer.from(`89504e470d0a1a0a0000000d49484452${'00000400'.repeat(2)}0802`, 'hex');
const BASE64 = PICTURE.toString('base64');
/** The world puts the simulator's address here. */
const SIM = '$'.concat('{SIM}');
const EVENTS = { 'content-type': 'text/event-stream' };

let google: RecordingVendor;
let openai: RecordingVendor;
let world: World;

/** Of each vendor a model with all prices and one with the image price alone. */
function catalog(): string {
  const all = { input: '10', output: '30', image: '0.5' };
  const route = (vendor: string, forward_model_id: string) => ({
    vendor,
    credential: vendor,
    forward_model_id,
  });
  const model = (model_id: string, prices: object, routed: object) => ({
    model_id,
    prices,
    max_output_tokens: 8000,
    routes: [routed],
  });
  return JSON.stringify({
    defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false },
    vendors: [
      { code: 'google', name: 'Google', protocols: ['gemini'], base_url: google.url },
      { code: 'openai', name: 'OpenAI', protocols: ['responses'], base_url: `${openai.url}/v1` },
      { code: 'sim', name: 'Simulated', protocols: ['gemini'], base_url: SIM },
    ],
    credentials: [
      { name: 'google', vendor: 'google', secret: 'any' },
      { name: 'openai', vendor: 'openai', secret: 'any' },
      { name: 'sim', vendor: 'sim', secret: 'sk-sim-google' },
    ],
    models: [
      model('painter', all, route('google', 'gemini-3-pro-image')),
      model('by-image', { image: '0.5' }, route('google', 'gemini-3-pro-image')),
      model('by-token', { input: '10', output: '30' }, route('google', 'gemini-3-pro-image')),
      model('artist', all, route('openai', 'gpt-5')),
      model('simulated', all, route('sim', 'gemini-2.5-flash-image')),
    ],
    policies: [
      { id: 1, name: 'default', concurrency: 100, windows: [] },
      {
        id: 2,
        name: 'two',
        concurrency: 100,
        windows: [{ dimension: 'images', seconds: 3600, limit: 2 }],
      },
    ],
    accounts: [
      { email: 'user@example.com', password: 'user-password', user_type: 1, credits: '500000' },
      ...WAYS.map((_way, index) => ({
        email: `poor${index}@example.com`,
        password: 'user-password',
        user_type: 1,
        credits: '700',
      })),
    ],
  });
}

beforeAll(async () => {
  [google, openai] = await Promise.all([startRecordingVendor(), startRecordingVendor()]);
  world = await startWorld({ catalog: catalog() });
});
afterAll(async () => {
  await world.close();
  await Promise.all([google.close(), openai.close()]);
});

interface Way {
  readonly name: string;
  readonly stream: boolean;
  path(model: string): string;
  body(model: string, said: string): object;
}

const messagesOf = (content: string) => [{ role: 'user', content }];
const contentsOf = (text: string) => [{ role: 'user', parts: [{ text }] }];
const both = (name: string, path: string, body: (said: string) => object): readonly Way[] =>
  [false, true].map((stream) => ({
    name: stream ? `${name}, streamed` : name,
    stream,
    path: () => path,
    body: (model, said) => ({ model, stream, ...body(said) }),
  }));
const generate = (name: string, action: string): Way => ({
  name,
  stream: action.startsWith('stream'),
  path: (model) => `/v1beta/models/${model}:${action}`,
  body: (_model, said) => ({ contents: contentsOf(said) }),
});

const GENERATE_WAYS: readonly Way[] = [
  generate('generateContent', 'generateContent'),
  generate('generateContent, streamed', 'streamGenerateContent?alt=sse'),
];
const TEXT_WAYS: readonly Way[] = [
  ...GENERATE_WAYS,
  ...both('Chat', '/v1/chat/completions', (said) => ({ messages: messagesOf(said) })),
  ...both('Responses', '/v1/responses', (input) => ({ input })),
  ...both('Messages', '/v1/messages', (said) => ({ messages: messagesOf(said), max_tokens: 1000 })),
];
const WAYS: readonly Way[] = [
  ...both('Images', '/v1/images/generations', (prompt) => ({ prompt })),
  ...TEXT_WAYS,
];
const named = (ways: readonly Way[]): [string, Way][] => ways.map((way) => [way.name, way]);

async function rowOf(response: Response): Promise<Record<string, unknown> | undefined> {
  const text = await response.text();
  expect(response.status, text).toBe(200);
  await world.settled();
  const [row] = await world.database.query<Record<string, unknown>>(
    'select verdict, estimated, images, amount_micro from calls where call_id = $1',
    [response.headers.get('x-request-id')],
  );
  return row;
}

const ask = (way: Way, model: string, said = 'two cats') =>
  world.post(way.path(model), way.body(model, said));

const picture = { inlineData: { mimeType: 'image/png', data: BASE64 } };
/** Google signs its pictures, and sketches while it thinks. */
const PARTS = [
  { text: 'A plan', thought: true },
  { ...picture, thought: true },
  { text: 'Here they are.' },
  { ...picture, thoughtSignature: 'c2lnbmVk' },
  picture,
];
const USAGE = {
  usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 2000, totalTokenCount: 2100 },
};
const TOKENS_MICRO = 100n * 10n + 2000n * 30n;

function paintTwo({ stream }: Pick<Way, 'stream'>, usage: object = USAGE): void {
  if (!stream) {
    const candidates = [{ content: { role: 'model', parts: PARTS }, finishReason: 'STOP' }];
    google.say({ pieces: [Buffer.from(JSON.stringify({ candidates, ...usage }))] });
    return;
  }
  const chunks = [
    ...PARTS.map((part) => ({ candidates: [{ content: { role: 'model', parts: [part] } }] })),
    { candidates: [{ content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP' }], ...usage },
  ];
  const text = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join('');
  google.say({ headers: EVENTS, pieces: [Buffer.from(text)] });
}

function sayNo({ stream }: Pick<Way, 'stream'>): void {
  const body = { candidates: [{ content: { parts: [{ text: 'No.' }] }, finishReason: 'STOP' }], ...USAGE };
  const text = JSON.stringify(body);
  if (stream) google.say({ headers: EVENTS, pieces: [Buffer.from(`data: ${text}\r\n\r\n`)] });
  else google.say({ pieces: [Buffer.from(text)] });
}

describe('an image costs the same for every client', () => {
  it.each(named(WAYS))('of %s', async (_name, way) => {
    paintTwo(way);
    expect(await rowOf(await ask(way, 'painter'))).toEqual({
      verdict: 'complete',
      estimated: false,
      images: 2n,
      amount_micro: TOKENS_MICRO + 1_000_000n,
    });
  });

  it.each(named(WAYS))('with an image price only: %s', async (_name, way) => {
    paintTwo(way);
    expect(await rowOf(await ask(way, 'by-image'))).toMatchObject({ images: 2n, amount_micro: 1_000_000n });
  });

  it.each(named(WAYS))('without reported usage: %s', async (_name, way) => {
    paintTwo(way, {});
    expect(await rowOf(await ask(way, 'by-image'))).toMatchObject({
      estimated: true,
      images: 2n,
      amount_micro: 1_000_000n,
    });
  });

  it.each(named(WAYS))('and its tokens only, for a model without an image price: %s', async (_name, way) => {
    paintTwo(way);
    expect(await rowOf(await ask(way, 'by-token'))).toMatchObject({ amount_micro: TOKENS_MICRO });
  });

  it.each(named(WAYS))('from the simulated image model: %s', async (name, way) => {
    const tag = `p${name.replace(/\W/g, '')}`;
    const row = await rowOf(await ask(way, 'simulated', `a cat [[sim tag=${tag}]]`));
    const truth = world.simulator.truth.find(tag);
    expect(truth?.images).toBe(1);
    const tokensMicro = (truth?.inputTokens ?? 0) * 10 + (truth?.outputTokens ?? 0) * 30;
    expect(row).toMatchObject({ images: 1n, amount_micro: BigInt(tokensMicro) + 500_000n });
  });

  it('in a growing JSON array, split anywhere', async () => {
    const chunk = JSON.stringify({ candidates: [{ content: { parts: PARTS }, finishReason: 'STOP' }] });
    google.say({ pieces: byteByByte(Buffer.from(`[${chunk}]`)) });
    const response = await ask(generate('', 'streamGenerateContent'), 'by-image');
    expect(await rowOf(response)).toMatchObject({ images: 2n, amount_micro: 1_000_000n });
  });

  it.each(named(TEXT_WAYS))('and a text answer costs none: %s', async (_name, way) => {
    sayNo(way);
    expect(await rowOf(await ask(way, 'painter'))).toMatchObject({ images: 0n, amount_micro: TOKENS_MICRO });
  });
});

/** The vendor tool of Responses: the item grows, and the whole response repeats it. */
function drawOne({ stream }: Pick<Way, 'stream'>): void {
  const made = { id: 'ig_1', type: 'image_generation_call', status: 'completed', result: BASE64 };
  const failed = { id: 'ig_2', type: 'image_generation_call', status: 'failed', result: null };
  const usage = { input_tokens: 100, output_tokens: 2000, total_tokens: 2100 };
  const response = {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'gpt-5',
    output: [made, failed],
    usage,
  };
  if (!stream) {
    openai.say({ pieces: [Buffer.from(JSON.stringify(response))] });
    return;
  }
  const open = { ...response, status: 'in_progress', output: [], usage: null };
  const events = [
    { type: 'response.created', response: open },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...made, status: 'in_progress', result: null },
    },
    { type: 'response.image_generation_call.partial_image', item_id: 'ig_1', partial_image_b64: BASE64 },
    { type: 'response.image_generation_call.completed', output_index: 0, item_id: 'ig_1' },
    { type: 'response.output_item.done', output_index: 0, item: made },
    { type: 'response.output_item.done', output_index: 1, item: failed },
    { type: 'response.completed', response },
  ];
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  openai.say({ headers: EVENTS, pieces: [Buffer.from(text)] });
}

it.each(named(TEXT_WAYS))('an image of the image tool of Responses counts once: %s', async (_name, way) => {
  drawOne(way);
  expect(await rowOf(await ask(way, 'artist'))).toMatchObject({
    estimated: false,
    images: 1n,
    amount_micro: TOKENS_MICRO + 500_000n,
  });
});

describe('a window of two images', () => {
  const twoImages = async () => world.headers(await world.newKey('user@example.com', { policyId: 2 }));
  const expectFull = async (refused: Response) => {
    expect(await refused.json()).toMatchObject({ code: 42902 });
    expect(refused.headers.get('x-tollgate-limit')).toContain('images; limit=2; used=2');
  };

  it.each(named(GENERATE_WAYS))(
    'is filled by images that were not requested, for all: %s',
    async (_name, way) => {
      const headers = await twoImages();
      paintTwo(way);
      const made = await world.post(way.path('painter'), way.body('painter', 'two'), headers);
      await made.text();
      for (const next of WAYS) {
        await expectFull(await world.post(next.path('painter'), next.body('painter', 'a third'), headers));
      }
      // Who cannot be answered with a picture is not refused for one.
      sayNo(way);
      const words = await world.post(way.path('by-token'), way.body('by-token', 'why?'), headers);
      expect(words.status, await words.text()).toBe(200);
    },
  );

  it.each(named(TEXT_WAYS))('admits two calls at a time that may make images: %s', async (_name, way) => {
    const headers = await twoImages();
    sayNo(way);
    const atOnce = Array.from({ length: 6 }, async () => {
      const response = await world.post(way.path('painter'), way.body('painter', 'draw'), headers);
      await response.text();
      return response.status;
    });
    const statuses = await Promise.all(atOnce);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
    expect(new Set([...statuses, 200, 429])).toEqual(new Set([200, 429]));
    // They answered in words, so that both places are free again.
    paintTwo(way);
    const made = await world.post(way.path('painter'), way.body('painter', 'two'), headers);
    expect(made.status, await made.text()).toBe(200);
    await expectFull(await world.post(way.path('painter'), way.body('painter', 'a third'), headers));
  });

  it('limits the image tool of Responses, and no call without it', async () => {
    const headers = await twoImages();
    const tools = [{ type: 'image_generation' }];
    const call = (more: object) =>
      world.post('/v1/responses', { model: 'artist', input: 'a cat', ...more }, headers);
    drawOne({ stream: false });
    for (let times = 0; times < 2; times++) expect((await rowOf(await call({ tools })))?.images).toBe(1n);
    await expectFull(await call({ tools }));
    expect((await call({ tools: [{ type: 'web_search' }] })).status).toBe(200);
  });
});

it.each(named(WAYS))('Credits for one image admit one of four calls: %s', async (_name, way) => {
  paintTwo(way);
  const headers = world.headers(await world.newKey(`poor${WAYS.indexOf(way)}@example.com`));
  const body = way.body('by-image', 'x');
  const calls = Array.from({ length: 4 }, async () => {
    const response = await world.post(way.path('by-image'), body, headers);
    await response.text();
    return response.status;
  });
  expect((await Promise.all(calls)).filter((status) => status === 200)).toHaveLength(1);
});
