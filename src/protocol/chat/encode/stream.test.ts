import { describe, expect, it } from 'vitest';
import { someRequest, someSession, someSignature, someUsage } from '../../../../test/support/hub.ts';
import type { Session } from '../../hub/codec.ts';
import type { JsonObject } from '../../hub/content/json.ts';
import { unwrapSignatures } from '../../hub/envelope.ts';
import type { HubEvent, PartHead } from '../../hub/event.ts';
import { NO_THINKING } from '../../hub/request.ts';
import { chatCodec } from '../codec.ts';

const session = someSession({ request: someRequest({ stream: true, includeUsage: true }) });
const USAGE = someUsage();

function encode(events: readonly HubEvent[], more: Partial<Session> = {}): string {
  const encoder = chatCodec.createEncoder({ ...session, ...more }, 'sse');
  for (const event of events) encoder.push(event);
  return encoder.take();
}

/** Every chunk's data; `[DONE]` is a text. */
function dataOf(text: string): readonly JsonObject[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('data: '))
    .map((block) => (block === 'data: [DONE]' ? block : JSON.parse(block.slice(6))));
}

const deltasOf = (text: string): readonly unknown[] =>
  dataOf(text)
    .filter((data) => Array.isArray(data.choices) && data.choices.length > 0)
    .map((data) => (data.choices as JsonObject[])[0]?.delta);

const START: HubEvent = { kind: 'start', id: 'v', usage: undefined };
const part = (head: PartHead, choice = 0): HubEvent => ({ kind: 'part', choice, head });
const say = (text: string, choice = 0): HubEvent => ({ kind: 'delta', choice, text });
const END: HubEvent = { kind: 'end' };
const callHead: PartHead = { kind: 'tool-call', id: 'c', name: 'f', custom: false };
const ROLE = { role: 'assistant', content: '', refusal: null };

