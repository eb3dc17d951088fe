import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ApiError, GoogleGenAI } from '@google/genai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { camelize } from '../../sim/google/camel.ts';
import { GENERATE_REQUEST } from '../../sim/google/shape.ts';
import { refuseGenerate } from '../../sim/google/validate.ts';
import { findGoogle } from '../../sim/models.ts';
import type { Json } from '../../sim/request/json.ts';
import { EFFORTS } from '../../src/kernel/capability.ts';
import { geminiCodec } from '../../src/protocol/gemini/codec.ts';
import {
  createGeminiTarget,
  decodeBody,
  encodeBody,
  encodeEvents,
  foreignSession,
  hubRequest,
} from '../../src/protocol/gemini/suite/sample.ts';
import type { HubEvent } from '../../src/protocol/hub/event.ts';
import { fitRequest } from '../../src/protocol/hub/fit/fit.ts';
import { Inexpressible } from '../../src/protocol/hub/notes.ts';
import type { Part } from '../../src/protocol/hub/part.ts';
import { type HubRequest, NO_SAMPLING, NO_THINKING, type Turn } from '../../src/protocol/hub/request.ts';
import { needs, RECORDINGS } from '../needs.ts';
import { recordingsFolder } from '../prerequisites.ts';

const MODELS = ['gemini-3-pro', 'gemini-3-flash', 'gemini-3.1-pro', 'gemini-2.5-pro', 'gemini-2.5-flash'];

/** What the strict simulator says to a request on its way to one model; nothing is consent. */
function refusal(request: HubRequest, name: string): unknown {
  const model = findGoogle(name);
  if (model === undefined) throw new Error(`no model ${name}`);
  // Signatures of made-up or recorded calls are not the simulator's own: none may return.
  const target = { ...createGeminiTarget(name, { mediaUrls: true }), issuer: 'none' };
  const { request: fitted } = fitRequest(request, target, geminiCodec.rules);
  const body = camelize(GENERATE_REQUEST, encodeBody(fitted, target).body) as Json;
  return refuseGenerate(body, model, '/v1beta/models/x:generateContent');
}

const user = (...parts: Part[]): Turn => ({ role: 'user', parts });
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts });
const text = (value: string): Part => ({ kind: 'text', text: value });
const call = (id: string): Part => ({ kind: 'tool-call', id, name: 'f', arguments: '', custom: false });
const result = (callId: string, ...parts: Part[]): Part => ({
  kind: 'tool-result',
  callId,
  parts,
  isError: false,
  custom: false,
});
const picture: Part = { kind: 'image', source: { kind: 'bytes', mime: 'image/png', base64: 'AAAA' } };
const tool = {
  kind: 'function',
  name: 'f',
  schema: '{"$schema":"x","type":"object","properties":{"a":{"type":["string","null"],"const":"x"}}}',
  strict: true,
} as const;

const CASES: readonly (readonly [string, Partial<HubRequest>])[] = [
  ['words alone', {}],
  ['a system alone', { turns: [], system: [{ kind: 'text', text: 'go' }] }],
  ['a beginning of the answer', { turns: [user(text('a')), assistant(text('b'))] }],
  ['an assistant that begins', { turns: [assistant(text('b')), user(text('a'))] }],
  [
    'system words between a call and its result',
    {
      turns: [
        user(text('a')),
        assistant(call('c')),
        { role: 'system', parts: [text('s')] },
        user(result('c')),
      ],
      tools: [tool],
    },
  ],
  ['a call nobody answered', { turns: [user(text('a')), assistant(call('c'), call('d')), user(text('b'))] }],
  ['a result nobody asked for', { turns: [user(result('c', text('x')))] }],
  ['a picture in a result', { turns: [user(text('a')), assistant(call('c')), user(result('c', picture))] }],
  ['empty words', { turns: [user(text('')), assistant(text('')), user(text('a'), text(''))] }],
  ['a call at the end', { turns: [user(text('a')), assistant(call('c'))] }],
  ['tools and a format', { tools: [tool], format: { kind: 'json' } }],
  [
    'a schema',
    {
      format: { kind: 'schema', name: 'n', description: undefined, schema: tool.schema, strict: true },
    },
  ],
  ['a forced tool', { tools: [tool], toolChoice: { kind: 'tool', name: 'f' } }],
  ['a choice without tools', { toolChoice: { kind: 'required' } }],
  [
    'a tool with a strange name',
    { tools: [{ ...tool, name: '1 strange/näme' }], toolChoice: { kind: 'tool', name: '1 strange/näme' } },
  ],
  ['a custom tool', { tools: [{ kind: 'custom', name: 'patch' }] }],
  [
    'all options at once',
    {
      sampling: { ...NO_SAMPLING, temperature: 5, topP: 0.2, seed: 2 ** 50, frequencyPenalty: 1 },
      stop: ['1', '2', '3', '4', '5', '6'],
      maxTokens: 10 ** 7,
      logprobs: 50,
    },
  ],
  ...EFFORTS.map((effort) => [`effort ${effort}`, { thinking: { ...NO_THINKING, effort } }] as const),
  ['thinking off', { thinking: { ...NO_THINKING, mode: 'off' } }],
  ['thinking as it likes', { thinking: { ...NO_THINKING, mode: 'adaptive', show: true } }],
  ['a large budget', { thinking: { ...NO_THINKING, mode: 'budget', budgetTokens: 10 ** 6 } }],
  ['a budget beyond the limit', { maxTokens: 10, thinking: { ...NO_THINKING, effort: 'high' } }],
];

