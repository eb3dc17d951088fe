import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';
import { type LoggedCall, loggedCall } from '../logged-call.ts';

/** The world puts the simulator's address here. */
const SIM = '$'.concat('{SIM}');
let world: World;
let openai: OpenAI;

const CATALOG = JSON.stringify({
  defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false },
  vendors: [{ code: 'openai', name: 'OpenAI', protocols: ['chat', 'transcriptions'], base_url: `${SIM}/v1` }],
  credentials: [{ name: 'openai', vendor: 'openai', secret: 'sk-sim-openai' }],
  models: [
    model('by-tokens', 'gpt-4o-transcribe'),
    model('by-seconds', 'whisper-1'),
    model('only-hears', 'whisper-1', ['transcriptions']),
  ],
  policies: [{ id: 1, name: 'default', concurrency: 100, windows: [] }],
  accounts: [
    { email: 'user@example.com', password: 'user-password', user_type: 1, credits: '50000' },
    { email: 'poor@example.com', password: 'user-password', user_type: 1, credits: '1' },
  ],
});

function model(model_id: string, forward_model_id: string, protocols?: readonly string[]): object {
  const route = { vendor: 'openai', credential: 'openai', forward_model_id, ...(protocols && { protocols }) };
  return { model_id, prices: { input: '40', output: '70' }, routes: [route] };
}

beforeAll(async () => {
  world = await startWorld({ catalog: CATALOG });
  openai = clientOf(world.key);
});
afterAll(() => world.close());