describe('a stream for a client', () => {
  it('begins at once, and ends with usage and the terminator', () => {
    const encoder = chatCodec.createEncoder(session, 'sse');
    encoder.push(START);
    expect(encoder.take()).toBe(
      'data: {"id":"chatcmpl-abc123","object":"chat.completion.chunk","created":1700000000,' +
        '"model":"platform-model","choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},' +
        '"finish_reason":null}],"usage":null}\n\n',
    );
    expect(encoder.take()).toBe('');
    for (const event of [part({ kind: 'text' }), say('a'), { kind: 'usage', usage: USAGE } as const])
      encoder.push(event);
    encoder.push({ kind: 'finish', choice: 0, finish: { reason: 'stop' } });
    const [word, finish] = dataOf(encoder.take());
    expect(word).toMatchObject({ choices: [{ delta: { content: 'a' }, finish_reason: null }] });
    expect(finish).toMatchObject({ choices: [{ delta: {}, finish_reason: 'stop' }] });
    encoder.push(END);
    const [usage, done] = dataOf(encoder.take());
    expect(usage).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
    });
    expect(done).toBe('data: [DONE]');
  });

  it('contains usage only for clients that request it', () => {
    const quiet = { ...session, request: someRequest({ stream: true }) };
    expect(encode([START, { kind: 'usage', usage: USAGE }, END], quiet)).not.toContain('usage');
  });

  it('numbers calls among themselves and names them once', () => {
    const custom: PartHead = { kind: 'tool-call', id: 'd', name: 'p', custom: true };
    const text = encode([
      START,
      part({ kind: 'text' }),
      say('t'),
      part(callHead),
      say('{"a"'),
      say(':1}'),
      part(custom),
      say('raw'),
      END,
    ]);
    expect(deltasOf(text)).toEqual([
      ROLE,
      { content: 't' },
      { tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] },
      { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
      { tool_calls: [{ index: 1, id: 'd', type: 'custom', custom: { name: 'p', input: '' } }] },
      { tool_calls: [{ index: 1, custom: { input: 'raw' } }] },
      {},
    ]);
    expect(text).toContain('"finish_reason":"tool_calls"');
  });

  it('gives a call without arguments an empty object', () => {
    expect(deltasOf(encode([START, part(callHead), { kind: 'part-end', choice: 0 }, END]))).toContainEqual({
      tool_calls: [{ index: 0, function: { arguments: '{}' } }],
    });
  });

  it('contains signatures in an envelope on their call', () => {
    const signature = { issuer: 'v1', form: 'thought', place: 'call', value: 'x' } as const;
    const [, first] = deltasOf(encode([START, part({ ...callHead, signatures: [signature] })]));
    const [call] = (first as { tool_calls: { extra_content: { google: { thought_signature: string } } }[] })
      .tool_calls;
    expect(unwrapSignatures(call?.extra_content.google.thought_signature ?? '')).toEqual([signature]);
  });

  it('hides thinking from a client that does not want it', () => {
    const request = someRequest({ stream: true, thinking: { ...NO_THINKING, show: false } });
    const text = encode([START, part({ kind: 'reasoning' }), say('why'), END], { request });
    expect(deltasOf(text)).toEqual([ROLE, {}]);
  });

  it('contains thinking, refusals, pictures, server tools and citations', () => {
    const server: PartHead = { kind: 'server-tool', protocol: 'messages', raw: '{}', text: 'S' };
    const text = encode([
      START,
      ...[part({ kind: 'reasoning' }), say('why'), part(server), part({ kind: 'text' }), say('ab')],
      { kind: 'citation', choice: 0, citation: { url: 'u', title: 'T' } },
      ...[part({ kind: 'image', mime: 'image/png', base64: 'AAAA' }), part({ kind: 'refusal' }), say('no')],
      { kind: 'finish', choice: 0, finish: { reason: 'refusal', message: 'because' } },
      END,
    ]);
    expect(deltasOf(text).slice(1)).toEqual([
      { reasoning_content: 'why' },
      { content: 'S' },
      { content: 'ab' },
      {
        annotations: [
          { type: 'url_citation', url_citation: { start_index: 1, end_index: 3, title: 'T', url: 'u' } },
        ],
      },
      { images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' }, index: 0 }] },
      { refusal: 'no' },
      {},
    ]);
    expect(text).toContain('"finish_reason":"stop"');
  });

  it('gives every choice its role and its end, even if the vendor left them out', () => {
    const text = encode([START, part({ kind: 'text' }, 1), say('b', 1), END]);
    const chunks = dataOf(text).flatMap((data) => (data.choices as JsonObject[] | undefined) ?? []);
    const of = (index: number): unknown[] =>
      chunks
        .filter((choice) => choice.index === index)
        .map(({ delta, finish_reason }) => [delta, finish_reason]);
    expect(of(0)).toEqual([
      [ROLE, null],
      [{}, 'stop'],
    ]);
    expect(of(1)).toEqual([
      [ROLE, null],
      [{ content: 'b' }, null],
      [{}, 'stop'],
    ]);
  });

  it('that fails contains the error in the form of this protocol and has no terminator', () => {
    const error = { status: 503, code: 'overloaded', type: 'server_error', message: 'busy' };
    const text = encode([START, { kind: 'error', error }, part({ kind: 'text' }), say('x'), END]);
    expect(dataOf(text).at(-1)).toEqual({
      error: { message: 'busy', type: 'server_error', param: null, code: 'overloaded' },
    });
  });

  it('for a client of legacy functions contains one call in the old form, signed on the message', () => {
    const legacy = someRequest({ stream: true, legacyFunctions: true });
    const second: PartHead = { ...callHead, id: 'd', name: 'g' };
    const signed: PartHead = {
      ...callHead,
      signatures: [someSignature('s', { place: 'call', form: 'thought' })],
    };
    const finish: HubEvent = { kind: 'finish', choice: 0, finish: { reason: 'tool' } };
    const calls = [part(signed), say('{"a"'), say(':1}'), part(second), say('{}')];
    const text = encode([START, ...calls, finish, END], { request: legacy });
    const slot = expect.objectContaining({ google: expect.anything() });
    expect(deltasOf(text)).toEqual([
      ROLE,
      { function_call: { name: 'f', arguments: '' }, extra_content: slot },
      { function_call: { arguments: '{"a"' } },
      { function_call: { arguments: ':1}' } },
      {},
    ]);
    expect(text).toContain('"finish_reason":"function_call"');
  });
});
