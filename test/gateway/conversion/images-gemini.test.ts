import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';
import { type RecordingVendor, startRecordingVendor } from '../pass-through/recording-vendor.ts';

/** The world puts the simulator's address here. */
const SIM = '$'.concat('{SIM}');
const IMAGE_MICRO = 300_000n;
const PICTURE = Buffer.from(`89504e470d0a1a0a0000000d49484452${'00000400'.repeat(2)}0802`, 'hex');
/** What a vendor that plays a part heard and says. */
let painter: RecordingVendor;
let media: Server;
let mediaUrl: string;
let world: World;
let client: OpenAI;

/** `painter`: Google's image model. `canned`: it answers what a test says. `both`: OpenAI paints first. */
function catalog(): string {
  const google = { protocols: ['gemini'] };
  return JSON.stringify({
    defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false },
    vendors: [
      { code: 'google', name: 'Google', ...google, base_url: SIM },
      { code: 'canned', name: 'Canned', ...google, base_url: painter.url },
      { code: 'openai', name: 'OpenAI', protocols: ['chat', 'images'], base_url: `${SIM}/v1` },
    ],
    credentials: [
      { name: 'google', vendor: 'google', secret: 'sk-sim-google' },
      { name: 'canned', vendor: 'canned', secret: 'any' },
      { name: 'openai', vendor: 'openai', secret: 'sk-sim-openai' },
    ],
    models: [
      model('painter', [
        { vendor: 'google', credential: 'google', forward_model_id: 'gemini-2.5-flash-image' },
      ]),
      model('canned', [{ vendor: 'canned', credential: 'canned', forward_model_id: 'gemini-3-pro-image' }]),
      model('both', [
        { vendor: 'google', credential: 'google', forward_model_id: 'gemini-2.5-flash-image' },
        { vendor: 'openai', credential: 'openai', forward_model_id: 'gpt-image-1', protocols: ['images'] },
      ]),
      model('writer', [
        { vendor: 'openai', credential: 'openai', forward_model_id: 'gpt-4o', protocols: ['chat'] },
      ]),
    ],
    policies: [{ id: 1, name: 'default', concurrency: 100, windows: [] }],
    accounts: [{ email: 'user@example.com', password: 'user-password', user_type: 1, credits: '50000' }],
  });
}

function model(model_id: string, routes: readonly object[]): object {
  return { model_id, prices: { input: '10', output: '30', image: '0.3' }, max_output_tokens: 8000, routes };
}

beforeAll(async () => {
  painter = await startRecordingVendor();
  media = createServer((request, response) => {
    response.writeHead(200, { 'content-type': request.url === '/page' ? 'text/html' : 'image/png' });
    response.end(request.url === '/page' ? '<p>' : PICTURE);
  });
  await new Promise<void>((resolve) => media.listen(0, '127.0.0.1', resolve));
  const { port } = media.address() as AddressInfo;
  mediaUrl = `http://127.0.0.1:${port}`;
  world = await startWorld({
    catalog: catalog(),
    environment: { TOLLGATE_MEDIA_HOSTS: `127.0.0.1:${port}` },
  });
  client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.key, maxRetries: 0 });
});
afterAll(async () => {
  await world.close();
  await painter.close();
  media.close();
});

async function rowOf(requestId: string | null | undefined): Promise<Record<string, unknown> | undefined> {
  await world.settled();
  const [row] = await world.database.query<Record<string, unknown>>(
    `select status, verdict, estimated, protocol_in, protocol_out, images, amount_micro, dropped_fields
       from calls where call_id = $1`,
    [requestId],
  );
  return row;
}

function costOf(tag: string): bigint {
  const truth = world.simulator.truth.find(tag);
  return BigInt((truth?.inputTokens ?? 0) * 10 + (truth?.outputTokens ?? 0) * 30) + IMAGE_MICRO;
}

function pictureOf(base64: string | undefined): Buffer {
  return Buffer.from(base64 ?? '', 'base64');
}

