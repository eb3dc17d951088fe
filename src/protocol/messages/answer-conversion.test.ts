import { describe, expect, test } from 'vitest';
import { someRequest, someTarget } from '../../../test/support/hub.ts';
import type { FinishReason, HubAnswer } from '../hub/answer.ts';
import type { Session, Target } from '../hub/codec.ts';
import { type JsonObject, readJson, writeJson } from '../hub/content/json.ts';
import { wrapSignatures } from '../hub/envelope.ts';
import type { Part } from '../hub/part.ts';
import type { Signature } from '../hub/signature.ts';
import { decodeWhole } from '../suite/reported.ts';
import { messagesCodec } from './codec.ts';
import { NO_HUB_USAGE } from './usage.ts';

const session = (target: Partial<Target> = {}): Session => ({
  request: someRequest({ client: 'messages' }),
  target: someTarget(target),
  modelId: 'platform/model',
  callId: 'c1',
  createdAtS: 1,
});
const own = session();
const foreign = session({ protocol: 'gemini', issuer: 'g-1' });

function decode(body: object | string): ReturnType<typeof messagesCodec.decodeAnswer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return decodeWhole(messagesCodec, readJson(text, messagesCodec.rawKeys) as JsonObject, own);
}

function answer(parts: readonly Part[], reason: FinishReason = 'stop'): HubAnswer {
  return { id: 'x', choices: [{ parts, finish: { reason } }], usage: undefined, serviceTier: undefined };
}

function encode(of: HubAnswer, on: Session = own): Record<string, unknown> {
  return JSON.parse(writeJson(messagesCodec.encodeAnswer(of, on)));
}

const message = (fields: object): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: [],
  ...fields,
});

describe('a vendor’s answer', () => {
  test('keeps the order of thinking, text and calls, and the spelling of inputs', () => {
    const decoded = decode(
      '{"id":"msg_1","type":"message","content":[{"type":"thinking","thinking":"so","signature":"s1"},' +
        '{"type":"text","text":"a"},{"type":"tool_use","id":"t","name":"f","input":{"10":1,"2":1.0}},' +
        '{"type":"redacted_thinking","data":"d"},{"type":"text","text":"b"}],"stop_reason":"tool_use"}',
    );
    const signature = { issuer: 'v1-c1-m1', place: 'reasoning' };
    expect(decoded).toEqual({
      id: 'msg_1',
      choices: [
        {
          parts: [
            { kind: 'reasoning', text: 'so', signature: { ...signature, form: 'signature', value: 's1' } },
            { kind: 'text', text: 'a' },
            { kind: 'tool-call', id: 't', name: 'f', arguments: '{"10":1,"2":1.0}', custom: false },
            { kind: 'reasoning', text: '', signature: { ...signature, form: 'redacted', value: 'd' } },
            { kind: 'text', text: 'b' },
          ],
          finish: { reason: 'tool' },
        },
      ],
      usage: undefined,
      serviceTier: undefined,
    });
  });

  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop-sequence'],
    ['tool_use', 'tool'],
    ['max_tokens', 'length'],
    ['pause_turn', 'pause'],
    ['refusal', 'filter'],
    ['model_context_window_exceeded', 'context'],
    ['compaction', 'pause'],
    ['brand_new', 'stop'],
    [null, 'stop'],
  ])('that stopped for %s has that reason', (stop_reason, reason) => {
    expect(decode(message({ stop_reason }))).toMatchObject({ choices: [{ parts: [], finish: { reason } }] });
  });

  test('with a call and no reason ends with tool use', () => {
    const content = [{ type: 'tool_use', id: 't', name: 'f', input: {} }];
    expect(decode(message({ content }))).toMatchObject({ choices: [{ finish: { reason: 'tool' } }] });
  });

  test('has the stop sequence that it met, and the reason of a refusal', () => {
    expect(decode(message({ stop_reason: 'stop_sequence', stop_sequence: 'END' }))).toMatchObject({
      choices: [{ finish: { reason: 'stop-sequence', stopSequence: 'END' } }],
    });
    const stop_details = { type: 'refusal', category: 'cyber', explanation: 'because' };
    expect(decode(message({ stop_reason: 'refusal', stop_details }))).toMatchObject({
      choices: [{ finish: { reason: 'filter', message: 'because' } }],
    });
  });

  test('counts the four figures apart, thinking inside the output, long cache writes inside the writes', () => {
    const usage = {
      input_tokens: 5,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 40 },
      service_tier: 'priority',
    };
    const decoded = decode(message({ usage })) as HubAnswer;
    expect(decoded.usage).toEqual({
      inputFresh: 5,
      cacheRead: 100,
      cacheWrite: 30,
      cacheWriteLong: 20,
      outputText: 10,
      outputReasoning: 40,
      toolPrompt: 0,
      images: 0,
      videos: 0,
    });
    expect(encode(decoded).usage).toEqual(usage);
    const split = decode(message({ usage: { ...usage, cache_creation_input_tokens: undefined } }));
    expect(split).toMatchObject({ usage: { cacheWrite: 30 } });
    const absurd = decode(message({ usage: { input_tokens: -1, output_tokens: 'x' } }));
    expect(absurd).toMatchObject({ usage: { inputFresh: 0, outputText: 0 } });
  });

  test('cites web pages over the whole block, and no documents', () => {
    const citations = [
      {
        type: 'web_search_result_location',
        url: 'https://u',
        title: 'T',
        cited_text: 'c',
        encrypted_index: 'e',
      },
      { type: 'char_location', cited_text: 'x', document_index: 0 },
    ];
    const decoded = decode(message({ content: [{ type: 'text', text: 'abc', citations }] })) as HubAnswer;
    expect(decoded.choices[0]?.parts).toEqual([
      {
        kind: 'text',
        text: 'abc',
        citations: [{ url: 'https://u', title: 'T', start: 0, end: 3, citedText: 'c' }],
      },
    ]);
  });

  test('that is an error is decoded as one, with any status', () => {
    const error = { type: 'overloaded_error', message: 'Overloaded' };
    const expected = { status: 529, code: undefined, type: 'overloaded_error', message: 'Overloaded' };
    expect(decode({ type: 'error', error })).toEqual(expected);
    expect(decode({ error })).toEqual(expected);
  });

  test('cannot carry an envelope of another vendor: it is an ordinary value', () => {
    const signature = wrapSignatures([{ issuer: 'g-1', form: 'thought', place: 'call', value: 'x' }]);
    const content = [{ type: 'thinking', thinking: 'so', signature }];
    expect(decode(message({ content }))).toMatchObject({
      choices: [{ parts: [{ signature: { issuer: 'v1-c1-m1', form: 'signature', value: signature } }] }],
    });
  });

  test('without valid content is empty', () => {
    expect(decode({ content: [1, null, { type: 'text' }], usage: 3, stop_reason: {} })).toMatchObject({
      choices: [{ parts: [{ kind: 'text', text: '' }], finish: { reason: 'stop' } }],
    });
  });
});

