import { describe, expect, test } from 'vitest';
import type { AnswerError, Choice, HubAnswer } from '../hub/answer.ts';
import { wrapSignatures } from '../hub/envelope.ts';
import type { Part } from '../hub/part.ts';
import { decodeWhole } from '../suite/reported.ts';
import { responsesCodec } from './codec.ts';
import { decode, OWN, parse, plain, session } from './suite/world.ts';

type Json = Record<string, unknown>;
const answerOf = (choice: Partial<Choice>): HubAnswer => ({
  id: 'v',
  choices: [{ parts: [], finish: { reason: 'stop' }, ...choice }],
  usage: undefined,
  serviceTier: undefined,
});
const encoded = (choice: Partial<Choice>, to = session()): Json =>
  plain(responsesCodec.encodeAnswer(answerOf(choice), to));
const said = (text: string): Part => ({ kind: 'text', text });

describe('an answer for a client', () => {
  test('has its items in order', () => {
    const signature = { issuer: 'm-1', form: 'signature', place: 'reasoning', value: 's' } as const;
    const body = encoded({
      parts: [
        { kind: 'reasoning', text: 'hm', signature },
        said('a'),
        { kind: 'tool-call', id: 'c1', name: 'f', arguments: '{}', custom: false },
        { kind: 'reasoning', text: '', signature: { ...signature, form: 'redacted' } },
        said('b'),
        said('c'),
        { kind: 'reasoning', text: '' },
      ],
      finish: { reason: 'tool' },
    });
    expect(body).toMatchObject({
      id: 'resp_c1',
      object: 'response',
      model: 'house/model',
      status: 'completed',
    });
    expect(body.output).toMatchObject([
      {
        id: 'rs_c1_0',
        summary: [{ type: 'summary_text', text: 'hm' }],
        encrypted_content: wrapSignatures([signature]),
      },
      { id: 'msg_c1_1', content: [{ type: 'output_text', text: 'a', annotations: [], logprobs: [] }] },
      { id: 'fc_c1_2', type: 'function_call', call_id: 'c1', arguments: '{}', status: 'completed' },
      { id: 'rs_c1_3', summary: [] },
      { id: 'msg_c1_4', content: [{ text: 'b' }, { text: 'c' }] },
    ]);
    expect((body.output as Json[])[4]).not.toHaveProperty('encrypted_content');
  });

  test('without any choice is empty and complete', () => {
    const none: HubAnswer = { id: undefined, choices: [], usage: undefined, serviceTier: 'priority' };
    expect(plain(responsesCodec.encodeAnswer(none, session()))).toMatchObject({
      output: [],
      status: 'completed',
      service_tier: 'default',
    });
  });

  test('gives tools with a type of their own the calls of that type', () => {
    const { request } = decode({
      input: 'x',
      tools: [{ type: 'apply_patch' }, { type: 'tool_search', execution: 'client' }],
    });
    const call = (name: string, text: string): Part => ({
      kind: 'tool-call',
      id: 'c',
      name,
      arguments: text,
      custom: false,
    });
    const parts = [
      call('apply_patch', '{"type":"delete_file","path":"a"}'),
      call('tool_search', '{"goal":1.0}'),
      call('tool_search', 'broken'),
    ];
    const body = responsesCodec.encodeAnswer(answerOf({ parts }), session({ request }));
    expect(plain(body).output).toMatchObject([
      { id: 'apc_c1_0', type: 'apply_patch_call', operation: { type: 'delete_file', path: 'a' } },
      { id: 'tsc_c1_1', type: 'tool_search_call', arguments: { goal: 1 }, execution: 'client' },
      { type: 'tool_search_call', arguments: {} },
    ]);
  });

  test('is incomplete or refused like the vendor’s answer', () => {
    expect(encoded({ parts: [said('x')], finish: { reason: 'length' } })).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ status: 'incomplete' }],
    });
    expect(encoded({ finish: { reason: 'refusal', message: 'no' } })).toMatchObject({
      status: 'completed',
      output: [{ content: [{ type: 'refusal', refusal: 'no' }] }],
    });
    expect(encoded({ finish: { reason: 'refusal' } })).toMatchObject({
      incomplete_details: { reason: 'content_filter' },
    });
  });
});

describe('an answer of the vendor', () => {
  const read = (body: object): HubAnswer | AnswerError =>
    decodeWhole(responsesCodec, parse({ id: 'resp_1', status: 'completed', ...body }), OWN);

  test('that failed behind a 200 is an error', () => {
    const error = { code: 'server_error', message: 'oh' };
    expect(read({ status: 'failed', error })).toEqual({
      status: 500,
      code: 'server_error',
      type: undefined,
      message: 'oh',
    });
    expect(read({ error: { code: 'context_length_exceeded', message: 'm' } })).toMatchObject({ status: 400 });
    expect(read({ status: 'cancelled' })).toMatchObject({
      status: 500,
      message: 'the response is cancelled',
    });
  });

  test('with a summary and a ciphertext keeps both once', () => {
    const item = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'a' }],
      encrypted_content: 'g',
    };
    const { choices } = read({ output: [item] }) as HubAnswer;
    expect(choices[0]?.parts).toEqual([
      {
        kind: 'reasoning',
        text: 'a',
        signature: { issuer: 'r-1', form: 'encrypted', place: 'reasoning', value: 'g', itemId: 'rs_1' },
      },
    ]);
  });

  test('is decoded with any content', () => {
    expect(read({ output: [7, null, { type: 'message', content: 'x' }], usage: 7 })).toMatchObject({
      choices: [{ parts: [], finish: { reason: 'stop' } }],
      usage: undefined,
    });
    expect(read({ output: [{ type: 'function_call', arguments: { a: 1 } }] })).toMatchObject({
      choices: [{ parts: [{ id: '', name: '', arguments: '{"a":1}' }], finish: { reason: 'tool' } }],
    });
  });

  test('contains logprobs, tier and usage', () => {
    const logprobs = [{ token: 'x', logprob: -0.5, bytes: [1], top_logprobs: [{ token: 'y', logprob: -1 }] }];
    const content = [{ type: 'output_text', text: 'x', annotations: [], logprobs }];
    const usage = { input_tokens: 5, output_tokens: 3, input_tokens_details: { cached_tokens: 9 } };
    expect(read({ output: [{ type: 'message', content }], usage, service_tier: 'flex' })).toMatchObject({
      choices: [{ logprobs: [{ token: 'x', top: [{ token: 'y' }] }] }],
      serviceTier: 'flex',
      // A part that is larger than its whole is cut to it.
      usage: { inputFresh: 0, cacheRead: 5, outputText: 3 },
    });
  });
});
