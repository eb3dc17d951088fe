import { describe, expect, it } from 'vitest';
import { readJson } from '../../hub/content/json.ts';
import { wrapSignatures } from '../../hub/envelope.ts';
import { Inexpressible, Notes } from '../../hub/notes.ts';
import type { HubRequest } from '../../hub/request.ts';
import type { Signature } from '../../hub/signature.ts';
import { chatCodec } from '../codec.ts';

const RAW = { body: Buffer.alloc(0), contentType: 'application/json', path: undefined };
const hello = { role: 'user', content: 'hi' };

function decode(body: object): { readonly request: HubRequest; readonly dropped: readonly string[] } {
  const notes = new Notes(chatCodec.fields);
  const json = readJson(JSON.stringify({ model: 'm', messages: [hello], ...body }), chatCodec.rawKeys);
  if (json === undefined) throw new Error('not JSON');
  return { request: chatCodec.decodeRequest(json, RAW, notes), dropped: notes.dropped };
}

const decodeMessages = (...messages: object[]): HubRequest => decode({ messages }).request;
const decodeParts = (...content: object[]): unknown =>
  decodeMessages({ role: 'user', content }).turns[0]?.parts;

describe('messages of a client', () => {
  it('are the system while they lead, and system turns afterwards', () => {
    const { system, turns } = decodeMessages(
      { role: 'system', content: 'one' },
      { role: 'developer', content: [{ type: 'text', text: 'two' }] },
      hello,
      { role: 'system', content: 'three' },
    );
    expect(system.map(({ text }) => text)).toEqual(['one', 'two']);
    expect(turns).toEqual([
      { role: 'user', parts: [{ kind: 'text', text: 'hi' }] },
      { role: 'system', parts: [{ kind: 'text', text: 'three' }] },
    ]);
  });

  it('keep pictures, sound and files with their bytes', () => {
    expect(
      decodeParts(
        { type: 'image_url', image_url: { url: 'data:image/PNG;charset=x;base64,iV-_\nQg', detail: 'low' } },
        { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
        { type: 'image_url', image_url: 'https://a.example/c.png' },
        { type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' } },
        { type: 'file', file: { filename: 'b.csv', file_data: 'YSxi' } },
        { type: 'file', file: { file_id: 'file-1' } },
        { type: 'video_url', video_url: { url: 'https://a.example/d.webm' } },
      ),
    ).toEqual([
      { kind: 'image', source: { kind: 'bytes', mime: 'image/png', base64: 'iV+/Qg==' }, detail: 'low' },
      { kind: 'image', source: { kind: 'url', url: 'https://a.example/b.png' } },
      { kind: 'image', source: { kind: 'url', url: 'https://a.example/c.png' } },
      { kind: 'audio', source: { kind: 'bytes', mime: 'audio/wav', base64: 'UklG' } },
      { kind: 'file', source: { kind: 'bytes', mime: 'application/pdf', base64: 'JVBE' }, filename: 'a.pdf' },
      { kind: 'file', source: { kind: 'bytes', mime: 'text/csv', base64: 'YSxi' }, filename: 'b.csv' },
      { kind: 'file', source: { kind: 'file', id: 'file-1' } },
      { kind: 'video', source: { kind: 'url', url: 'https://a.example/d.webm' } },
    ]);
  });

  it('keep both kinds of cache marks', () => {
    expect(
      decodeParts(
        { type: 'text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } },
        { type: 'text', text: 'b', cache_control: { type: 'ephemeral', ttl: '1h' } },
      ),
    ).toEqual([
      { kind: 'text', text: 'a', cache: {} },
      { kind: 'text', text: 'b', cache: { ttl: '1h' } },
    ]);
  });

  it('keep calls and results, custom ones as such, with arguments as they were written', () => {
    const { turns } = decodeMessages(
      hello,
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'c1',
            type: 'function',
            function: { name: 'f', arguments: '{"n":1.0, "m":12345678901234567890}' },
          },
          { id: 'c2', type: 'function', function: { name: 'g', arguments: '' } },
          { id: 'c3', type: 'custom', custom: { name: 'patch', input: '*** Begin' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'done' }] },
      { role: 'tool', tool_call_id: 'c2', content: '' },
      { role: 'tool', tool_call_id: 'c3', content: 'patched' },
    );
    const call = { kind: 'tool-call', custom: false };
    expect(turns[1]?.parts).toEqual([
      { ...call, id: 'c1', name: 'f', arguments: '{"n":1.0, "m":12345678901234567890}' },
      { ...call, id: 'c2', name: 'g', arguments: '{}' },
      { ...call, id: 'c3', name: 'patch', arguments: '*** Begin', custom: true },
    ]);
    const result = { kind: 'tool-result', isError: false, custom: false };
    expect(turns.slice(2).flatMap(({ parts }) => parts)).toEqual([
      { ...result, callId: 'c1', parts: [{ kind: 'text', text: 'done' }] },
      { ...result, callId: 'c2', parts: [] },
      { ...result, callId: 'c3', parts: [{ kind: 'text', text: 'patched' }], custom: true },
    ]);
  });

  it('of the legacy function style become calls that match their results', () => {
    const { request } = decode({
      functions: [{ name: 'f', parameters: { type: 'object' } }],
      function_call: { name: 'f' },
      messages: [
        hello,
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
        { role: 'function', name: 'f', content: '2' },
      ],
    });
    const [call] = request.turns[1]?.parts ?? [];
    const [result] = request.turns[2]?.parts ?? [];
    expect(call).toMatchObject({ kind: 'tool-call', name: 'f', arguments: '{"a":1}' });
    expect(result).toMatchObject({ kind: 'tool-result', callId: (call as { id: string }).id });
    expect(request.tools).toMatchObject([{ kind: 'function', name: 'f', schema: '{"type":"object"}' }]);
    expect(request.toolChoice).toEqual({ kind: 'tool', name: 'f' });
  });

  it('keep refusals and thinking, in any of the known forms', () => {
    const parts = (message: object): unknown =>
      decodeMessages(hello, { role: 'assistant', ...message }).turns[1]?.parts;
    expect(parts({ content: null, refusal: 'no' })).toEqual([{ kind: 'refusal', text: 'no' }]);
    expect(parts({ content: [{ type: 'refusal', refusal: 'no' }] })).toEqual([
      { kind: 'refusal', text: 'no' },
    ]);
    expect(parts({ content: 'b', reasoning_content: 'a', reasoning: 'a' })).toEqual([
      { kind: 'reasoning', text: 'a' },
      { kind: 'text', text: 'b' },
    ]);
    expect(parts({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'a' }] }] })).toEqual([
      { kind: 'reasoning', text: 'a' },
    ]);
  });

  it('return signatures of other vendors, each to its own', () => {
    const signature: Signature = {
      issuer: 'v1-c1-m1',
      form: 'signature',
      place: 'reasoning',
      value: 's',
      text: 'why',
    };
    const call = (signature: string): object => ({
      id: 'c',
      type: 'function',
      function: { name: 'f', arguments: '{}' },
      extra_content: { google: { thought_signature: signature } },
    });
    const { turns } = decodeMessages(hello, {
      role: 'assistant',
      content: '',
      tool_calls: [call(wrapSignatures([signature])), call('Z29vZ2xl')],
      reasoning_details: [
        { type: 'reasoning.text', text: 'so ', format: 'anthropic-claude-v1' },
        { type: 'reasoning.text', signature: 'sig', format: 'anthropic-claude-v1' },
        { type: 'reasoning.summary', summary: 'then', format: 'openai-responses-v1' },
        { type: 'reasoning.encrypted', data: 'gAAA', id: 'rs_1', format: 'openai-responses-v1' },
        { type: 'reasoning.encrypted', data: wrapSignatures([signature]) },
      ],
    });
    const native = { form: 'signature', place: 'reasoning' };
    expect(turns[1]?.parts).toEqual([
      { kind: 'reasoning', text: 'so ', signature: { ...native, issuer: 'messages', value: 'sig' } },
      {
        kind: 'reasoning',
        text: 'then',
        signature: { ...native, form: 'encrypted', issuer: 'responses', value: 'gAAA', itemId: 'rs_1' },
      },
      { kind: 'reasoning', text: '', signature },
      { kind: 'tool-call', id: 'c', name: 'f', arguments: '{}', custom: false, signatures: [signature] },
      {
        kind: 'tool-call',
        id: 'c',
        name: 'f',
        arguments: '{}',
        custom: false,
        signatures: [{ issuer: 'gemini', form: 'thought', place: 'call', value: 'Z29vZ2xl' }],
      },
    ]);
  });
});

