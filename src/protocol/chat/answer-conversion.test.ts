import { describe, expect, it } from 'vitest';
import { someRequest, someSession, someTarget, someUsage } from '../../../test/support/hub.ts';
import type { AnswerError, Choice, HubAnswer } from '../hub/answer.ts';
import type { Session } from '../hub/codec.ts';
import { type JsonObject, writeJson } from '../hub/content/json.ts';
import { unwrapSignatures, wrapSignatures } from '../hub/envelope.ts';
import type { Part } from '../hub/part.ts';
import { NO_THINKING } from '../hub/request.ts';
import type { Signature } from '../hub/signature.ts';
import { decodeWhole } from '../suite/reported.ts';
import { chatCodec } from './codec.ts';

const session = someSession();
const ISSUER = session.target.issuer;
const USAGE = someUsage({ cacheRead: 20, cacheWrite: 5 });

const decode = (body: JsonObject): HubAnswer => decodeWhole(chatCodec, body, session) as HubAnswer;
const decodeChoice = (choice: JsonObject): Choice | undefined =>
  decode({ choices: [{ index: 0, finish_reason: 'stop', ...choice }] }).choices[0];
const decodeMessage = (message: JsonObject): readonly Part[] | undefined => decodeChoice({ message })?.parts;

describe("a vendor's answer", () => {
  it('keeps thinking, text, refusal and calls, in this order', () => {
    const parts = decodeMessage({
      role: 'assistant',
      content: 'text',
      refusal: 'no',
      reasoning_content: 'why',
      tool_calls: [
        { id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
        { id: '', type: 'function', function: { name: 'g', arguments: { b: 2 } } },
        { id: 'p', type: 'custom', custom: { name: 'patch', input: 'raw' } },
      ],
    });
    expect(parts).toEqual([
      { kind: 'reasoning', text: 'why' },
      { kind: 'text', text: 'text' },
      { kind: 'refusal', text: 'no' },
      { kind: 'tool-call', id: 'c', name: 'f', arguments: '{"a":1}', custom: false },
      { kind: 'tool-call', id: '', name: 'g', arguments: '{"b":2}', custom: false },
      { kind: 'tool-call', id: 'p', name: 'patch', arguments: 'raw', custom: true },
    ]);
  });

  it('keeps the fields that its vendor requires in the next request, under its own name', () => {
    const detail = { type: 'reasoning.text', signature: 'sig', format: 'anthropic-claude-v1', index: 0 };
    const parts = decodeMessage({
      content: 'x',
      reasoning: 'why',
      reasoning_details: [{ ...detail, text: 'why' }],
      tool_calls: [
        { id: 'c', function: { name: 'f' }, extra_content: { google: { thought_signature: 'ts' } } },
      ],
    });
    expect(parts?.[0]).toEqual({
      kind: 'reasoning',
      text: 'why',
      signature: { issuer: ISSUER, form: 'encrypted', place: 'reasoning', value: JSON.stringify(detail) },
    });
    expect(parts?.[2]).toMatchObject({
      arguments: '{}',
      signatures: [{ issuer: ISSUER, form: 'thought', place: 'call', value: 'ts' }],
    });
  });

  it('keeps pictures, transcripts and citations', () => {
    const url_citation = { url: 'https://a.example', title: 'A', start_index: 1, end_index: 3 };
    expect(decodeMessage({ content: 'text', annotations: [{ type: 'url_citation', url_citation }] })).toEqual(
      [
        {
          kind: 'text',
          text: 'text',
          citations: [{ url: 'https://a.example', title: 'A', start: 1, end: 3 }],
        },
      ],
    );
    expect(decodeMessage({ content: null, audio: { id: 'a', data: 'AAAA', transcript: 'said' } })).toEqual([
      { kind: 'text', text: 'said' },
    ]);
    expect(decodeMessage({ images: [{ image_url: { url: 'data:image/png;base64,AAAA' } }] })).toEqual([
      { kind: 'image', source: { kind: 'bytes', mime: 'image/png', base64: 'AAAA' } },
    ]);
  });

  it.each([
    ['stop', {}, 'stop'],
    ['length', {}, 'length'],
    ['max_tokens', {}, 'length'],
    ['content_filter', {}, 'filter'],
    ['eos', {}, 'stop'],
    ['', {}, 'stop'],
    [null, {}, 'stop'],
    ['stop', { tool_calls: [{ id: 'c', function: { name: 'f' } }] }, 'tool'],
    ['tool_calls', { tool_calls: [{ id: 'c', function: { name: 'f' } }] }, 'tool'],
    ['length', { tool_calls: [{ id: 'c', function: { name: 'f' } }] }, 'length'],
    ['function_call', { function_call: { name: 'f', arguments: '{}' } }, 'tool'],
    ['stop', { refusal: 'no' }, 'refusal'],
  ])('that ends with %j and %j ended by %s', (finish_reason, message, reason) => {
    expect(decodeChoice({ finish_reason, message })?.finish).toEqual({ reason });
  });

  it('counts every token once', () => {
    const usage = {
      prompt_tokens: 35,
      completion_tokens: 10,
      total_tokens: 45,
      prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 5 },
      completion_tokens_details: { reasoning_tokens: 3 },
    };
    expect(decode({ choices: [], usage }).usage).toEqual(USAGE);
    expect(decode({ choices: [], usage: { completion_tokens: -1 } }).usage).toBeUndefined();
  });

  it('without any choice is one empty choice', () => {
    expect(decode({ choices: [] }).choices).toEqual([{ parts: [], finish: { reason: 'stop' } }]);
  });

  it.each([
    [{ error: { message: 'm', type: 't', code: 'c' } }, { status: 502, code: 'c', type: 't', message: 'm' }],
    [{ error: { message: 'm', code: 429 } }, { status: 429, code: '429', type: undefined, message: 'm' }],
    [{ choices: [{ error: { message: 'm', code: 503 } }] }, { status: 503, message: 'm' }],
    [{ error: 'broken' }, { status: 502, message: 'broken' }],
  ])('%j is an error', (body, expected) => {
    expect(decodeWhole(chatCodec, body as JsonObject, session) as AnswerError).toMatchObject(expected);
  });

  it.each([
    {},
    { choices: 'x' },
    { choices: [7, null, { message: 7 }] },
    {
      choices: [
        { message: { content: 7, tool_calls: [7, {}, { function: { name: 7 } }], annotations: 'x' } },
      ],
    },
    {
      choices: [
        {
          message: { content: [7, { type: 'text' }, { type: 'odd' }], images: [{}] },
          logprobs: { content: 7 },
        },
      ],
    },
    { usage: { prompt_tokens: 'x' }, choices: [{ message: { reasoning_details: [{ signature: 7 }] } }] },
  ])('%j is read without an exception', (body) => {
    expect(decode(body as unknown as JsonObject).choices.length).toBeGreaterThan(0);
  });
});

