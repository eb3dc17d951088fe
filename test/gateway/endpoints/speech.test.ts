import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { soundOf } from '../../../sim/openai-speech/dialect.ts';
import { startWorld, type World } from '../../support/world.ts';
import { type LoggedCall, loggedCall } from '../logged-call.ts';

/** The world puts the simulator's address here. */
const SIM = '$'.concat('{SIM}');
/** Yuan for a million characters, and so micro-yuan for one. */
const PRICE = 100n;
let world: World;
let openai: OpenAI;

const CATALOG = JSON.stringify({
  defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false },
  vendors: [{ code: 'openai', name: 'OpenAI', protocols: ['chat', 'speech'], base_url: `${SIM}/v1` }],
  credentials: [{ name: 'openai', vendor: 'openai', secret: 'sk-sim-openai' }],
  models: [
    {
      ...{ model_id: 'voice', prices: { input: '100' } },
      routes: [{ vendor: 'openai', credential: 'openai', forward_model_id: 'tts-1' }],
    },
  ],
  policies: [
    { id: 1, name: 'default', concurrency: 100, windows: [] },
    { id: 2, name: 'few', windows: [{ dimension: 'tokens', seconds: 3600, limit: 20 }] },
  ],
  accounts: [
    { email: 'user@example.com', password: 'user-password', user_type: 1, credits: '50000' },
    { email: 'poor@example.com', password: 'user-password', user_type: 1, credits: '2' },
  ],
});

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

function asked(input: string) {
  return { model: 'voice', voice: 'alloy', input };
}

it('the sound of a text passes byte for byte, and costs its characters', async () => {
  const input = 'Boats land at the pier, 船 and 🚢. [[sim tag=spoken]]';
  const characters = BigInt([...input].length);
  const response = await openai.audio.speech.create(asked(input));
  expect(response.headers.get('content-type')).toBe('audio/mpeg');
  expect(response.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(Buffer.from(await response.arrayBuffer()).toString('latin1')).toBe(soundOf(input));
  const row = await lastCall();
  expect(row).toMatchObject({
    ...{ status: 200, verdict: 'complete', estimated: false, protocol_in: 'speech', protocol_out: 'speech' },
    ...{ input_fresh: characters, output_text: 0n, amount_micro: characters * PRICE },
  });
  expect(row.held_micro).toBe(characters * PRICE * 1000n);
  expect(world.simulator.truth.find('spoken')).toMatchObject({
    ...{ path: '/v1/audio/speech', model: 'tts-1', inputTokens: Number(characters) },
  });
});

it('what says how to speak is charged like what is spoken', async () => {
  const instructions = 'Speak slowly. '.repeat(500);
  const response = await openai.audio.speech.create({ ...asked('Hello.'), instructions });
  await response.arrayBuffer();
  const characters = BigInt('Hello.'.length + instructions.length);
  expect(await lastCall()).toMatchObject({ input_fresh: characters, amount_micro: characters * PRICE });
});

it('what cannot be counted is refused, and the vendor hears nothing', async () => {
  const heard = world.simulator.stats.requests;
  for (const body of [{ input: ['x'.repeat(100_000)] }, { input: 'x', instructions: {} }, { text: 'x' }]) {
    const response = await world.post('/v1/audio/speech', { model: 'voice', voice: 'alloy', ...body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 40004, error: { type: 'invalid_request_error' } });
  }
  expect(world.simulator.stats.requests).toBe(heard);
});

it('it arrives while it is made', async () => {
  const response = await openai.audio.speech.create(asked('Slowly. [[sim pace=20]]'));
  let pieces = 0;
  for await (const _piece of response.body as unknown as AsyncIterable<Uint8Array>) pieces++;
  expect(pieces).toBeGreaterThan(5);
});

it('who leaves in the middle has the vendor stopped, and pays for the text', async () => {
  const input = 'Nobody listens to the end. [[sim pace=100 tag=left]]';
  const left = new AbortController();
  const response = await openai.audio.speech.create(asked(input), { signal: left.signal });
  const reader = response.body?.getReader();
  await reader?.read();
  left.abort();
  await expect.poll(() => world.simulator.truth.find('left')?.finished).toBe('aborted-by-client');
  await expect.poll(async () => (await lastCall()).verdict).toBe('cut-by-client');
  expect(await lastCall()).toMatchObject({ input_fresh: BigInt([...input].length), estimated: false });
});

it('a vendor that breaks off is a broken connection for the client, never a shorter sound', async () => {
  const response = await openai.audio.speech.create(asked('It breaks. [[sim fault=reset@5]]'));
  await expect(response.arrayBuffer()).rejects.toThrow();
  expect((await lastCall()).verdict).toBe('cut-by-upstream');
});

it('money and windows are looked at before the vendor is asked', async () => {
  const long = 'many words '.repeat(20);
  const poor = clientOf(await world.newKey('poor@example.com'));
  await expect(poor.audio.speech.create(asked(long))).rejects.toMatchObject({ status: 403, code: '40201' });
  const few = clientOf(await world.newKey('user@example.com', { policyId: 2 }));
  await (await few.audio.speech.create(asked(long))).arrayBuffer();
  await expect(few.audio.speech.create(asked(long))).rejects.toMatchObject({ status: 429, code: '42903' });
});

it('errors of vendor and gateway have the form of OpenAI', async () => {
  const wrong = openai.audio.speech.create({ ...asked('x'), speed: 9 });
  await expect(wrong).rejects.toMatchObject({ status: 400, param: 'speed' });
  const response = await world.post('/v1/audio/speech', { input: 'x', voice: 'alloy' });
  expect(await response.json()).toMatchObject({ code: 40003, error: { type: 'gateway_error' } });
});
