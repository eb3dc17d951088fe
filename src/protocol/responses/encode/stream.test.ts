import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { someUsage } from '../../../../test/support/hub.ts';
import { unwrapSignatures, wrapSignatures } from '../../hub/envelope.ts';
import type { HubEvent, PartHead } from '../../hub/event.ts';
import { responsesCodec } from '../codec.ts';
import { decode, encodeEvents, payloads, session } from '../suite/world.ts';

const start: HubEvent = { kind: 'start', id: 'msg_1', usage: undefined };
const end: HubEvent = { kind: 'end' };
const stop: HubEvent = { kind: 'finish', choice: 0, finish: { reason: 'stop' } };
const partEnd: HubEvent = { kind: 'part-end', choice: 0 };
const part = (head: PartHead): HubEvent => ({ kind: 'part', choice: 0, head });
const delta = (text: string): HubEvent => ({ kind: 'delta', choice: 0, text });
const call = (id: string, more: object = {}): HubEvent =>
  part({ kind: 'tool-call', id, name: 'f', custom: false, ...more });
const USAGE = someUsage({ cacheRead: 5, cacheWrite: 3, cacheWriteLong: 1, outputReasoning: 2 });

/** A thought, a text, a call and a call without arguments (rule C-59). */
const GRAMMAR = [
  'created',
  'in_progress',
  'output_item.added',
  'reasoning_summary_part.added',
  'reasoning_summary_text.delta',
  'reasoning_summary_text.done',
  'reasoning_summary_part.done',
  'output_item.done',
  'output_item.added',
  'content_part.added',
  'output_text.delta',
  'output_text.delta',
  'output_text.done',
  'content_part.done',
  'output_item.done',
  'output_item.added',
  'function_call_arguments.delta',
  'function_call_arguments.delta',
  'function_call_arguments.done',
  'output_item.done',
  'output_item.added',
  'function_call_arguments.delta',
  'function_call_arguments.done',
  'output_item.done',
  'completed',
];

type Json = Record<string, unknown>;
const types = (text: string): string[] =>
  payloads(text).map((event) => String(event.type).replace('response.', ''));
const last = (text: string): Json => payloads(text).at(-1) as Json;
const output = (text: string): Json[] => (last(text).response as { output: Json[] }).output;

/** The official SDK as the judge of a stream. */
async function judge(text: string): Promise<OpenAI.Responses.Response> {
  const answer = (): Response => new Response(text, { headers: { 'content-type': 'text/event-stream' } });
  const client = new OpenAI({ apiKey: 'x', maxRetries: 0, fetch: async () => answer() });
  return client.responses.stream({ model: 'm', input: 'x' }).finalResponse();
}

