import { ApiError, GoogleGenAI, Type } from '@google/genai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let client: GoogleGenAI;
beforeAll(async () => {
  world = await startWorld({ environment: { TOLLGATE_KEEP_ALIVE_MS: '50' } });
  client = clientOf(world.key);
});
afterAll(() => world.close());

/** The SDK always sends its own key as `x-goog-api-key` too. */
function clientOf(key: string, address = world.url): GoogleGenAI {
  const headers = { Authorization: `Bearer ${key}` };
  return new GoogleGenAI({ apiKey: 'never-forwarded', httpOptions: { baseUrl: address, headers } });
}

const MODEL = 'gemini-3-pro';
const TOOL = {
  functionDeclarations: [
    {
      name: 'weather',
      parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] },
    },
  ],
};

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => expect.unreachable('the call succeeded'),
    (error: unknown) => error,
  );
}

/** Reads a stream to its end. */
async function readStream(
  contents: string,
  from = client,
): Promise<{ text: string; chunks: number; last: string }> {
  let text = '';
  let chunks = 0;
  let last = '';
  for await (const chunk of await from.models.generateContentStream({ model: MODEL, contents })) {
    text += chunk.text ?? '';
    chunks++;
    last = chunk.candidates?.[0]?.finishReason ?? '';
  }
  return { text, chunks, last };
}

describe('generate-content with the Google SDK', () => {
  it('a plain call has text, usage and the platform’s model', async () => {
    const contents = 'hello [[sim tag=g1 tokens=7]]';
    const answer = await client.models.generateContent({ model: MODEL, contents });
    expect(answer.modelVersion).toBe(MODEL);
    expect(answer.text?.split(' ')).toHaveLength(7);
    const truth = world.simulator.truth.find('g1');
    expect(answer.usageMetadata?.promptTokenCount).toBe(truth?.inputTokens);
    expect(truth?.headers['x-goog-api-key']).toBe('sk-sim-google');
    expect(JSON.stringify(truth?.headers)).not.toContain('never-forwarded');
  });

  it('a stream is assembled and ends with a finish reason', async () => {
    const { text, last } = await readStream('[[sim tokens=9]]');
    expect(text.split(' ')).toHaveLength(9);
    expect(last).toBe('STOP');
  });

  it('a base address with /v1 behind it works as well', async () => {
    const { text } = await readStream('[[sim tokens=5]]', clientOf(world.key, `${world.url}/v1`));
    expect(text.split(' ')).toHaveLength(5);
  });

  it('tools are called and their results are accepted, signatures included', async () => {
    const config = { tools: [TOOL] };
    const question = { role: 'user', parts: [{ text: '[[sim tool=weather]]' }] };
    const first = await client.models.generateContent({ model: MODEL, contents: [question], config });
    const call = first.functionCalls?.[0];
    expect(call?.name).toBe('weather');
    expect(call?.args).toHaveProperty('city');
    const turn = first.candidates?.[0]?.content ?? {};
    const functionResponse = { id: call?.id ?? '', name: 'weather', response: { sky: 'blue' } };
    const next = await client.models.generateContent({
      model: MODEL,
      config,
      contents: [question, turn, { role: 'user', parts: [{ functionResponse }] }],
    });
    expect(next.text).toBeTruthy();
  });

  it('a chat keeps its history through streams', async () => {
    const chat = client.chats.create({ model: MODEL });
    for (const message of ['one [[sim tokens=4]]', 'two [[sim tokens=5]]']) {
      for await (const chunk of await chat.sendMessageStream({ message })) expect(chunk).toBeDefined();
    }
    // Curated: a turn that the SDK took for broken would be missing.
    const roles = chat.getHistory(true).map(({ role }) => role ?? '');
    expect(roles.join(' ')).toMatch(/^user( model)+ user( model)+$/);
  });
});

describe('errors in the Google SDK', () => {
  it('an error of the gateway is raised with its message and code', async () => {
    const call = clientOf('sk-garbage').models.generateContent({ model: MODEL, contents: 'hello' });
    const error = await failureOf(call);
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).status).toBe(401);
    expect((error as ApiError).message).toContain('"code":40101');
    expect((error as ApiError).message).toContain('The API key is invalid, deleted, disabled or expired');
  });

  it('an error of the vendor is raised unchanged', async () => {
    const config = { temperature: 9 };
    const call = client.models.generateContent({ model: MODEL, contents: 'hello', config });
    expect(await failureOf(call)).toMatchObject({
      status: 400,
      message: expect.stringContaining('INVALID_ARGUMENT'),
    });
  });

  it('an error before the first event of a stream is an ordinary one', async () => {
    const error = await failureOf(readStream('[[sim fault=status@400]]'));
    expect(error).toMatchObject({ status: 400 });
  });
});

describe('a cut stream raises in the Google SDK', () => {
  for (const fault of ['reset@4', 'fin@4', 'error-event@4']) {
    it(`after ${fault}`, async () => {
      let chunks = 0;
      const reading = (async () => {
        const contents = `[[sim tokens=30 fault=${fault}]]`;
        for await (const _ of await client.models.generateContentStream({ model: MODEL, contents })) chunks++;
      })();
      expect(await failureOf(reading)).toBeInstanceOf(Error);
      expect(chunks).toBeGreaterThan(0);
    });
  }
});

describe('a silent vendor', () => {
  it('is bridged by empty chunks, which the Google SDK accepts', async () => {
    const { text, last } = await readStream('[[sim tokens=8 fault=pause@4:2300]]');
    expect(text.split(' ')).toHaveLength(8);
    expect(last).toBe('STOP');
  });

  it('is bridged on the wire, as events and in a JSON array', async () => {
    const path = `/v1beta/models/${MODEL}:streamGenerateContent`;
    const body = { contents: [{ parts: [{ text: '[[sim tokens=4 fault=pause@2:1500]]' }] }] };
    const [events, array] = await Promise.all([world.post(`${path}?alt=sse`, body), world.post(path, body)]);
    const said = await events.text();
    // As the strictest SDKs read: an event with data behind the other, and nothing between them.
    expect(said).toMatch(/\r\n\r\ndata: \{"candidates":\[\{"content":\{"parts":\[\{"text":""\}\]/);
    expect(said.replaceAll(/data: .*(?:\n\n|\r\n\r\n)/g, '')).toBe('');
    // White space between the elements is all that an array allows, and it stays one.
    const text = await array.text();
    expect(text).toMatch(/\}\n+,?\s*\{/);
    expect(JSON.parse(text)).toHaveLength(5);
  });
});
