import fc from 'fast-check';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { findOpenai, listModels } from '../../sim/models.ts';
import { refuseChat } from '../../sim/openai-chat/validate.ts';
import { getCapabilities } from '../../src/protocol/capability/table.ts';
import { chatCodec } from '../../src/protocol/chat/codec.ts';
import { writeJson } from '../../src/protocol/hub/content/json.ts';
import type { HubEvent, PartHead } from '../../src/protocol/hub/event.ts';
import { fitRequest } from '../../src/protocol/hub/fit/fit.ts';
import { Notes } from '../../src/protocol/hub/notes.ts';
import type { Part } from '../../src/protocol/hub/part.ts';
import { type HubRequest, NO_THINKING, type Tool, type Turn } from '../../src/protocol/hub/request.ts';
import { someRequest, someSession, someTarget, someUsage } from '../support/hub.ts';
import { runs } from '../support/property-runs.ts';

const text = (words: string): Part => ({ kind: 'text', text: words });
const picture: Part = { kind: 'image', source: { kind: 'bytes', mime: 'image/png', base64: 'iVBORw0KGgo=' } };
const file = (filename?: string): Part => ({
  kind: 'file',
  source: { kind: 'bytes', mime: 'application/pdf', base64: 'JVBERi0=' },
  filename,
});
const call = (id: string, name: string): Part => ({
  kind: 'tool-call',
  id,
  name,
  arguments: '{"q":1}',
  custom: false,
});
const result = (callId: string, ...parts: Part[]): Part => ({
  kind: 'tool-result',
  callId,
  parts,
  isError: callId.endsWith('x'),
  custom: false,
});

/** Tools as clients of the other protocols declare them, with what OpenAI would refuse as it stands. */
const TOOLS: readonly Tool[] = [
  { kind: 'function', name: 'plain', schema: undefined, strict: undefined },
  {
    kind: 'function',
    name: `dotted.name:${'x'.repeat(100)}`,
    description: 'd',
    schema: '{"type":"object"}',
    strict: true,
  },
  {
    kind: 'function',
    name: 'grouped',
    namespace: 'ns',
    schema: '{"anyOf":[{"type":"object"}]}',
    strict: undefined,
  },
  {
    kind: 'function',
    name: 'any',
    schema: '{"type":["object","null"],"properties":{"a":{}}}',
    strict: false,
    cached: true,
  },
  { kind: 'custom', name: 'patch', grammar: { syntax: 'lark', definition: 'start: "a"' } },
];

const history: readonly Turn[] = [
  { role: 'assistant', parts: [text('hello')] },
  { role: 'user', parts: [text('look'), picture, file(), file('notes')] },
  {
    role: 'assistant',
    parts: [
      {
        kind: 'reasoning',
        text: 'why',
        signature: { issuer: 'messages', form: 'signature', place: 'reasoning', value: 's' },
      },
      call(`toolu_${'a'.repeat(90)}`, 'plain'),
      text('between'),
      call('functions.Bash:0', 'gone'),
      call('same', 'plain'),
    ],
  },
  {
    role: 'user',
    parts: [text('first'), result('same', text('a'), picture), result('orphan', text('lost'))],
  },
  { role: 'system', parts: [text('mind the gap')] },
  { role: 'assistant', parts: [call('same', 'plain')] },
  { role: 'user', parts: [result('same', file('doc.pdf'))] },
  { role: 'assistant', parts: [text('drawn'), picture, { kind: 'refusal', text: 'no more' }] },
  { role: 'user', parts: [text('go on')] },
];

const CLOSED =
  '{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}';
const OPEN = '{"type":"object","properties":{"a":{"type":"string"}}}';

const request: fc.Arbitrary<Partial<HubRequest>> = fc.record({
  client: fc.constantFrom('messages', 'gemini', 'responses'),
  stream: fc.boolean(),
  system: fc.subarray([text('one'), text('two')] as { kind: 'text'; text: string }[]),
  turns: fc.integer({ min: 1, max: history.length }).map((end) => history.slice(0, end)),
  tools: fc.subarray([...TOOLS]),
  toolChoice: fc.constantFrom<HubRequest['toolChoice']>(
    undefined,
    { kind: 'none' },
    { kind: 'required' },
    { kind: 'tool', name: 'plain' },
    { kind: 'subset', names: ['grouped', 'patch'], required: true },
  ),
  parallelCalls: fc.constantFrom(undefined, true, false),
  thinking: fc.constantFrom<HubRequest['thinking']>(
    NO_THINKING,
    { ...NO_THINKING, mode: 'off' },
    { ...NO_THINKING, mode: 'adaptive', effort: 'max' },
    { ...NO_THINKING, mode: 'budget', budgetTokens: 2_000 },
  ),
  format: fc.constantFrom<HubRequest['format']>(
    { kind: 'text' },
    { kind: 'json' },
    { kind: 'schema', name: undefined, description: undefined, schema: OPEN, strict: undefined },
    { kind: 'schema', name: 'x y', description: 'd', schema: CLOSED, strict: true },
  ),
  sampling: fc.constantFrom(
    { temperature: 0.2, topP: 0.5, topK: 4, frequencyPenalty: 1, presencePenalty: 1, seed: 1 },
    {
      temperature: 2,
      topP: undefined,
      topK: undefined,
      frequencyPenalty: undefined,
      presencePenalty: undefined,
      seed: undefined,
    },
  ),
  stop: fc.subarray(['a', 'b', 'c', 'd', 'e', 'f']),
  maxTokens: fc.constantFrom(undefined, 1, 1_000_000),
  answers: fc.constantFrom(1, 2),
  logprobs: fc.constantFrom(undefined, 0, 5),
  endUser: fc.constantFrom(undefined, 'u'.repeat(200)),
  serviceTier: fc.constantFrom(undefined, 'priority', 'standard_only'),
});