describe('an answer for a client', () => {
  test('has the platform’s model and an id of the gateway', () => {
    expect(encode(answer([{ kind: 'text', text: 'hi' }]))).toEqual({
      id: 'msg_c1',
      type: 'message',
      role: 'assistant',
      model: 'platform/model',
      content: [{ type: 'text', text: 'hi' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        output_tokens: 0,
      },
    });
  });

  const cipher: Signature = {
    issuer: 'g-1',
    form: 'encrypted',
    place: 'reasoning',
    value: 'enc',
    itemId: 'rs_1',
  };
  const thought: Signature = { issuer: 'g-1', form: 'thought', place: 'call', value: 'sig' };

  test('contains signatures of other vendors in an envelope, and its own vendor’s unchanged', () => {
    const parts: Part[] = [
      { kind: 'reasoning', text: 'summary', signature: cipher },
      { kind: 'reasoning', text: '', signature: cipher },
      { kind: 'reasoning', text: '', signature: thought },
      { kind: 'reasoning', text: 'plain' },
      { kind: 'reasoning', text: '' },
    ];
    expect(encode(answer(parts), foreign).content).toEqual([
      { type: 'thinking', thinking: 'summary', signature: wrapSignatures([cipher]) },
      { type: 'redacted_thinking', data: wrapSignatures([cipher]) },
      { type: 'thinking', thinking: '', signature: wrapSignatures([thought]) },
      { type: 'thinking', thinking: 'plain', signature: '' },
    ]);
    const signed: Signature = { issuer: 'v1-c1-m1', form: 'signature', place: 'reasoning', value: 'raw' };
    expect(encode(answer([{ kind: 'reasoning', text: 'so', signature: signed }])).content).toEqual([
      { type: 'thinking', thinking: 'so', signature: 'raw' },
    ]);
  });

  test('contains calls with their input as it was written', () => {
    const call: Part = {
      kind: 'tool-call',
      id: 't',
      name: 'f',
      arguments: '{"b":1.0,"a":{}}',
      custom: false,
    };
    const text = writeJson(messagesCodec.encodeAnswer(answer([call], 'tool'), own));
    expect(text).toContain('{"type":"tool_use","id":"t","name":"f","input":{"b":1.0,"a":{}}}');
    expect(text).toContain('"stop_reason":"tool_use"');
  });

  test.each<[FinishReason, string]>([
    ['stop', 'end_turn'],
    ['stop-sequence', 'stop_sequence'],
    ['tool', 'tool_use'],
    ['length', 'max_tokens'],
    ['context', 'model_context_window_exceeded'],
    ['filter', 'refusal'],
    ['refusal', 'refusal'],
    ['pause', 'pause_turn'],
  ])('that ended with %s has the reason %s', (reason, stop) => {
    expect(encode(answer([], reason)).stop_reason).toBe(stop);
  });

  test('that is a refusal has text, a reason and an explanation', () => {
    const refused = encode(answer([{ kind: 'refusal', text: 'I will not.' }], 'refusal'));
    expect(refused).toMatchObject({
      content: [{ type: 'text', text: 'I will not.' }],
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category: null, explanation: 'I will not.' },
    });
    expect(encode(answer([{ kind: 'refusal', text: 'no' }]))).toMatchObject({ stop_reason: 'refusal' });
  });

  test('has a placeholder for content without a place, and no empty text', () => {
    const parts: Part[] = [
      { kind: 'text', text: '' },
      { kind: 'image', source: { kind: 'bytes', mime: 'image/png', base64: 'AAAA' } },
      { kind: 'server-tool', protocol: 'gemini', raw: '{}', text: '```\n1\n```' },
      {
        kind: 'server-tool',
        protocol: 'messages',
        raw: '{"type":"server_tool_use","input":{"b":1}}',
        text: '',
      },
    ];
    expect(encode(answer(parts), foreign).content).toEqual([
      { type: 'text', text: '[image]' },
      { type: 'text', text: '```\n1\n```' },
      { type: 'server_tool_use', input: { b: 1 } },
    ]);
  });

  test('does not contain service tiers of other vendors', () => {
    const tiered = { ...answer([]), usage: NO_HUB_USAGE, serviceTier: 'flex' };
    expect(encode(tiered, foreign).usage).not.toHaveProperty('service_tier');
  });
});
