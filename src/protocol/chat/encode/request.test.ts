import { describe, expect, it } from 'vitest';
import { someCapabilities, someRequest, someTarget } from '../../../../test/support/hub.ts';
import type { CapabilityOverrides } from '../../../kernel/capability.ts';
import { type JsonObject, writeJson } from '../../hub/content/json.ts';
import { Notes } from '../../hub/notes.ts';
import type { Part, ToolCallPart } from '../../hub/part.ts';
import { type HubRequest, NO_SAMPLING, NO_THINKING, type Turn } from '../../hub/request.ts';
import { chatCodec } from '../codec.ts';

interface Encoded {
  readonly body: Record<string, unknown>;
  readonly text: string;
  readonly dropped: readonly string[];
}

function encode(request: Partial<HubRequest>, capabilities: CapabilityOverrides = {}): Encoded {
  const notes = new Notes(chatCodec.fields);
  const target = someTarget({ protocol: 'chat', capabilities: someCapabilities(capabilities) });
  const user: Turn = { role: 'user', parts: [{ kind: 'text', text: 'hi' }] };
  const hub = someRequest({ client: 'messages', turns: [user], ...request });
  const text = writeJson(chatCodec.encodeRequest(hub, target, notes));
  return { body: JSON.parse(text), text, dropped: notes.dropped };
}

const messagesOf = (turns: readonly Turn[], capabilities: CapabilityOverrides = {}): unknown =>
  encode({ turns }, capabilities).body.messages;
const user = (...parts: Part[]): Turn => ({ role: 'user', parts });
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts });
const text = (words: string): Part => ({ kind: 'text', text: words });
const call = (id: string, name = 'f'): ToolCallPart => ({
  kind: 'tool-call',
  id,
  name,
  arguments: '{"a":1.0}',
  custom: false,
});
const picture: Part = { kind: 'image', source: { kind: 'bytes', mime: 'image/png', base64: 'iVBO' } };
const result = (callId: string, parts: readonly Part[], isError = false): Part => ({
  kind: 'tool-result',
  callId,
  parts,
  isError,
  custom: false,
});
const tool = { kind: 'function', name: 'f', schema: '{"type":"object"}', strict: undefined } as const;
const wireCall = (id: string): object => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: '{"a":1.0}' },
});