function clientOf(apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${world.url}/v1`, apiKey, maxRetries: 0 });
}

const BYTES_PER_SECOND = 16_000;

/** So many seconds of silence. */
function silence(seconds: number): Promise<File> {
  const head = Buffer.alloc(44);
  const data = Buffer.alloc(Math.round(seconds * BYTES_PER_SECOND));
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(BYTES_PER_SECOND, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(data.length, 40);
  return toFile(Buffer.concat([head, data]), 'silence.wav', { type: 'audio/wav' });
}

async function lastCall(): Promise<LoggedCall> {
  await world.settled();
  const [row] = await world.database.query<{ call_id: string }>(
    'select call_id from calls order by id desc limit 1',
  );
  return loggedCall(world, row?.call_id ?? null);
}

/** The call is charged as the vendor served it. */
function isExact(row: LoggedCall, input: number, output: number): void {
  expect(row).toMatchObject({
    ...{ status: 200, verdict: 'complete', estimated: false },
    ...{ protocol_in: 'transcriptions', protocol_out: 'transcriptions' },
    ...{ input_fresh: BigInt(input), output_text: BigInt(output) },
    amount_micro: BigInt(input) * 40n + BigInt(output) * 70n,
  });
  expect(row.held_micro).toBeGreaterThanOrEqual((row.amount_micro as bigint) * 1000n);
}

describe('transcriptions with the SDK of OpenAI', () => {
  it('are charged by tokens where the vendor counts tokens', async () => {
    const prompt = '[[sim tokens=25 tag=tokens]]';
    const answer = await openai.audio.transcriptions.create({
      ...{ model: 'by-tokens', file: await silence(12), prompt },
    });
    const truth = world.simulator.truth.find('tokens');
    expect(answer.text).toBe(truth?.said?.text);
    expect(truth).toMatchObject({ path: '/v1/audio/transcriptions', model: 'gpt-4o-transcribe' });
    isExact(await lastCall(), truth?.inputTokens ?? -1, 25);
  });

  it('stream, and are charged by the usage in the last event', async () => {
    const stream = await openai.audio.transcriptions.create({
      ...{ model: 'by-tokens', file: await silence(9), prompt: '[[sim tokens=30 tag=stream]]' },
      stream: true,
    });
    let text = '';
    const types = new Set<string>();
    for await (const event of stream) {
      types.add(event.type);
      if (event.type === 'transcript.text.delta') text += event.delta;
    }
    expect([...types]).toEqual(['transcript.text.delta', 'transcript.text.done']);
    const truth = world.simulator.truth.find('stream');
    expect(text).toBe(truth?.said?.text);
    isExact(await lastCall(), truth?.inputTokens ?? -1, 30);
  });

  it('are charged by begun seconds where the vendor counts those', async () => {
    await openai.audio.transcriptions.create({ model: 'by-seconds', file: await silence(7.3) });
    isExact(await lastCall(), 8, 0);
    const file = await silence(3.5);
    await openai.audio.transcriptions.create({
      ...{ model: 'by-seconds', file, response_format: 'verbose_json', prompt: '[[sim usage=none]]' },
    });
    isExact(await lastCall(), 4, 0);
  });

  it('of a model that counts seconds hold the most seconds that the file can have, and no words', async () => {
    await openai.audio.transcriptions.create({ model: 'by-seconds', file: await silence(60) });
    const wav = await lastCall();
    isExact(wav, 60, 0);
    expect(wav.held_micro).toBeLessThanOrEqual(61n * 40n * 1000n);
    // The header of another file tells nothing: a kilobyte is a second at most.
    const file = await toFile(Buffer.concat([Buffer.from('OggS'), Buffer.alloc(29_996)]), 'a.ogg');
    await expect(openai.audio.transcriptions.create({ model: 'by-seconds', file })).rejects.toThrow();
    expect((await lastCall()).held_micro).toBe(30n * 40n * 1000n);
    await openai.audio.transcriptions.create({ model: 'by-tokens', file: await silence(60) });
    expect((await lastCall()).held_micro).toBeGreaterThan(60n * 10n * 40n * 1000n);
  });

  it.each([
    ['chat', '/v1/chat/completions', { messages: [{ role: 'user', content: 'hello' }] }],
    ['responses', '/v1/responses', { input: 'hello' }],
    ['messages', '/v1/messages', { max_tokens: 9, messages: [{ role: 'user', content: 'hello' }] }],
    ['completions', '/v1/completions', { prompt: 'hello' }],
    ['speech', '/v1/audio/speech', { input: 'hello', voice: 'alloy' }],
    ['embeddings', '/v1/embeddings', { input: 'hello' }],
  ])(
    'is all that a model of theirs does: %s is refused, and the vendor hears nothing',
    async (protocol, path, body) => {
      const heard = world.simulator.stats.requests;
      const response = await world.post(path, { model: 'only-hears', ...body });
      expect(response.status).toBe(400);
      const told = (await response.json()) as { readonly message: string };
      expect(told).toMatchObject({ code: 40004, error: { type: 'gateway_error', message: told.message } });
      expect(told.message).toBe(`No usable upstream of this model can serve "${protocol}"`);
      expect(world.simulator.stats.requests).toBe(heard);
    },
  );

  it('as plain text are charged by the length of the sound, and say so', async () => {
    const file = await silence(5);
    const asked = {
      model: 'by-seconds',
      file,
      response_format: 'text',
      prompt: '[[sim tokens=3 tag=text]]',
    } as const;
    const text = await openai.audio.transcriptions.create(asked);
    expect(String(text).trim()).toBe(world.simulator.truth.find('text')?.said?.text.trim());
    const row = await lastCall();
    expect(row).toMatchObject({ estimated: true, output_text: 0n });
    expect(row.input_fresh).toBeGreaterThanOrEqual(5n);
    expect(row.input_fresh).toBeLessThanOrEqual(6n);
  });

  it('of a file whose header lies are charged by what its data holds', async () => {
    const bytes = Buffer.from(await (await silence(600)).arrayBuffer());
    bytes.writeUInt32LE(0xffffffff, 28);
    const file = await toFile(bytes, 'liar.wav', { type: 'audio/wav' });
    await openai.audio.transcriptions.create({ model: 'by-seconds', file, response_format: 'text' });
    const row = await lastCall();
    expect(row).toMatchObject({ estimated: true, input_fresh: 600n, amount_micro: 600n * 40n });
    expect(row.held_micro).toBe(600n * 40n * 1000n);
  });

  it('of a prompt without a report are charged for it where the vendor counts tokens', async () => {
    const prompt = `[[sim usage=none tokens=2]] ${'many names '.repeat(100)}`;
    await openai.audio.transcriptions.create({ model: 'by-tokens', file: await silence(5), prompt });
    expect((await lastCall()).input_fresh).toBe(BigInt(5 + Math.ceil(prompt.length / 4)));
    await openai.audio.transcriptions.create({ model: 'by-seconds', file: await silence(5), prompt });
    expect(await lastCall()).toMatchObject({ input_fresh: 5n, estimated: true });
  });

  it('of sound at an address are refused, and the vendor hears nothing', async () => {
    const heard = world.simulator.stats.requests;
    const form = new FormData();
    form.set('model', 'by-seconds');
    form.set('url', 'https://sounds.invalid/ten-hours.mp3');
    const headers = { authorization: `Bearer ${world.key}` };
    const response = await fetch(`${world.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers,
      body: form,
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 40004, message: expect.stringContaining('"url"') });
    expect(world.simulator.stats.requests).toBe(heard);
  });

  it('of a model that does not stream come as a whole', async () => {
    const form = new FormData();
    form.set('model', 'by-seconds');
    form.set('stream', 'true');
    form.set('file', await silence(2));
    const headers = { authorization: `Bearer ${world.key}` };
    const url = `${world.url}/v1/audio/transcriptions`;
    const response = await fetch(url, { method: 'POST', headers, body: form });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ usage: { type: 'duration', seconds: 2 } });
    isExact(await lastCall(), 2, 0);
  });

  it('that the client leaves are aborted, and the length of the sound is charged', async () => {
    const left = new AbortController();
    const asked = { model: 'by-seconds', file: await silence(3), prompt: '[[sim delay=5000 tag=left]]' };
    const call = openai.audio.transcriptions.create(asked, { signal: left.signal });
    await expect.poll(() => world.simulator.truth.list('left').length).toBe(1);
    left.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(async () => (await lastCall()).verdict).toBe('cut-by-client');
    expect((await lastCall()).input_fresh).toBeGreaterThanOrEqual(3n);
  });

  it('of translations go to their own path', async () => {
    const file = await silence(4);
    const answer = await openai.audio.translations.create({
      ...{ model: 'by-seconds', file, prompt: '[[sim tokens=5 tag=english]]' },
    });
    const truth = world.simulator.truth.find('english');
    expect(truth?.path).toBe('/v1/audio/translations');
    expect(answer.text).toBe(truth?.said?.text);
    isExact(await lastCall(), 4, 0);
  });

  it('that cost more than there is are refused before the vendor hears of it', async () => {
    const poor = clientOf(await world.newKey('poor@example.com'));
    const file = await silence(120);
    const refused = poor.audio.transcriptions.create({
      model: 'by-tokens',
      file,
      prompt: '[[sim tag=unpaid]]',
    });
    await expect(refused).rejects.toMatchObject({ status: 403, code: '40201' });
    expect(world.simulator.truth.list('unpaid')).toEqual([]);
  });

  it('get the errors of vendor and gateway in the form of OpenAI', async () => {
    const file = await toFile(Buffer.from('no sound at all'), 'a.wav');
    const wrong = openai.audio.transcriptions.create({ model: 'by-seconds', file });
    await expect(wrong).rejects.toMatchObject({ status: 400, param: 'file' });
    const response = await world.post('/v1/audio/transcriptions', { model: 'by-seconds' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 40002, error: { type: 'gateway_error' } });
  });
});
