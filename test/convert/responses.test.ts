import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/server.ts';
import { post } from '../../sim/suite/wire-client.ts';
import type { Capabilities } from '../../src/kernel/capability.ts';
import type { HubAnswer } from '../../src/protocol/hub/answer.ts';
import { readJson, writeJson } from '../../src/protocol/hub/content/json.ts';
import { fitRequest } from '../../src/protocol/hub/fit/fit.ts';
import { Notes } from '../../src/protocol/hub/notes.ts';
import type { Part } from '../../src/protocol/hub/part.ts';
import type { HubRequest, Turn } from '../../src/protocol/hub/request.ts';
import { responsesCodec } from '../../src/protocol/responses/codec.ts';
import { collect } from '../../src/protocol/responses/suite/collect.ts';
import {
  decodeEvents,
  OWN,
  payloads,
  SHORT_REQUEST,
  session,
  target,
} from '../../src/protocol/responses/suite/world.ts';
import { decodeWhole } from '../../src/protocol/suite/reported.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const CHAT: Partial<Capabilities> = { thinking: 'none', efforts: [], sampling: 'all', cacheMarks: false };
const said = (text: string): Part => ({ kind: 'text', text });
const user = (...parts: Part[]): Turn => ({ role: 'user', parts });

async function ask(more: Partial<HubRequest>, model = 'gpt-5.6', capabilities: Partial<Capabilities> = {}) {
  const to = { ...target(capabilities), model };
  const { request } = fitRequest({ ...SHORT_REQUEST, ...more }, to, responsesCodec.rules);
  const body = responsesCodec.encodeRequest(request, to, new Notes(responsesCodec.fields));
  const received = await post({
    url: `${simulator.url}/v1/responses`,
    headers: { authorization: 'Bearer sk-sim-openai' },
    body: writeJson(body),
  });
  expect([received.status, received.text.slice(0, 300)]).toEqual([200, expect.anything()]);
  return received.text;
}

function answerOf(text: string): HubAnswer {
  const body = readJson(text, responsesCodec.rawKeys) ?? {};
  return decodeWhole(responsesCodec, body, OWN) as HubAnswer;
}

const TOOLS = [
  {
    kind: 'function',
    name: 'weather',
    schema: '{"type":"object","properties":{"city":{"type":"string"}}}',
    strict: true,
  },
  { kind: 'function', name: 'bare', schema: undefined, strict: undefined },
  { kind: 'function', name: 'no type', schema: '{"properties":{}}', strict: undefined },
] as const;

describe('the strict vendor accepts a converted request', () => {
  test('from a client that uses every field', async () => {
    const text = await ask({
      system: [said('be brief'), said('be kind')] as never,
      turns: [
        user(said('[[sim tokens=20]] look'), {
          kind: 'image',
          source: { kind: 'bytes', mime: 'image/png', base64: 'iVBORw0KGgo=' },
          detail: 'high',
          cache: {},
        }),
        { role: 'assistant', parts: [said('I see'), { kind: 'refusal', text: 'but no' }] },
        { role: 'system', parts: [said('now in German')] },
        user({ kind: 'file', source: { kind: 'text', text: 'a note' }, title: 'Note' }),
      ],
      tools: TOOLS,
      toolChoice: { kind: 'auto' },
      parallelCalls: false,
      thinking: {
        mode: 'budget',
        effort: undefined,
        budgetTokens: 5000,
        show: true,
        summaryStyle: undefined,
      },
      format: {
        kind: 'schema',
        name: undefined,
        description: undefined,
        schema: '{"type":"array"}',
        strict: true,
      },
      verbosity: 'low',
      sampling: { ...SHORT_REQUEST.sampling, temperature: 0.1, topK: 4, seed: 7 },
      maxTokens: 1,
      logprobs: 2,
      endUser: JSON.stringify({ device: 'x'.repeat(80) }),
      cacheKey: 'thread',
      serviceTier: 'standard_only',
    });
    expect(answerOf(text).choices[0]?.parts.at(-1)).toMatchObject({ kind: 'text' });
  });

  test('for a model that does not think', async () => {
    const text = await ask(
      {
        turns: [user(said('[[sim tokens=9]] hi'))],
        thinking: {
          mode: 'adaptive',
          effort: 'high',
          budgetTokens: undefined,
          show: true,
          summaryStyle: undefined,
        },
        sampling: { ...SHORT_REQUEST.sampling, temperature: 0.1, topP: 0.5 },
        logprobs: 0,
        format: { kind: 'json' },
      },
      'gpt-4o',
      CHAT,
    );
    expect(answerOf(text).choices[0]?.parts).toHaveLength(1);
  });

  test.each([
    [{ kind: 'required' }],
    [{ kind: 'none' }],
    [{ kind: 'tool', name: 'weather' }],
    [{ kind: 'subset', names: ['weather'], required: true }],
  ] as const)('with the choice %j', async (toolChoice) => {
    await ask({ tools: TOOLS, toolChoice });
  });

  test('with nothing but a system text', async () => {
    await ask({ system: [{ kind: 'text', text: 'say hello' }], turns: [] });
  });
});