describe('turns become messages', () => {
  it('with one system message for each text, except the block that would defeat caches', () => {
    const system = ['x-anthropic-billing-header: cc_version=1', 'one', 'two'].map(
      (words) => ({ kind: 'text', text: words }) as const,
    );
    expect(encode({ system }).body.messages).toEqual([
      { role: 'system', content: 'one' },
      { role: 'system', content: 'two' },
      { role: 'user', content: 'hi' },
    ]);
  });

  it('with calls, and results directly behind them, before the next user text', () => {
    const turns = [
      user(text('hi')),
      assistant(text('let '), text('me'), call('c1'), call('c2')),
      user(result('c1', [text('a'), text('b')]), result('c2', []), text('and?')),
    ];
    expect(messagesOf(turns)).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'let me', tool_calls: [wireCall('c1'), wireCall('c2')] },
      { role: 'tool', tool_call_id: 'c1', content: 'a\nb' },
      { role: 'tool', tool_call_id: 'c2', content: '' },
      { role: 'user', content: 'and?' },
    ]);
  });

  it('with pictures of results in the next user turn, behind all results of the round', () => {
    const turns = [
      user(text('hi')),
      assistant(call('c1'), call('c2')),
      user(result('c1', [text('see'), picture]), result('c2', [text('two')])),
    ];
    expect((messagesOf(turns) as object[]).slice(1)).toEqual([
      { role: 'assistant', content: null, tool_calls: [wireCall('c1'), wireCall('c2')] },
      { role: 'tool', tool_call_id: 'c1', content: 'see\n[image]' },
      { role: 'tool', tool_call_id: 'c2', content: 'two' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } }] },
    ]);
  });

  it('with pictures of the assistant in the next user turn', () => {
    expect(messagesOf([user(text('draw')), assistant(text('here'), picture), user(text('nice'))])).toEqual([
      { role: 'user', content: 'draw' },
      { role: 'assistant', content: 'here' },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
          { type: 'text', text: 'nice' },
        ],
      },
    ]);
  });

  it('with failed results marked in text', () => {
    const turns = [user(text('x')), assistant(call('c')), user(result('c', [text('no such file')], true))];
    expect((messagesOf(turns) as object[]).at(-1)).toMatchObject({ content: 'Error: no such file' });
  });

  it('with system turns in place, or in the user turn where the vendor has none', () => {
    const turns: Turn[] = [user(text('a')), assistant(text('b')), { role: 'system', parts: [text('c')] }];
    expect((messagesOf(turns) as object[]).at(-1)).toEqual({ role: 'system', content: 'c' });
    expect((messagesOf(turns, { systemTurns: false }) as object[]).at(-1)).toEqual({
      role: 'user',
      content: '<system-reminder>\nc\n</system-reminder>',
    });
  });

  it('without the start of an answer for vendors that refuse it', () => {
    const turns = [user(text('a')), assistant(text('b'))];
    expect(messagesOf(turns, { prefill: false })).toEqual([{ role: 'user', content: 'a' }]);
    expect(messagesOf(turns)).toHaveLength(2);
  });

  it('with thinking for vendors that require it, and for no other', () => {
    const turns = [
      user(text('a')),
      assistant({ kind: 'reasoning', text: 'why' }, call('c')),
      user(result('c', [])),
    ];
    expect((messagesOf(turns, { reasoningContent: true }) as object[])[1]).toMatchObject({
      reasoning_content: 'why',
    });
    expect((messagesOf(turns) as object[])[1]).not.toHaveProperty('reasoning_content');
  });

  it('with signatures, or a placeholder for lost ones where they are required', () => {
    const signed = { issuer: 'v1-c1-m1', form: 'thought', place: 'call', value: 'sig' } as const;
    const slot = (value: string): object => ({ extra_content: { google: { thought_signature: value } } });
    const calls = (part: Part): unknown =>
      (
        messagesOf([user(text('a')), assistant(part, call('d'))], {
          signaturesRequired: true,
        }) as JsonObject[]
      )[1]?.tool_calls;
    expect(calls({ ...call('c'), signatures: [signed] })).toEqual([
      { ...wireCall('c'), ...slot('sig') },
      wireCall('d'),
    ]);
    expect(calls(call('c'))).toEqual([
      { ...wireCall('c'), ...slot('skip_thought_signature_validator') },
      wireCall('d'),
    ]);
  });

  it('with refusals as refusals', () => {
    expect(
      (messagesOf([user(text('a')), assistant({ kind: 'refusal', text: 'no' })]) as object[])[1],
    ).toEqual({
      role: 'assistant',
      content: [{ type: 'refusal', refusal: 'no' }],
    });
  });
});

describe('content of a user', () => {
  const content = (
    part: Part,
    more: Partial<HubRequest> = {},
    capabilities: CapabilityOverrides = {},
  ): unknown =>
    (encode({ turns: [user(part)], ...more }, capabilities).body.messages as JsonObject[])[0]?.content;

  it('keeps files under a name that matches their type', () => {
    const file = (filename: string | undefined, mime: string): Part => ({
      kind: 'file',
      source: { kind: 'bytes', mime, base64: 'AAAA' },
      filename,
    });
    const named = (part: Part): unknown =>
      (content(part) as { file: { filename: string } }[])[0]?.file.filename;
    expect(named(file(undefined, 'application/pdf'))).toBe('document.pdf');
    expect(named(file('report', 'application/pdf'))).toBe('report.pdf');
    expect(named(file('Report.PDF', 'application/pdf'))).toBe('Report.PDF');
    expect(named(file('x.pdf', 'application/x-thing'))).toBe('x.pdf.bin');
    expect(content({ kind: 'file', source: { kind: 'text', text: 'body' }, title: 'T' })).toBe('T\n\nbody');
  });

  it('keeps sound in the two supported formats', () => {
    const audio = (mime: string): Part => ({
      kind: 'audio',
      source: { kind: 'bytes', mime, base64: 'AAAA' },
    });
    expect(content(audio('audio/mpeg'))).toEqual([
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
    ]);
    expect(() => content(audio('audio/flac'))).toThrow(
      'audio: audio/flac cannot be sent here, only WAV and MP3',
    );
  });

  it('keeps cache marks where the protocol has a place for them', () => {
    const marked: Part = { kind: 'text', text: 'a', cache: { ttl: '1h' } };
    expect(content(marked)).toEqual([
      { type: 'text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } },
    ]);
    expect(content({ ...marked, cache: { ttl: '12h' } })).toMatchObject([
      { prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } },
    ]);
    const plain = encode({ turns: [user(marked)] }, { cacheMarks: false });
    expect(plain.body.messages).toEqual([{ role: 'user', content: 'a' }]);
    expect(plain.dropped).toEqual(['prompt_cache_breakpoint']);
  });

  it.each([
    ['video', { kind: 'video', source: { kind: 'url', url: 'u' } }],
    ['image', { kind: 'image', source: { kind: 'file', id: 'f' } }],
    ['file', { kind: 'file', source: { kind: 'url', url: 'u' } }],
    ['file', { kind: 'file', source: { kind: 'file', id: 'f' } }],
    ['input[3]', { kind: 'opaque', protocol: 'responses', type: 'compaction', raw: '{}', path: 'input[3]' }],
  ] as const)('refuses %s where it cannot be expressed', (where, part) => {
    expect(() => content(part)).toThrow(new RegExp(`^${where.replace('[', '\\[')}: `));
  });

  it('refuses addresses for vendors that do not fetch', () => {
    const image: Part = { kind: 'image', source: { kind: 'url', url: 'https://a.example' } };
    expect(() => content(image, {}, { mediaUrls: false })).toThrow(/^image: /);
    expect(content(image)).toEqual([{ type: 'image_url', image_url: { url: 'https://a.example' } }]);
  });
});