describe('an Images client with a Gemini image model', () => {
  it('gets an image, and is charged for its image and tokens', async () => {
    const { data, response } = await client.images
      .generate({ model: 'painter', prompt: 'a cat [[sim tag=g1]]', size: '1536x1024', quality: 'high' })
      .withResponse();
    expect(data.data).toHaveLength(1);
    expect(pictureOf(data.data?.[0]?.b64_json).subarray(1, 4).toString()).toBe('PNG');
    expect(data).toMatchObject({ output_format: 'png', size: '8x8' });
    const truth = world.simulator.truth.find('g1');
    expect(data.usage).toMatchObject({
      input_tokens: truth?.inputTokens,
      output_tokens: truth?.outputTokens,
    });
    expect(response.headers.get('x-tollgate-dropped')).toBe('quality');
    expect(await rowOf(response.headers.get('x-request-id'))).toEqual({
      status: 200,
      verdict: 'complete',
      estimated: false,
      protocol_in: 'images',
      protocol_out: 'gemini',
      images: 1n,
      amount_micro: costOf('g1'),
      dropped_fields: ['quality'],
    });
  });

  it('edits an uploaded image', async () => {
    const image = await toFile(PICTURE, 'cat.png', { type: 'image/png' });
    const prompt = 'with a hat [[sim tag=g2]]';
    const { data, response } = await client.images.edit({ model: 'painter', prompt, image }).withResponse();
    expect(pictureOf(data.data?.[0]?.b64_json).subarray(1, 4).toString()).toBe('PNG');
    // The simulator counts 765 tokens for a picture it was shown.
    expect(data.usage?.input_tokens).toBeGreaterThan(765);
    expect(await rowOf(response.headers.get('x-request-id'))).toMatchObject({
      images: 1n,
      amount_micro: costOf('g2'),
    });
  });

  it('gets a stream of one finished image with its usage', async () => {
    const prompt = 'a dog [[sim tag=g3]]';
    const { data: stream, response } = await client.images
      .generate({ model: 'painter', prompt, stream: true, partial_images: 2 })
      .withResponse();
    const events = [];
    for await (const event of stream) events.push(event);
    expect(events).toHaveLength(1);
    const [event] = events;
    if (event?.type !== 'image_generation.completed') return expect.unreachable('no picture');
    expect(pictureOf(event.b64_json).subarray(1, 4).toString()).toBe('PNG');
    expect(event.usage.output_tokens).toBe(world.simulator.truth.find('g3')?.outputTokens);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(await rowOf(response.headers.get('x-request-id'))).toMatchObject({
      verdict: 'complete',
      estimated: false,
      images: 1n,
      amount_micro: costOf('g3'),
    });
  });

  it('gets the edit event at the end of a streamed edit', async () => {
    const image = await toFile(PICTURE, 'cat.png', { type: 'image/png' });
    const stream = await client.images.edit({ model: 'painter', prompt: 'x', image, stream: true });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types).toEqual(['image_edit.completed']);
  });

  it('can send an image by address, which is fetched for the vendor', async () => {
    painter.say({ pieces: [answer([PICTURE])] });
    const body = { model: 'canned', prompt: 'x', images: [{ image_url: `${mediaUrl}/a.png?secret=1` }] };
    const response = await world.post('/v1/images/edits', body);
    expect(response.status, await response.clone().text()).toBe(200);
    const heard = JSON.parse(painter.heard().body.toString());
    expect(heard.contents[0].parts[1].inlineData).toEqual({
      mimeType: 'image/png',
      data: PICTURE.toString('base64'),
    });
    expect(painter.heard().url).toBe('/v1beta/models/gemini-3-pro-image:generateContent');
  });

  it('is charged for the number of images that came', async () => {
    painter.say({ pieces: [answer([PICTURE, PICTURE])] });
    const { data, response } = await client.images
      .generate({ model: 'canned', prompt: 'two' })
      .withResponse();
    expect(data.data).toHaveLength(2);
    // No usage was reported: the tokens are counted by us, the images are not guessed.
    expect(await rowOf(response.headers.get('x-request-id'))).toMatchObject({ images: 2n, estimated: true });
  });

  it('is served first by a vendor of the Images API, whose partial images pass', async () => {
    const stream = await client.images.generate({
      model: 'both',
      prompt: 'a cat',
      stream: true,
      partial_images: 1,
    });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types).toEqual(['image_generation.partial_image', 'image_generation.completed']);
  });
});

function answer(pictures: readonly Buffer[], rest: object = {}): Buffer {
  const parts = pictures.map((bytes) => ({
    inlineData: { mimeType: 'image/png', data: bytes.toString('base64') },
  }));
  const candidates = [{ content: { role: 'model', parts }, finishReason: 'STOP' }];
  return Buffer.from(JSON.stringify({ candidates, ...rest }));
}

const BLOCKED = { candidates: [{ finishReason: 'IMAGE_SAFETY', finishMessage: 'Unsafe' }] };
const USAGE = { usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 0, totalTokenCount: 100 } };