/** A client of OpenAI's own that asks for strictness which is none is refused as it would be there. */
function lawful(fields: Partial<HubRequest>): Partial<HubRequest> {
  if (fields.client !== 'responses') return fields;
  const tools = fields.tools?.map((tool) => (tool.kind === 'function' ? { ...tool, strict: false } : tool));
  return { ...fields, tools: tools ?? [] };
}

describe('requests converted into Chat Completions', () => {
  const models = listModels('openai')
    .map(({ name }) => findOpenai(name))
    .filter((model) => model !== undefined && model.kind !== 'image');

  it.each(models.map((model) => [model?.name ?? '', model] as const))(
    'are accepted for %s',
    (name, model) => {
      const target = someTarget({
        protocol: 'chat',
        model: name,
        capabilities: getCapabilities('chat', name),
      });
      fc.assert(
        fc.property(request, (fields) => {
          const fitted = fitRequest(someRequest(lawful(fields)), target, chatCodec.rules).request;
          const written = writeJson(chatCodec.encodeRequest(fitted, target, new Notes(chatCodec.fields)));
          expect(refuseChat(JSON.parse(written), model)).toBeUndefined();
        }),
        { numRuns: runs(60) },
      );
    },
  );
});

const USAGE = someUsage({ cacheRead: 20 });
const session = someSession({ request: someRequest({ stream: true, includeUsage: true }) });

function client(body: string, contentType: string): OpenAI {
  const answer = async (): Promise<Response> =>
    new Response(body, { headers: { 'content-type': contentType } });
  return new OpenAI({ apiKey: 'x', maxRetries: 0, fetch: answer });
}

const ask = { model: 'platform-model', messages: [{ role: 'user' as const, content: 'hi' }] };

function stream(events: readonly HubEvent[]): ReturnType<OpenAI['chat']['completions']['stream']> {
  const encoder = chatCodec.createEncoder(session, 'sse');
  encoder.push({ kind: 'start', id: undefined, usage: undefined });
  for (const event of events) encoder.push(event);
  return client(encoder.take(), 'text/event-stream').chat.completions.stream(ask);
}

const part = (head: PartHead, ...said: string[]): HubEvent[] => [
  { kind: 'part', choice: 0, head },
  ...said.map((one): HubEvent => ({ kind: 'delta', choice: 0, text: one })),
];
const END: HubEvent = { kind: 'end' };

describe('the OpenAI SDK reads', () => {
  it('a converted stream with thinking, text, calls and late usage', async () => {
    const completion = await stream([
      ...part({ kind: 'reasoning' }, 'why'),
      ...part({ kind: 'text' }, 'a', 'b'),
      ...part({ kind: 'tool-call', id: 'c1', name: 'f', custom: false }, '{"x"', ':1}'),
      ...part({ kind: 'tool-call', id: 'c2', name: 'g', custom: false }),
      ...part({ kind: 'tool-call', id: 'c3', name: 'p', custom: true }, 'raw'),
      { kind: 'finish', choice: 0, finish: { reason: 'tool' } },
      { kind: 'usage', usage: USAGE },
      END,
    ]).finalChatCompletion();
    expect(completion).toMatchObject({
      id: 'chatcmpl-abc123',
      model: 'platform-model',
      choices: [
        {
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: 'ab',
            tool_calls: [
              { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
              { id: 'c2', type: 'function', function: { name: 'g', arguments: '{}' } },
              { id: 'c3', type: 'custom', custom: { name: 'p', input: 'raw' } },
            ],
          },
        },
      ],
      usage: { prompt_tokens: 30, completion_tokens: 10, total_tokens: 40 },
    });
  });

  it('an empty converted stream, and one without a finish reason', async () => {
    const [empty] = (await stream([END]).finalChatCompletion()).choices;
    expect(empty).toMatchObject({ finish_reason: 'stop', message: { content: '' } });
    const [silent] = (await stream([...part({ kind: 'text' }, 'a'), END]).finalChatCompletion()).choices;
    expect(silent).toMatchObject({ finish_reason: 'stop', message: { content: 'a' } });
  });

  it('an error inside a converted stream as an error', async () => {
    const error = { status: 503, code: 'overloaded', type: 'server_error', message: 'busy' };
    const failing = stream([...part({ kind: 'text' }, 'a'), { kind: 'error', error }]);
    await expect(failing.finalChatCompletion()).rejects.toThrow('busy');
  });

  it('a converted plain answer', async () => {
    const answer = {
      id: undefined,
      choices: [
        {
          parts: [text('hello'), call('c', 'f')],
          finish: { reason: 'tool' } as const,
        },
      ],
      usage: USAGE,
      serviceTier: undefined,
    };
    const body = writeJson(chatCodec.encodeAnswer(answer, session));
    const completion = await client(body, 'application/json').chat.completions.create(ask);
    expect(completion.choices[0]?.message).toMatchObject({ content: 'hello', tool_calls: [{ id: 'c' }] });
    expect(completion.usage?.prompt_tokens_details?.cached_tokens).toBe(20);
  });
});