describe('options of a client', () => {
  it('keep schemas and their key order as they were written', () => {
    const schema =
      '{"type":"object","properties":{"10":{"maximum":1.0},"2":{"minimum":12345678901234567890}}}';
    const body = `{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":
      {"name":"f","description":"d","strict":true,"parameters":${schema}}},{"type":"custom","custom":{"name":"p",
      "format":{"type":"grammar","grammar":{"syntax":"lark","definition":"start: A"}}}}],"response_format":
      {"type":"json_schema","json_schema":{"name":"n","schema":${schema}}}}`;
    const json = readJson(body, chatCodec.rawKeys) ?? {};
    const { tools, format } = chatCodec.decodeRequest(json, RAW, new Notes(chatCodec.fields));
    expect(tools).toEqual([
      { kind: 'function', name: 'f', description: 'd', schema, strict: true },
      {
        kind: 'custom',
        name: 'p',
        description: undefined,
        grammar: { syntax: 'lark', definition: 'start: A' },
      },
    ]);
    expect(format).toMatchObject({ kind: 'schema', name: 'n', schema, strict: undefined });
  });

  it.each([
    ['auto', { kind: 'auto' }],
    ['required', { kind: 'required' }],
    [
      { type: 'function', function: { name: 'f' } },
      { kind: 'tool', name: 'f' },
    ],
    [
      { type: 'custom', custom: { name: 'p' } },
      { kind: 'tool', name: 'p' },
    ],
    [
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
      { kind: 'subset', names: ['f'], required: true },
    ],
    ['sometimes', undefined],
  ])('include tool_choice %j', (choice, expected) => {
    expect(decode({ tool_choice: choice }).request.toolChoice).toEqual(expected);
  });

  it.each([
    [{ reasoning_effort: 'high' }, { mode: undefined, effort: 'high' }],
    [{ reasoning_effort: 'none' }, { mode: 'off', effort: 'none' }],
    [{ reasoning: { max_tokens: 2000, exclude: true } }, { mode: 'budget', budgetTokens: 2000, show: false }],
    [{ thinking: { type: 'enabled' } }, { mode: 'adaptive' }],
    [{ enable_thinking: false }, { mode: 'off' }],
    [{}, { mode: undefined, effort: undefined, show: undefined }],
  ])('turn %j into thinking', (body, expected) => {
    expect(decode(body).request.thinking).toMatchObject(expected);
  });

  it('mean the same under old and new names', () => {
    const { request, dropped } = decode({
      max_tokens: 7,
      user: 'u',
      stop: 'END',
      n: 2,
      logprobs: true,
      top_logprobs: 3,
      stream: true,
      stream_options: { include_usage: true },
      store: false,
      modalities: ['text'],
    });
    expect(request).toMatchObject({ maxTokens: 7, endUser: 'u', stop: ['END'], answers: 2, logprobs: 3 });
    expect(request).toMatchObject({ stream: true, includeUsage: true });
    expect(
      decode({ max_tokens: 7, max_completion_tokens: 8, user: 'u', safety_identifier: 's' }).request,
    ).toMatchObject({ maxTokens: 8, endUser: 's' });
    expect(dropped).toEqual([]);
  });

  it('that no vendor can honour are in the loss report, nulls are not', () => {
    const { request, dropped } = decode({
      logit_bias: { 1: 2 },
      prediction: null,
      metadata: { a: 'b' },
      frobnicate: 1,
      response_format: { type: 'grammar' },
      web_search_options: {},
      tools: [
        { type: 'openrouter:web_search' },
        { type: 'function', function: { name: 'f', input_examples: [{}] }, defer_loading: true },
      ],
      messages: [{ role: 'user', content: 'x', name: 'Ann' }],
    });
    expect(dropped).toEqual([
      'logit_bias',
      'frobnicate',
      'messages[0].name',
      'tools[1].defer_loading',
      'tools[1].function.input_examples',
      'response_format',
    ]);
    expect(request.vendorTools.map(({ path }) => path)).toEqual(['tools[0]']);
    expect(request.webSearch).toMatchObject({ path: 'web_search_options' });
  });
});