describe('a request converted for Gemini', () => {
  it.each(CASES)('is accepted by the strict simulator with %s', (_name, more) => {
    for (const model of MODELS) expect(refusal(hubRequest(more), model), model).toBeUndefined();
  });

  it('is accepted when it was recorded', needs(RECORDINGS), () => {
    const files = readdirSync(recordingsFolder).filter((name) => /^generate-content.*\.jsonl$/.test(name));
    const lines = files.flatMap((name) =>
      readFileSync(join(recordingsFolder, name), 'utf8').trim().split('\n'),
    );
    let accepted = 0;
    for (const line of lines) {
      const { id, request, status } = JSON.parse(line);
      // What tools at Google said is signed as well, and goes to Google only as it came.
      if (status !== 200 || line.includes('"toolCall"')) continue;
      try {
        const found = refusal(decodeBody(request).request, 'gemini-3-pro');
        expect(found, id).toBeUndefined();
        accepted++;
      } catch (error) {
        if (!(error instanceof Inexpressible)) throw error;
      }
    }
    expect(accepted).toBeGreaterThan(300);
  });
});

describe('the official SDK', () => {
  let server: Server;
  let sse = '';
  let client: GoogleGenAI;

  beforeAll(async () => {
    server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(sse);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    client = new GoogleGenAI({ apiKey: 'x', httpOptions: { baseUrl: `http://127.0.0.1:${port}` } });
  });
  afterAll(() => server.close());

  const events: readonly HubEvent[] = [
    { kind: 'start', id: 'x', usage: undefined },
    { kind: 'part', choice: 0, head: { kind: 'reasoning' } },
    { kind: 'delta', choice: 0, text: 'hm' },
    { kind: 'part', choice: 0, head: { kind: 'text' } },
    { kind: 'delta', choice: 0, text: 'Hé' },
    { kind: 'delta', choice: 0, text: 'llo\n\n' },
    { kind: 'part', choice: 0, head: { kind: 'tool-call', id: 'c1', name: 'f', custom: false } },
    { kind: 'delta', choice: 0, text: '{\n"a":1}' },
    { kind: 'finish', choice: 0, finish: { reason: 'tool' } },
    {
      kind: 'usage',
      usage: {
        inputFresh: 1,
        cacheRead: 2,
        cacheWrite: 0,
        cacheWriteLong: 0,
        toolPrompt: 0,
        outputText: 3,
        outputReasoning: 4,
        images: 0,
        videos: 0,
      },
    },
    { kind: 'end' },
  ];

  it('keeps the whole answer in its history', async () => {
    sse = encodeEvents(events, foreignSession());
    const chat = client.chats.create({ model: 'm' });
    let said = '';
    let last: unknown;
    for await (const chunk of await chat.sendMessageStream({ message: 'hi' })) {
      said += chunk.text ?? '';
      last = { usage: chunk.usageMetadata, reason: chunk.candidates?.[0]?.finishReason };
    }
    expect(said).toBe('Héllo\n\n');
    expect(last).toMatchObject({
      reason: 'STOP',
      usage: { promptTokenCount: 3, candidatesTokenCount: 3, thoughtsTokenCount: 4, totalTokenCount: 10 },
    });
    const history = chat.getHistory(true).flatMap((content) => content.parts ?? []);
    expect(history).toContainEqual({ functionCall: { id: 'c1', name: 'f', args: { a: 1 } } });
    // What the SDK sends back next time is read again with nothing lost.
    const again = decodeBody({ contents: chat.getHistory(true) });
    expect(again.dropped).toEqual([]);
  });

  it('throws the error of the gateway', async () => {
    const error = { status: 429, code: undefined, type: undefined, message: 'slow down' };
    sse = encodeEvents([...events.slice(0, 6), { kind: 'error', error }], foreignSession());
    const read = async (): Promise<void> => {
      const stream = await client.models.generateContentStream({ model: 'm', contents: 'hi' });
      for await (const _chunk of stream);
    };
    await expect(read()).rejects.toThrow(ApiError);
    await expect(read()).rejects.toMatchObject({ status: 429 });
  });
});