describe('a stream for a client', () => {
  test('has every event of the official SDK, in order', async () => {
    const signature = { issuer: 'm-1', form: 'signature', place: 'reasoning', value: 'sig' } as const;
    const text = encodeEvents([
      start,
      part({ kind: 'reasoning' }),
      delta('so'),
      { kind: 'signature', choice: 0, signature },
      partEnd,
      part({ kind: 'text' }),
      delta('Hel'),
      delta('lo'),
      partEnd,
      call('c1'),
      delta('{"a":'),
      delta('1}'),
      partEnd,
      call('c2', { namespace: 'n' }),
      { kind: 'finish', choice: 0, finish: { reason: 'tool' } },
      { kind: 'usage', usage: USAGE },
      end,
    ]);
    expect(types(text)).toEqual(GRAMMAR);
    expect(payloads(text).map((event) => event.sequence_number)).toEqual(
      payloads(text).map((_, index) => index),
    );
    const final = await judge(text);
    expect(final).toMatchObject({
      id: 'resp_c1',
      model: 'house/model',
      status: 'completed',
      output_text: 'Hello',
    });
    expect(final.output).toMatchObject([
      {
        id: 'rs_c1_0',
        type: 'reasoning',
        summary: [{ text: 'so' }],
        encrypted_content: wrapSignatures([signature]),
      },
      { id: 'msg_c1_1', type: 'message', content: [{ type: 'output_text', text: 'Hello' }] },
      { id: 'fc_c1_2', type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
      { id: 'fc_c1_3', call_id: 'c2', namespace: 'n', arguments: '{}' },
    ]);
    expect(final.usage).toEqual({
      input_tokens: 18,
      input_tokens_details: {
        cached_tokens: 5,
        cache_write_tokens: 3,
        cache_write_tokens_details: { ttl_30m_tokens: 2, ttl_12h_tokens: 1 },
      },
      output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 27,
    });
  });

  test('opens at once, before the first part', () => {
    const encoder = responsesCodec.createEncoder(session(), 'sse');
    encoder.push(start);
    expect(types(encoder.take())).toEqual(['created', 'in_progress']);
    expect(encoder.take()).toBe('');
    expect(encoder.nextSequenceNumber).toBe(2);
  });

  test('repeats the request, with the vendor’s defaults for the other fields', () => {
    const request = decode({
      input: 'x',
      instructions: 'be brief',
      temperature: 0.5,
      tools: [{ type: 'function', name: 'f', parameters: { 10: 1, 2: 1 }, strict: false }],
      metadata: { k: 'v' },
      store: false,
      reasoning: { effort: 'low' },
      text: { verbosity: 'high' },
    }).request;
    const text = encodeEvents([start], session({ request }));
    expect(payloads(text)[0]?.response).toMatchObject({
      instructions: 'be brief',
      temperature: 0.5,
      top_p: 1,
      metadata: { k: 'v' },
      store: false,
      parallel_tool_calls: true,
      tool_choice: 'auto',
      truncation: 'disabled',
      reasoning: { effort: 'low', summary: null },
      text: { format: { type: 'text' }, verbosity: 'high' },
      output: [],
    });
    // Schemas keep the order of their keys.
    expect(text).toContain('"parameters":{"2":1,"10":1}');
  });

  test('without a part is complete', async () => {
    const final = await judge(encodeEvents([{ ...start, usage: USAGE }, stop, end]));
    expect([final.status, final.output]).toEqual(['completed', []]);
    // The figures of the start are all there is.
    expect(final.usage).toMatchObject({ input_tokens: 18, output_tokens: 9 });
  });

  test('without a finish ends with a stop', async () => {
    const final = await judge(encodeEvents([start, part({ kind: 'text' }), delta('x'), end]));
    expect([final.status, final.output_text]).toEqual(['completed', 'x']);
  });

  test('joins consecutive texts in one message', async () => {
    const final = await judge(
      encodeEvents([
        start,
        part({ kind: 'text' }),
        delta('a'),
        part({ kind: 'text' }),
        delta('b'),
        stop,
        end,
      ]),
    );
    expect(final.output).toMatchObject([{ content: [{ text: 'a' }, { text: 'b' }] }]);
    expect(final.output_text).toBe('ab');
  });

  test('opens no item for empty thinking', () => {
    const text = encodeEvents([start, part({ kind: 'reasoning' }), delta(''), partEnd, stop, end]);
    expect(output(text)).toEqual([]);
    expect(types(text)).not.toContain('output_item.added');
  });

  test('carries the signature of a call on an item before it', () => {
    const signature = { issuer: 'g-1', form: 'thought', place: 'call', value: 'sig' } as const;
    const [carrier] = output(
      encodeEvents([
        start,
        part({ kind: 'reasoning' }),
        { kind: 'signature', choice: 0, signature },
        partEnd,
        call('c1'),
        stop,
        end,
      ]),
    );
    expect(carrier).toMatchObject({ type: 'reasoning', summary: [] });
    expect(unwrapSignatures(String(carrier?.encrypted_content))).toEqual([signature]);
  });

  test('gives custom tools their text', async () => {
    const final = await judge(
      encodeEvents([start, call('c1', { custom: true }), delta('*** Be'), delta('gin'), partEnd, stop, end]),
    );
    expect(final.output).toMatchObject([{ id: 'ctc_c1_0', type: 'custom_tool_call', input: '*** Begin' }]);
  });

  test('gives tools with a type of their own the calls of that type', async () => {
    const { request } = decode({ input: 'x', tools: [{ type: 'local_shell' }, { type: 'shell' }] });
    const text = encodeEvents(
      [
        start,
        call('c1', { name: 'local_shell' }),
        delta('{"command":["ls","-l"],"timeout_ms":5}'),
        call('c2', { name: 'shell' }),
        delta('{"commands":["pwd"]}'),
        stop,
        end,
      ],
      session({ request }),
    );
    expect((await judge(text)).output).toMatchObject([
      {
        id: 'lsh_c1_0',
        type: 'local_shell_call',
        call_id: 'c1',
        action: { type: 'exec', command: ['ls', '-l'], env: {}, timeout_ms: 5 },
      },
      { id: 'sh_c1_1', type: 'shell_call', call_id: 'c2', action: { commands: ['pwd'], timeout_ms: null } },
    ]);
  });

  test('contains citations before the text is done, over the whole text where they have no place', () => {
    const text = encodeEvents([
      start,
      part({ kind: 'text' }),
      { kind: 'citation', choice: 0, citation: { url: 'https://a', title: 'A' } },
      delta('cited'),
      { kind: 'citation', choice: 0, citation: { url: 'https://b', start: 1, end: 3 } },
      stop,
      end,
    ]);
    expect(types(text).slice(4, 9)).toEqual([
      'output_text.delta',
      'output_text.annotation.added',
      'output_text.annotation.added',
      'output_text.done',
      'content_part.done',
    ]);
    expect(output(text)).toMatchObject([
      {
        content: [
          {
            annotations: [
              { type: 'url_citation', url: 'https://a', title: 'A', start_index: 0, end_index: 5 },
              { url: 'https://b', start_index: 1, end_index: 3 },
            ],
          },
        ],
      },
    ]);
  });

  test('contains a picture and the foreign tools', async () => {
    const final = await judge(
      encodeEvents([
        start,
        part({ kind: 'image', mime: 'image/png', base64: 'AAAA' }),
        part({ kind: 'server-tool', protocol: 'messages', raw: '{}', text: '[searched]' }),
        part({ kind: 'text' }),
        delta('ok'),
        stop,
        end,
      ]),
    );
    expect(final.output).toMatchObject([
      { type: 'image_generation_call', result: 'AAAA', output_format: 'png' },
      { type: 'message', content: [{ text: '[searched]' }, { text: 'ok' }] },
    ]);
  });

  test.each([
    ['length', 'max_output_tokens'],
    ['context', 'max_output_tokens'],
    ['filter', 'content_filter'],
    ['refusal', 'content_filter'],
  ] as const)('that ends by %s is incomplete', async (reason, why) => {
    const text = encodeEvents([
      start,
      part({ kind: 'text' }),
      delta('x'),
      { kind: 'finish', choice: 0, finish: { reason } },
      end,
    ]);
    expect(last(text)).toMatchObject({
      type: 'response.incomplete',
      response: {
        status: 'incomplete',
        incomplete_details: { reason: why },
        output: [{ status: 'incomplete' }],
      },
    });
    expect((await judge(text)).output_text).toBe('x');
  });

  test('contains a refusal as a refusal', async () => {
    const finish: HubEvent = { kind: 'finish', choice: 0, finish: { reason: 'refusal', message: 'no' } };
    const final = await judge(encodeEvents([start, finish, end]));
    expect([final.status, final.output]).toMatchObject([
      'completed',
      [{ content: [{ type: 'refusal', refusal: 'no' }] }],
    ]);
  });

  test('repeats logprobs', () => {
    const logprob = { token: 'x', logprob: -1, bytes: [120], top: [{ token: 'y', logprob: -2 }] };
    const text = encodeEvents([
      start,
      part({ kind: 'text' }),
      { kind: 'delta', choice: 0, text: 'x', logprobs: [logprob] },
      stop,
      end,
    ]);
    const told = {
      token: 'x',
      logprob: -1,
      bytes: [120],
      top_logprobs: [{ token: 'y', logprob: -2, bytes: [] }],
    };
    expect(payloads(text)[4]).toMatchObject({ type: 'response.output_text.delta', logprobs: [told] });
    expect(output(text)).toMatchObject([{ content: [{ logprobs: [told] }] }]);
  });

  test('ignores other choices', () => {
    expect(
      output(encodeEvents([start, { kind: 'part', choice: 1, head: { kind: 'text' } }, stop, end])),
    ).toEqual([]);
  });
});

describe('an error in a stream', () => {
  const error = (status: number, message = 'broke', code?: string): HubEvent => ({
    kind: 'error',
    error: { status, code, type: 'x', message },
  });

  test('fails the response, and nothing follows', () => {
    const text = encodeEvents([
      start,
      part({ kind: 'text' }),
      delta('half'),
      error(500),
      delta('more'),
      stop,
      end,
    ]);
    expect(types(text).at(-1)).toBe('failed');
    expect(last(text)).toMatchObject({
      sequence_number: 5,
      response: {
        id: 'resp_c1',
        status: 'failed',
        error: { code: 'server_error', message: 'broke' },
        output: [],
      },
    });
  });

  test('before the first event still opens the response', () => {
    expect(types(encodeEvents([error(500)]))).toEqual(['created', 'in_progress', 'failed']);
  });

  test.each([
    [error(429), 'rate_limit_exceeded'],
    [error(529), 'server_is_overloaded'],
    [error(400, 'prompt is too long: 9 tokens > 8 maximum'), 'context_length_exceeded'],
    [error(400), 'invalid_prompt'],
    [error(429, 'pay', 'insufficient_quota'), 'insufficient_quota'],
  ])('has a code that Codex handles', (event, code) => {
    expect(last(encodeEvents([start, event])).response).toMatchObject({ error: { code } });
  });
});