describe('content that cannot be converted is refused, with its place', () => {
  it.each([
    [{ messages: [] }, 'messages'],
    [{ messages: 'x' }, 'messages'],
    [{ messages: [{ role: 'model', content: 'x' }] }, 'messages[0].role'],
    [{ messages: [{ role: 'user', content: 7 }] }, 'messages[0].content'],
    [{ messages: [hello, { role: 'user', content: [{ type: 'hologram' }] }] }, 'messages[1].content[0]'],
    [
      { messages: [{ role: 'system', content: [{ type: 'image_url', image_url: 'https://a.example/b' }] }] },
      'messages[0].content[0]',
    ],
    [{ messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }, 'messages[0].content[0].image_url'],
    [{ messages: [hello, { role: 'assistant', audio: { id: 'a' } }] }, 'messages[1].audio'],
    [{ messages: [hello, { role: 'assistant', tool_calls: [7] }] }, 'messages[1].tool_calls[0]'],
    [
      { messages: [hello, { role: 'assistant', tool_calls: [{ id: 'c', type: 'weird' }] }] },
      'messages[1].tool_calls[0]',
    ],
    [{ messages: [hello, { role: 'tool', content: 'x' }] }, 'messages[1].tool_call_id'],
    [{ temperature: 'hot' }, 'temperature'],
    [{ n: 0 }, 'n'],
    [{ stop: [7] }, 'stop[0]'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].function'],
    [
      { tools: [{ type: 'function', function: { name: 'f', parameters: 'x' } }] },
      'tools[0].function.parameters',
    ],
    [{ response_format: 'json' }, 'response_format'],
  ])('%j', (body, path) => {
    let thrown: unknown;
    try {
      decode(body);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(Inexpressible);
    expect((thrown as Error).message.split(':')[0]).toBe(path);
  });
});