describe('options', () => {
  it('have a fixed order, with schemas as they were written', () => {
    const schema = '{"type":"object","properties":{"10":{"maximum":1.0},"2":{}}}';
    const request: Partial<HubRequest> = {
      stream: true,
      tools: [{ ...tool, description: 'd', schema, strict: false }],
      toolChoice: { kind: 'required' },
      parallelCalls: false,
      sampling: { ...NO_SAMPLING, temperature: 0.5, seed: 7 },
      stop: ['a', 'b', 'c', 'd', 'e'],
      maxTokens: 100,
    };
    const { text: written, dropped } = encode(request);
    expect(written).toBe(
      '{"model":"vendor-model","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function",' +
        `"function":{"name":"f","description":"d","parameters":${schema},"strict":false}}],` +
        '"tool_choice":"required","parallel_tool_calls":false,"temperature":0.5,"seed":7,' +
        '"stop":["a","b","c","d"],"max_completion_tokens":100,"stream":true,' +
        '"stream_options":{"include_usage":true}}',
    );
    expect(dropped).toEqual(['stop']);
    expect(encode(request).text).toBe(written);
  });

  it('contain nothing about tools where there are none', () => {
    const { body } = encode({ toolChoice: { kind: 'required' }, parallelCalls: true });
    expect(Object.keys(body)).toEqual(['model', 'messages']);
  });

  it('choose tools by name, or among some', () => {
    const tools = [tool, { kind: 'custom', name: 'p' } as const];
    const choice = (toolChoice: HubRequest['toolChoice'], capabilities: CapabilityOverrides = {}): unknown =>
      encode({ tools, toolChoice }, capabilities).body.tool_choice;
    expect(choice({ kind: 'tool', name: 'f' })).toEqual({ type: 'function', function: { name: 'f' } });
    expect(choice({ kind: 'tool', name: 'p' })).toEqual({ type: 'custom', custom: { name: 'p' } });
    expect(choice({ kind: 'tool', name: 'gone' })).toBe('auto');
    expect(choice({ kind: 'subset', names: ['f', 'p'], required: true })).toEqual({
      type: 'allowed_tools',
      allowed_tools: {
        mode: 'required',
        tools: [
          { type: 'function', function: { name: 'f' } },
          { type: 'custom', custom: { name: 'p' } },
        ],
      },
    });
    expect(choice({ kind: 'required' }, { forcedToolChoice: false })).toBe('auto');
  });

  it('keep strict schemas that the vendor accepts, and drop the flag otherwise', () => {
    const strict = (schema: string): unknown => {
      const { body, dropped } = encode({ tools: [{ ...tool, schema, strict: true }] });
      return [(body.tools as { function: { strict?: boolean } }[])[0]?.function.strict, dropped];
    };
    const closed = '{"type":"object","properties":{"a":{}},"required":["a"],"additionalProperties":false}';
    expect(strict(closed)).toEqual([true, []]);
    expect(strict(closed.replace('["a"]', '[]'))).toEqual([undefined, ['tools.function.strict']]);
  });

  it('give an answer schema a name, and make it strict where possible', () => {
    const schema = '{"type":"object","properties":{},"additionalProperties":false}';
    const format = {
      kind: 'schema',
      name: 'my name',
      description: undefined,
      schema,
      strict: undefined,
    } as const;
    expect(encode({ format }).body.response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'response', schema: JSON.parse(schema), strict: true },
    });
    const lax = encode({ format }, { structuredOutput: false });
    expect(lax.body.response_format).toEqual({ type: 'json_object' });
    expect((lax.body.messages as JsonObject[])[0]).toEqual({
      role: 'system',
      content: `Respond with a single JSON object that matches this JSON Schema, and with nothing else:\n${schema}`,
    });
    expect(lax.dropped).toEqual(['response_format']);
  });

  it('add the word JSON where it is missing, because the vendor requires it', () => {
    const said = encode({ format: { kind: 'json' }, turns: [user(text('as JSON'))] });
    expect(said.body.messages).toHaveLength(1);
    const unsaid = encode({ format: { kind: 'json' } });
    expect((unsaid.body.messages as JsonObject[])[0]?.content).toContain('JSON');
  });

  it.each([
    [{ effort: 'high' }, {}, 'high', []],
    [{ effort: 'max' }, {}, 'high', []],
    [{ mode: 'off', effort: 'none' }, {}, 'none', []],
    [{ mode: 'off' }, { efforts: ['low'], thinksByDefault: true }, 'low', ['reasoning_effort']],
    [{ mode: 'off' }, { thinking: 'none', efforts: [] }, undefined, []],
    [{ mode: 'budget', budgetTokens: 16_000 }, {}, 'high', []],
    [{ mode: 'adaptive' }, {}, 'medium', []],
    [{ mode: 'adaptive' }, { thinksByDefault: true }, undefined, []],
    [{ effort: 'low' }, { thinking: 'none', efforts: [] }, undefined, ['reasoning_effort']],
    [{}, {}, undefined, []],
  ] as const)('turn %j into an effort', (thinking, capabilities, effort, lost) => {
    const { body, dropped } = encode({ thinking: { ...NO_THINKING, ...thinking } }, capabilities);
    expect([body.reasoning_effort, dropped]).toEqual([effort, lost]);
  });

  it('switch thinking off where tools and thinking cannot be combined', () => {
    const thinking = { ...NO_THINKING, effort: 'high' } as const;
    const { body, dropped } = encode({ tools: [tool], thinking }, { chatToolsWithThinking: false });
    expect([body.reasoning_effort, dropped]).toEqual(['none', ['reasoning_effort']]);
  });

  it('drop and report what the model refuses', () => {
    const request: Partial<HubRequest> = {
      sampling: { temperature: 1, topP: 0.5, topK: 3, frequencyPenalty: 1, presencePenalty: 1, seed: 1 },
      logprobs: 2,
      maxTokens: 99_999,
      serviceTier: 'standard_only',
    };
    const refused = encode(request, { sampling: 'none', penalties: false });
    expect(refused.body).toMatchObject({ seed: 1, max_completion_tokens: 64_000 });
    expect(Object.keys(refused.body)).toEqual(['model', 'messages', 'seed', 'max_completion_tokens']);
    expect(refused.dropped).toEqual([
      'temperature',
      'top_p',
      'top_k',
      'frequency_penalty',
      'presence_penalty',
      'logprobs',
      'max_completion_tokens',
      'service_tier',
    ]);
    expect(encode(request, { sampling: 'one-of' }).body).not.toHaveProperty('top_p');
    const off = { ...request, thinking: { ...NO_THINKING, mode: 'off' } as const };
    expect(encode(off, { sampling: 'none' }).body).toMatchObject({
      temperature: 1,
      top_p: 0.5,
      top_logprobs: 2,
    });
  });

  it('name the end user within the vendor’s length limit', () => {
    expect(encode({ endUser: 'ann' }).body.user).toBe('ann');
    expect(encode({ endUser: 'x'.repeat(65) }).body.user).toMatch(/^x{55}_[0-9a-f]{8}$/);
  });

  it('use the old name of the output limit for vendors that accept no other', () => {
    expect(encode({ maxTokens: 5 }, { reasoningContent: true }).body).toMatchObject({ max_tokens: 5 });
    expect(encode({ maxTokens: 5 }, { maxCompletionTokens: false }).body).toMatchObject({ max_tokens: 5 });
  });
});