describe('a conversation with tools and thinking', () => {
  const question = user(said('[[sim thinking=12 tool=weather,weather steps=1]] weather?'));
  const options: Partial<HubRequest> = {
    tools: TOOLS,
    thinking: {
      mode: undefined,
      effort: 'high',
      budgetTokens: undefined,
      show: true,
      summaryStyle: undefined,
    },
  };

  async function goOn(parts: readonly Part[]): Promise<HubAnswer> {
    const calls = parts.filter((part) => part.kind === 'tool-call');
    const results = calls.map(
      (call): Part => ({
        kind: 'tool-result',
        callId: call.id,
        parts: [said('sun'), { kind: 'image', source: { kind: 'url', url: 'https://x/y.png' } }],
        isError: true,
        custom: false,
      }),
    );
    return answerOf(
      await ask({ ...options, turns: [question, { role: 'assistant', parts }, user(...results)] }),
    );
  }

  test('is answered, and the vendor gets its own reasoning back', async () => {
    const first = answerOf(await ask({ ...options, turns: [question] })).choices[0];
    expect(first?.parts.map((part) => part.kind)).toEqual(['reasoning', 'tool-call', 'tool-call']);
    expect(first?.parts[0]).toMatchObject({ signature: { issuer: 'r-1', form: 'encrypted' } });
    expect((await goOn(first?.parts ?? [])).choices[0]?.finish.reason).toBe('stop');
  });

  test('works the same way in a stream', async () => {
    const text = await ask({ ...options, turns: [question], stream: true });
    const streamed = collect(decodeEvents(payloads(text)));
    expect(streamed.parts.map((part) => part.kind)).toEqual(['reasoning', 'tool-call', 'tool-call']);
    expect(streamed.parts[0]).toMatchObject({
      text: expect.stringMatching(/./),
      signature: { form: 'encrypted' },
    });
    expect(streamed.usage?.outputReasoning).toBe(12);
    expect((await goOn(streamed.parts)).choices[0]?.finish.reason).toBe('stop');
  });

  test('survives a client of this protocol that keeps the envelopes', async () => {
    // The client speaks to us, we to this vendor, and on the next turn the request passes through untouched.
    const first = answerOf(await ask({ ...options, turns: [question] }));
    const shown = responsesCodec.encodeAnswer(first, session());
    const items = readJson(writeJson(shown), responsesCodec.rawKeys)?.output as never[];
    const outputs = (items as { type: string; call_id: string }[])
      .filter((item) => item.type === 'function_call')
      .map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'sun' }));
    const input = [{ role: 'user', content: 'weather?' }, ...items, ...outputs];
    const body = responsesCodec.returnSignatures(
      { model: 'gpt-5.6', input, store: false } as never,
      target(),
    );
    const received = await post({
      url: `${simulator.url}/v1/responses`,
      headers: { authorization: 'Bearer sk-sim-openai' },
      body: writeJson(body),
    });
    expect([received.status, received.text.slice(0, 200)]).toEqual([200, expect.anything()]);
  });
});
