import { type Content, type GenerateContentResponse, GoogleGenAI, ThinkingLevel } from '@google/genai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countTokens } from '../answer/tokens.ts';
import { type Simulator, startSimulator } from '../server.ts';

let simulator: Simulator;
let client: GoogleGenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new GoogleGenAI({ apiKey: 'sk-sim-google', httpOptions: { baseUrl: simulator.url } });
});
afterAll(() => simulator.close());

const weather = {
  functionDeclarations: [
    {
      name: 'get_weather',
      parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  ],
};

describe('generateContent, through the official SDK', () => {
  it('answers plainly; thoughts are apart from candidates', async () => {
    const answer = await client.models.generateContent({
      model: 'gemini-2.5-flash',
      contents: 'hello [[sim tag=g1 tokens=9 thinking=4 cached=2]]',
    });
    const truth = simulator.truth.find('g1');
    expect(countTokens(answer.text ?? '')).toBe(9);
    expect(answer.candidates?.[0]?.finishReason).toBe('STOP');
    expect(answer.usageMetadata).toMatchObject({
      promptTokenCount: truth?.inputTokens,
      candidatesTokenCount: 9,
      thoughtsTokenCount: 4,
      cachedContentTokenCount: 2,
      totalTokenCount: (truth?.inputTokens ?? 0) + 13,
    });
    expect(truth).toMatchObject({ outputTokens: 13, reasoningTokens: 4, model: 'gemini-2.5-flash' });
  });

  it('streams thoughts and text with cumulative usage, and the finish reason last', async () => {
    const chunks: GenerateContentResponse[] = [];
    const stream = await client.models.generateContentStream({
      model: 'gemini-3-pro',
      contents: 'hello [[sim tag=g2 tokens=5 thinking=3]]',
      config: { thinkingConfig: { includeThoughts: true, thinkingLevel: ThinkingLevel.HIGH } },
    });
    for await (const chunk of stream) chunks.push(chunk);
    const totals = chunks.map((chunk) => chunk.usageMetadata?.totalTokenCount ?? 0);
    expect(totals).toEqual([...totals].sort((one, other) => one - other));
    const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
    expect(parts.filter((part) => part.thought === true).length).toBe(3);
    expect(parts.some((part) => part.thoughtSignature !== undefined)).toBe(true);
    expect(chunks.map((chunk) => chunk.candidates?.[0]?.finishReason).filter(Boolean)).toEqual(['STOP']);
    expect(chunks.at(-1)?.usageMetadata).toMatchObject({ candidatesTokenCount: 5, thoughtsTokenCount: 3 });
    expect(simulator.truth.find('g2')).toMatchObject({ outputTokens: 8, reasoningTokens: 3 });
  });

  it('signs the first call of a step and requires the signature in the next request', async () => {
    const config = { tools: [weather] };
    const question: Content = {
      role: 'user',
      parts: [{ text: 'weather? [[sim tool=get_weather tokens=4]]' }],
    };
    const first = await client.models.generateContent({
      model: 'gemini-3-pro',
      contents: [question],
      config,
    });
    const parts = first.candidates?.[0]?.content?.parts ?? [];
    const call = parts[0]?.functionCall;
    expect(call).toMatchObject({ name: 'get_weather', id: expect.any(String) });
    const response = {
      functionResponse: { id: call?.id as string, name: 'get_weather', response: { output: 'sunny' } },
    };
    const again = (given: Content['parts']): Promise<GenerateContentResponse> =>
      client.models.generateContent({
        model: 'gemini-3-pro',
        contents: [question, { role: 'model', parts: given as [] }, { role: 'user', parts: [response] }],
        config,
      });
    expect(countTokens((await again(parts)).text ?? '')).toBe(4);
    const bare = parts.map(({ thoughtSignature: _, ...part }) => part);
    await expect(again(bare)).rejects.toThrow(
      'Function call is missing a thought_signature in functionCall parts.',
    );
    const lost = bare.map((part) => ({ ...part, thoughtSignature: 'skip_thought_signature_validator' }));
    expect((await again(lost)).candidates?.[0]?.finishReason).toBe('STOP');
    const foreign = bare.map((part) => ({ ...part, thoughtSignature: 'Zm9yZWlnbg==' }));
    await expect(again(foreign)).rejects.toThrow('Corrupted thought signature.');
  });

  it('signs the words of an answer without calls, and refuses the signature on others', async () => {
    const model = 'gemini-3-pro';
    const question: Content = { role: 'user', parts: [{ text: 'speak [[sim thinking=3 tokens=4]]' }] };
    const more: Content = { role: 'user', parts: [{ text: 'more [[sim tokens=2]]' }] };
    const answer = await client.models.generateContent({ model, contents: [question] });
    const [words, ...others] = answer.candidates?.[0]?.content?.parts ?? [];
    expect(words).toEqual({ text: expect.any(String), thoughtSignature: expect.any(String) });
    expect(others).toEqual([]);
    const next = (parts: Content['parts']): Promise<GenerateContentResponse> =>
      client.models.generateContent({
        model,
        contents: [question, { role: 'model', parts: parts as [] }, more],
      });
    expect(countTokens((await next([words as object])).text ?? '')).toBe(2);
    const half = (words?.text ?? '').slice(0, 5);
    const halves = [{ text: half }, { ...words, text: (words?.text ?? '').slice(5) }];
    expect(countTokens((await next(halves)).text ?? '')).toBe(2);
    await expect(next([{ ...words, text: half }])).rejects.toThrow('Corrupted thought signature.');
    const stream = await client.models.generateContentStream({
      model,
      contents: [{ role: 'user', parts: [{ text: 'speak [[sim thinking=3 tokens=4 signwords]]' }] }],
    });
    const streamed = [];
    for await (const chunk of stream) streamed.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    const signed = streamed.filter(({ thoughtSignature }) => thoughtSignature !== undefined);
    expect(signed).toHaveLength(1);
    expect(signed[0]?.text).not.toBe('');
  });

  it('holds a conversation with the SDK’s own chat', async () => {
    const chat = client.chats.create({ model: 'gemini-3-pro', config: { tools: [weather] } });
    const stream = await chat.sendMessageStream({
      message: 'one [[sim tool=get_weather,get_weather steps=2]]',
    });
    const calls = [];
    for await (const chunk of stream) calls.push(...(chunk.functionCalls ?? []));
    expect(calls.length).toBe(2);
    // The SDK keeps every chunk as a content of its own: together they are one turn.
    const message = calls.map((call) => ({
      functionResponse: {
        id: call.id as string,
        name: 'get_weather',
        response: { output: 'sunny' },
      },
    }));
    const second = await chat.sendMessage({ message });
    expect(second.functionCalls).toHaveLength(2);
  });

  it('stops at its limit, blocks a prompt, and writes JSON by schema', async () => {
    const ask = (contents: string, config: object = {}): Promise<GenerateContentResponse> =>
      client.models.generateContent({ model: 'gemini-2.5-flash', contents, config });
    const cut = await ask('[[sim tokens=40]]', { maxOutputTokens: 7 });
    expect([cut.candidates?.[0]?.finishReason, countTokens(cut.text ?? '')]).toEqual(['MAX_TOKENS', 7]);
    expect((await ask('[[sim refuse]]')).candidates?.[0]?.finishReason).toBe('SAFETY');
    const responseSchema = { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] };
    const json = await ask('x', { responseMimeType: 'application/json', responseSchema });
    expect(JSON.parse(json.text ?? '')).toMatchObject({ city: expect.any(String) });
  });

  it('makes a picture when the request asks for one', async () => {
    const answer = await client.models.generateContent({
      model: 'gemini-2.5-flash-image',
      contents: 'a cat [[sim tag=g7]]',
      config: { responseModalities: ['TEXT', 'IMAGE'] },
    });
    expect(answer.data).toMatch(/^iVBOR/);
    expect(simulator.truth.find('g7')?.images).toBe(1);
  });

  it('makes a picture with an image model unless the request wants text only', async () => {
    const model = 'gemini-2.5-flash-image';
    const painted = await client.models.generateContent({ model, contents: 'a cat' });
    expect(painted.data).toMatch(/^iVBOR/);
    const config = { responseModalities: ['TEXT'] };
    const written = await client.models.generateContent({ model, contents: 'a cat', config });
    expect(written.data).toBeUndefined();
  });

  it('counts tokens, and checks its key', async () => {
    const contents = 'hello there';
    const counted = await client.models.countTokens({ model: 'gemini-2.5-flash', contents });
    const answered = await client.models.generateContent({ model: 'gemini-2.5-flash', contents });
    expect(counted.totalTokens).toBe(answered.usageMetadata?.promptTokenCount);
    const stranger = new GoogleGenAI({ apiKey: 'no', httpOptions: { baseUrl: simulator.url } });
    await expect(stranger.models.generateContent({ model: 'gemini-2.5-flash', contents })).rejects.toThrow(
      'API_KEY_INVALID',
    );
  });

  it('streams one growing JSON array without alt=sse, with errors inside it', async () => {
    const send = (model: string): Promise<Response> =>
      fetch(`${simulator.url}/v1beta/models/${model}:streamGenerateContent?key=sk-sim-google`, {
        method: 'POST',
        body: JSON.stringify({ contents: [{ parts: [{ text: '[[sim tokens=4]]' }] }] }),
      });
    const chunks = (await (await send('gemini-2.5-flash')).json()) as GenerateContentResponse[];
    expect(chunks.length).toBe(5);
    expect(chunks.at(-1)?.candidates?.[0]?.finishReason).toBe('STOP');
    const missing = await send('gemini-0');
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject([{ error: { code: 404, status: 'NOT_FOUND' } }]);
  });
});
