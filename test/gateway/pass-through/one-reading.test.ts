import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BREAKER_FAILURES } from '../../../src/bounds.ts';
import { startWorld, type World } from '../../support/world.ts';
import { type RecordingVendor, startRecordingVendor } from './recording-vendor.ts';
import { CHAT, GENERATE, IMAGES, MESSAGES, PLATFORM_MODEL, VENDOR_MODEL, withModel } from './shapes.ts';

/** Two routes of one model, to see which one is asked. */
let world: World;
let first: RecordingVendor;
let second: RecordingVendor;

beforeAll(async () => {
  first = await startRecordingVendor();
  second = await startRecordingVendor();
  world = await startWorld({ catalog: CATALOG, environment: { FIRST: first.url, SECOND: second.url } });
});
afterAll(async () => {
  await world.close();
  await first.close();
  await second.close();
});

const CATALOG = `
defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false }
vendors:
  - { code: openai, name: OpenAI, icon: o, protocols: [chat, responses, images], base_url: "\${FIRST}/v1" }
  - { code: anthropic, name: Anthropic, icon: a, protocols: [messages], base_url: "\${FIRST}" }
  - { code: google, name: Google, icon: g, protocols: [gemini], base_url: "\${FIRST}" }
credentials:
  - { name: one, vendor: openai, secret: sk-one }
  - { name: two, vendor: openai, secret: sk-two, base_url: "\${SECOND}/v1" }
  - { name: anthropic-main, vendor: anthropic, secret: sk-of-the-house }
  - { name: google-main, vendor: google, secret: sk-of-the-house }
models:
  - model_id: ${PLATFORM_MODEL}
    name: Model 9
    prices: { input: "10", output: "30", image: "0.3" }
    max_output_tokens: 1000
    routes:
      - { vendor: openai, credential: one, forward_model_id: ${VENDOR_MODEL}, priority: 10 }
      - { vendor: openai, credential: two, forward_model_id: ${VENDOR_MODEL}, priority: 20 }
      - { vendor: anthropic, credential: anthropic-main, forward_model_id: ${VENDOR_MODEL}, priority: 30 }
      - { vendor: google, credential: google-main, forward_model_id: ${VENDOR_MODEL}, priority: 30 }
policies:
  - { id: 1, name: default, concurrency: 500, windows: [] }
accounts:
  - { email: user@example.com, password: "a test password", user_type: 1, credits: "50000" }
`;

type Body = string | Uint8Array<ArrayBuffer>;

/** The code of the answer. */
async function ask(path: string, body: Body, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(world.url + path, {
    method: 'POST',
    headers: { ...world.headers(), ...headers },
    body,
  });
  return ((await response.json()) as { code: number }).code;
}

describe('ambiguous input is 40002 and reaches no vendor', () => {
  const OPEN = `{"model":"${PLATFORM_MODEL}"`;
  it.each([
    ['chat', CHAT.path, `${OPEN},"Model":"dearer","messages":[]}`],
    ['chat', CHAT.path, `${OPEN},"Stream":true,"messages":[]}`],
    ['chat', CHAT.path, `${OPEN},"stream":true,"Stream_Options":{"include_usage":false}}`],
    ['chat', CHAT.path, `${OPEN},"stream":true,"stream_options":{"Include_Usage":false}}`],
    ['chat', CHAT.path, `${OPEN},"n":1,"N":10}`],
    ['chat', CHAT.path, `${OPEN},"max_tokens":1,"max_tokens":9000}`],
    ['messages', MESSAGES.path, `${OPEN},"max_tokens":1,"ſtream":true}`],
    ['gemini', GENERATE.path, '{"contents":[],"model":"models/dearer"}'],
    ['gemini', GENERATE.path, '{"generationConfig":{"candidateCount":1,"candidate_count":8}}'],
    ['images', IMAGES.path, `${OPEN},"n":1,"n":10,"prompt":"x"}`],
    ['chat', CHAT.path, `${OPEN}${`,"model":"${PLATFORM_MODEL}"`.repeat(8)}}`],
    ['chat', CHAT.path, `\ufeff${OPEN}}`],
  ])('%s: %s %.90s', async (_protocol, path, body) => {
    expect(await ask(path, body)).toBe(40002);
    expect(() => first.heard()).toThrow('heard nothing');
  });

  it.each([`"n":"10"`, `"stream":1`, `"stream":"true"`])('%s has a wrong type: 40004', async (member) => {
    expect(await ask(CHAT.path, `${OPEN},${member}}`)).toBe(40004);
    expect(() => first.heard()).toThrow('heard nothing');
  });

  it('in UTF-16, and in bytes that are not UTF-8', async () => {
    expect(await ask(CHAT.path, new Uint8Array(Buffer.from(`${OPEN}}`, 'utf16le')))).toBe(40002);
    expect(await ask(CHAT.path, new Uint8Array(Buffer.from(`${OPEN},"x":"\xff"}`, 'latin1')))).toBe(40002);
    expect(() => first.heard()).toThrow('heard nothing');
  });

  it.each([
    'application/json; charset=utf-16',
    'application/json;charset="UTF-16"',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json; Charset=latin1',
    'application/json; charset=us-ascii',
    `application/json; charset*=utf-8''utf-16`,
    'application/json; charset = utf-16',
    'application/problem+json; charset=utf-7',
  ])('and is 41501 as %s', async (type) => {
    expect(await ask(CHAT.path, `${OPEN}}`, { 'content-type': type })).toBe(41501);
    expect(() => first.heard()).toThrow('heard nothing');
  });
});