const encode = (choice: Partial<Choice>, more: Partial<Session> = {}): JsonObject => {
  const answer = {
    id: 'v',
    choices: [{ parts: [], finish: { reason: 'stop' }, ...choice }],
    usage: USAGE,
    serviceTier: undefined,
  };
  return JSON.parse(writeJson(chatCodec.encodeAnswer(answer as HubAnswer, { ...session, ...more })));
};
const encodeChoice = (choice: Partial<Choice>, more: Partial<Session> = {}): Record<string, JsonObject> =>
  (encode(choice, more).choices as unknown as Record<string, JsonObject>[])[0] ?? {};
const signature: Signature = {
  issuer: ISSUER,
  form: 'signature',
  place: 'reasoning',
  value: 's',
  text: 'why',
};

describe('an answer for a client', () => {
  it('has the platform’s model, ids of the gateway, and usage as this protocol counts', () => {
    expect(
      encode({
        parts: [
          { kind: 'text', text: 'a' },
          { kind: 'text', text: 'b' },
        ],
      }),
    ).toEqual({
      id: 'chatcmpl-abc123',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'platform-model',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'ab', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 35,
        completion_tokens: 10,
        total_tokens: 45,
        prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 5 },
        completion_tokens_details: { reasoning_tokens: 3 },
      },
    });
  });

  it('contains a service tier of OpenAI and of its own vendor, and no other', () => {
    const shown = (protocol: 'chat' | 'responses' | 'messages', serviceTier: string): unknown => {
      const answer: HubAnswer = { id: 'v', choices: [], usage: undefined, serviceTier };
      const target = { ...session.target, protocol };
      return chatCodec.encodeAnswer(answer, { ...session, target }).service_tier;
    };
    expect([shown('chat', 'on_demand'), shown('responses', 'flex')]).toEqual(['on_demand', 'flex']);
    expect([shown('responses', 'x'), shown('messages', 'priority')]).toEqual([undefined, undefined]);
  });

  it('contains calls with null content, and signatures of other vendors in an envelope on them', () => {
    const { message } = encodeChoice({
      parts: [
        { kind: 'tool-call', id: 'c', name: 'f', arguments: '{}', custom: false, signatures: [signature] },
      ],
      finish: { reason: 'tool' },
    });
    expect(message).toMatchObject({ content: null, tool_calls: [{ id: 'c', type: 'function' }] });
    const [call] = (message?.tool_calls ?? []) as readonly JsonObject[];
    const google = (call?.extra_content as JsonObject | undefined)?.google as JsonObject | undefined;
    expect(unwrapSignatures(String(google?.thought_signature))).toEqual([signature]);
  });

  it('hides thinking from a client that does not want it', () => {
    const request = someRequest({ thinking: { ...NO_THINKING, show: false } });
    const parts: readonly Part[] = [{ kind: 'reasoning', text: 'why' }];
    expect(encodeChoice({ parts }, { request }).message).not.toHaveProperty('reasoning_content');
  });

  it('contains thinking, pictures and citations beside the text', () => {
    const { message } = encodeChoice({
      parts: [
        { kind: 'reasoning', text: 'why', signature },
        { kind: 'text', text: 'ab' },
        { kind: 'server-tool', protocol: 'messages', raw: '{}', text: 'S' },
        {
          kind: 'text',
          text: 'cde',
          citations: [
            { url: 'u', start: 1, end: 2 },
            { url: 'v', title: 'V' },
          ],
        },
        { kind: 'image', source: { kind: 'bytes', mime: 'image/png', base64: 'AAAA' } },
      ],
    });
    expect(message).toEqual({
      role: 'assistant',
      content: 'abScde',
      refusal: null,
      reasoning_content: 'why',
      annotations: [
        { type: 'url_citation', url_citation: { start_index: 4, end_index: 5, title: 'u', url: 'u' } },
        { type: 'url_citation', url_citation: { start_index: 3, end_index: 6, title: 'V', url: 'v' } },
      ],
      images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' }, index: 0 }],
    });
  });

  it.each([
    ['stop-sequence', [], 'stop', '', null],
    [
      'tool',
      [{ kind: 'tool-call', id: 'c', name: 'f', arguments: '{}', custom: false }],
      'tool_calls',
      null,
      null,
    ],
    ['length', [], 'length', '', null],
    ['context', [], 'length', '', null],
    ['pause', [], 'stop', '', null],
    ['filter', [], 'content_filter', null, 'because'],
    ['refusal', [], 'content_filter', null, 'because'],
    ['refusal', [{ kind: 'refusal', text: 'no' }], 'stop', null, 'no'],
  ] as const)('that ended by %s with %j has that reason', (reason, parts, finish, content, refusal) => {
    const choice = encodeChoice({ parts: parts as readonly Part[], finish: { reason, message: 'because' } });
    expect(choice).toMatchObject({ finish_reason: finish, message: { content, refusal } });
  });

  it('carries log probabilities', () => {
    const logprobs = [{ token: 'a', logprob: -1, bytes: [97], top: [{ token: 'b', logprob: -2 }] }];
    expect(encodeChoice({ logprobs }).logprobs).toEqual({
      content: [
        { token: 'a', logprob: -1, bytes: [97], top_logprobs: [{ token: 'b', logprob: -2, bytes: null }] },
      ],
      refusal: null,
    });
  });
});