describe('an image that the vendor blocks', () => {
  const asked = { model: 'canned', prompt: 'something unsafe' };
  const ways = [
    ['plain', false],
    ['streamed', true],
  ] as const;

  it.each(ways)('is a 400 of the Images API, %s', async (_way, stream) => {
    sayBlocked(BLOCKED, stream);
    const error = await client.images.generate({ ...asked, stream }).then(
      () => expect.unreachable('it was made'),
      (raised: unknown) => raised,
    );
    expect(error).toMatchObject({
      status: 400,
      code: 'moderation_blocked',
      type: 'image_generation_user_error',
    });
  });

  it.each(ways)('costs nothing when the vendor reports nothing, %s', async (_way, stream) => {
    sayBlocked(BLOCKED, stream);
    const response = await world.post('/v1/images/generations', { ...asked, stream });
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    const row = await rowOf(response.headers.get('x-request-id'));
    expect(row).toMatchObject({ status: 400, images: 0n, amount_micro: 0n });
  });

  it.each(ways)('costs the tokens that the vendor reports, %s', async (_way, stream) => {
    sayBlocked({ ...BLOCKED, ...USAGE }, stream);
    const response = await world.post('/v1/images/generations', { ...asked, stream });
    const row = await rowOf(response.headers.get('x-request-id'));
    expect(row).toMatchObject({ status: 400, images: 0n, amount_micro: 1_000n, estimated: false });
  });

  it('does not affect the route, however often', async () => {
    sayBlocked({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }, true);
    for (let times = 0; times < 8; times++) {
      const response = await world.post('/v1/images/generations', { ...asked, stream: true });
      expect(response.status).toBe(400);
      await response.text();
    }
    painter.say({ pieces: [answer([PICTURE])] });
    expect((await client.images.generate(asked)).data).toHaveLength(1);
  });
});

function sayBlocked(body: object, stream: boolean): void {
  const text = JSON.stringify(body);
  if (!stream) painter.say({ pieces: [Buffer.from(text)] });
  else {
    const headers = { 'content-type': 'text/event-stream' };
    painter.say({ headers, pieces: [Buffer.from(`data: ${text}\r\n\r\n`)] });
  }
}

it('a stream that breaks off is no image, and costs nothing', async () => {
  const headers = { 'content-type': 'text/event-stream' };
  const { candidates } = JSON.parse(answer([PICTURE]).toString());
  const text = JSON.stringify({ candidates: [{ content: candidates[0].content }], ...USAGE });
  painter.say({ headers, pieces: [Buffer.from(`data: ${text}\r\n\r\n`)] });
  const body = { model: 'canned', prompt: 'x', stream: true };
  const response = await world.post('/v1/images/generations', body);
  expect(await response.json()).toMatchObject({ code: 50202 });
  const row = await rowOf(response.headers.get('x-request-id'));
  expect(row).toMatchObject({ status: 502, images: 0n, amount_micro: 0n });
});

describe('40004 names what cannot be done, before any vendor is asked', () => {
  it.each([
    ['n: this model makes one image at a time', { n: 2 }],
    ['mask: this model edits without masks', { mask: { image_url: 'data:image/png;base64,AAAA' } }],
    ['images[0].file_id: a file kept at another vendor cannot be sent', { images: [{ file_id: 'file-1' }] }],
  ])('%s', async (message, fields) => {
    const response = await world.post('/v1/images/generations', { model: 'painter', prompt: 'x', ...fields });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 40004, message });
  });

  it.each([
    ['a private address', 'http://169.254.169.254/latest/meta-data?token=secret'],
    ['a port nobody may ask', 'http://a.example:6379/?token=secret'],
    ['a page', 'PAGE'],
  ])('%s is not fetched, and its query is not repeated', async (_what, address) => {
    const image_url = address === 'PAGE' ? `${mediaUrl}/page` : address;
    const body = { model: 'painter', prompt: 'x', images: [{ image_url }] };
    const response = await world.post('/v1/images/edits', body);
    const text = await response.text();
    expect(response.status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ code: 40004 });
    expect(JSON.parse(text).message).toMatch(/^image(: |\[0\]: )/);
    expect(text).not.toMatch(/secret|169\.254|example/);
  });

  it('a text-only model', async () => {
    const response = await world.post('/v1/images/generations', { model: 'writer', prompt: 'x' });
    expect(await response.json()).toMatchObject({ code: 40004 });
  });
});

it('an image address of a Chat client reaches a Gemini model as bytes', async () => {
  painter.say({ pieces: [Buffer.from(JSON.stringify({ candidates: [], ...USAGE }))] });
  const content = [
    { type: 'text', text: 'what is it?' },
    { type: 'image_url', image_url: { url: `${mediaUrl}/a.png` } },
  ];
  const body = { model: 'canned', messages: [{ role: 'user', content }] };
  const response = await world.post('/v1/chat/completions', body);
  expect(response.status, await response.clone().text()).toBe(200);
  expect(JSON.parse(painter.heard().body.toString()).contents[0].parts[1]).toEqual({
    inlineData: { mimeType: 'image/png', data: PICTURE.toString('base64') },
  });
});