describe('accepted input has one reading', () => {
  it.each([
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/vnd.x+json',
    '',
  ])('JSON with the media type "%s" is forwarded as application/json', async (type) => {
    first.say({ pieces: [withModel(CHAT.answer, VENDOR_MODEL)] });
    const body = new Uint8Array(Buffer.from(`{"model":"${PLATFORM_MODEL}","messages":[]}`));
    const headers = { ...world.headers(), 'content-type': type };
    const response = await fetch(world.url + CHAT.path, { method: 'POST', headers, body });
    expect(response.status).toBe(200);
    expect(first.heard().headers['content-type']).toBe('application/json');
  });

  it('an unknown query does not reach Google, and its usage is counted', async () => {
    first.say({ pieces: [withModel(GENERATE.answer, VENDOR_MODEL)] });
    const query =
      '?fields=candidates&$fields=x&alt=proto&callback=f&$httpMethod=GET&key=k&%66ields=y&quotaUser=u';
    const response = await world.post(`${GENERATE.path}${query}`, '{"contents":[]}');
    expect(response.status).toBe(200);
    expect(first.heard().url).toBe(GENERATE.vendorPath);
  });

  it('Messages are requested with beta=true and nothing else', async () => {
    first.say({ pieces: [withModel(MESSAGES.answer, VENDOR_MODEL)] });
    const body = `{"model":"${PLATFORM_MODEL}","max_tokens":1,"messages":[]}`;
    await world.post(`${MESSAGES.path}?model=x&beta=true&beta=false`, body);
    expect(first.heard().url).toBe(`${MESSAGES.vendorPath}?beta=true`);
  });
});

describe('an effect of the request is no failure of a route', () => {
  const EVENTS = { 'content-type': 'text/event-stream' };

  /** Twice as many calls as eject a route that fails; the second vendor serves each of them. */
  async function askOften(path: string, body: string): Promise<void> {
    for (let index = 0; index < 2 * BREAKER_FAILURES; index++) {
      const response = await world.post(path, body);
      expect(response.status).toBe(200);
      expect(response.headers.get('x-tollgate-attempts')).toBe('2');
      await response.arrayBuffer();
    }
  }

  /** Some vendors know no streams of pictures, and answer as if they had not been asked for one. */
  it('such as a plain answer to a streaming call', async () => {
    first.say({ pieces: [withModel(IMAGES.answer, VENDOR_MODEL)] });
    const picture = '{"type":"image_generation.completed","b64_json":"QUJD"}';
    second.say({ headers: EVENTS, pieces: [Buffer.from(`data: ${picture}\n\n`)] });
    await askOften(IMAGES.path, `{"model":"${PLATFORM_MODEL}","prompt":"x","stream":true}`);
    const honest = await world.post(IMAGES.path, `{"model":"${PLATFORM_MODEL}","prompt":"honest"}`);
    expect(honest.status).toBe(200);
    expect(first.heard().body.toString()).toContain('honest');
  });

  it('or a stream in answer to a plain call', async () => {
    const events = Buffer.from('data: {"choices":[]}\n\ndata: [DONE]\n\n');
    const plain = { pieces: [withModel(CHAT.answer, VENDOR_MODEL)] };
    first.say({ headers: EVENTS, pieces: [events] });
    second.say(plain);
    await askOften(CHAT.path, `{"model":"${PLATFORM_MODEL}","messages":[]}`);
    first.say(plain);
    const honest = await world.post(CHAT.path, `{"model":"${PLATFORM_MODEL}","messages":[],"user":"honest"}`);
    expect(honest.status).toBe(200);
    expect(first.heard().body.toString()).toContain('honest');
  });
});