describe('signatures in a request that stays in its protocol', () => {
  const call = (signature: string): JsonObject => ({
    id: 'c',
    extra_content: { google: { thought_signature: signature } },
  });
  const returned = (signature: string, target = someTarget({ protocol: 'chat' })): unknown => {
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: 'y', tool_calls: [call(signature)] },
    ];
    const body = chatCodec.returnSignatures({ model: 'm', messages, seed: 1 }, target);
    const written = JSON.parse(writeJson(body));
    expect(written).toMatchObject({ model: 'm', seed: 1, messages: [{ content: 'x' }, { content: 'y' }] });
    return written.messages[1].tool_calls[0].extra_content?.google.thought_signature;
  };

  it('are opened for their issuer and removed for every other vendor', () => {
    const own: Signature = { issuer: ISSUER, form: 'thought', place: 'call', value: 'raw' };
    expect(returned(wrapSignatures([own]))).toBe('raw');
    expect(returned(wrapSignatures([{ ...own, issuer: 'v2-c2-m2' }]))).toBeUndefined();
    expect(returned('genuine')).toBe('genuine');
  });

  it('are all removed once their vendor refused one', () => {
    expect(returned('genuine', someTarget({ protocol: 'chat', issuer: 'none' }))).toBeUndefined();
    const details = [
      { type: 'reasoning.text', text: 't' },
      { type: 'reasoning.text', signature: 's' },
    ];
    const body = { messages: [{ role: 'assistant', reasoning_details: details }] };
    const cleaned = chatCodec.returnSignatures(body, someTarget({ protocol: 'chat', issuer: 'none' }));
    expect(cleaned).toMatchObject({ messages: [{ reasoning_details: [{ text: 't' }] }] });
    expect(chatCodec.returnSignatures(body, someTarget({ protocol: 'chat' }))).toEqual(body);
  });
});
