import { describe, expect, test } from 'vitest';
import { type JsonObject, readJson } from '../../hub/content/json.ts';
import { wrapSignatures } from '../../hub/envelope.ts';
import { Inexpressible, Notes } from '../../hub/notes.ts';
import type { Part } from '../../hub/part.ts';
import type { HubRequest } from '../../hub/request.ts';
import { messagesCodec } from '../codec.ts';

const RAW = { body: Buffer.alloc(0), contentType: 'application/json', path: undefined };

function decode(body: object | string): { request: HubRequest; dropped: readonly string[] } {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const notes = new Notes(messagesCodec.fields);
  const read = readJson(text, messagesCodec.rawKeys) as JsonObject;
  return { request: messagesCodec.decodeRequest(read, RAW, notes), dropped: notes.dropped };
}

const user = (content: unknown): object => ({ messages: [{ role: 'user', content }] });
const assistant = (...content: unknown[]): object => ({ messages: [{ role: 'assistant', content }] });
const partsOf = (body: object): readonly Part[] => decode(body).request.turns[0]?.parts ?? [];

describe('a Messages request', () => {
  test('may have a string as one text, and its blocks keep their order and their cache marks', () => {
    expect(partsOf(user('hi'))).toEqual([{ kind: 'text', text: 'hi' }]);
    expect(
      partsOf(
        user([
          { type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } },
          { type: 'image', source: { type: 'url', url: 'https://x/y.png' } },
          { type: 'text', text: 'b' },
        ]),
      ),
    ).toEqual([
      { kind: 'text', text: 'a', cache: { ttl: '1h' } },
      { kind: 'image', source: { kind: 'url', url: 'https://x/y.png' } },
      { kind: 'text', text: 'b' },
    ]);
  });

  test('keeps system blocks apart, without the attribution of Claude Code', () => {
    const { request, dropped } = decode({
      system: [
        { type: 'text', text: 'x-anthropic-billing-header: cc_version=1' },
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two', cache_control: { type: 'ephemeral' } },
      ],
      messages: [],
    });
    expect(request.system).toEqual([
      { kind: 'text', text: 'one' },
      { kind: 'text', text: 'two', cache: {} },
    ]);
    expect(dropped).toEqual(['system[0]']);
  });

  test('keeps documents of every source, with their context and pictures inside them', () => {
    expect(
      partsOf(
        user([
          {
            type: 'document',
            title: 'T',
            context: 'from the archive',
            source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
          },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'plain' } },
          { type: 'document', source: { type: 'url', url: 'https://x/a.pdf' } },
          { type: 'document', source: { type: 'file', file_id: 'file_1' } },
          {
            type: 'document',
            source: {
              type: 'content',
              content: [
                { type: 'text', text: 'a' },
                { type: 'text', text: 'b' },
              ],
            },
          },
          {
            type: 'document',
            source: {
              type: 'content',
              content: [
                { type: 'text', text: 'see' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
              ],
            },
          },
        ]),
      ),
    ).toEqual([
      { kind: 'text', text: 'from the archive' },
      {
        kind: 'file',
        title: 'T',
        source: { kind: 'bytes', mime: 'application/pdf', base64: 'JVBERi0=' },
      },
      { kind: 'file', source: { kind: 'text', text: 'plain' } },
      { kind: 'file', source: { kind: 'url', url: 'https://x/a.pdf', mime: 'application/pdf' } },
      { kind: 'file', source: { kind: 'file', id: 'file_1' } },
      { kind: 'file', source: { kind: 'text', text: 'a\n\nb' } },
      { kind: 'text', text: 'see' },
      { kind: 'image', source: { kind: 'bytes', mime: 'image/png', base64: 'AAAA' } },
    ]);
  });

  test('keeps a result without content, with an error, or with a document inside', () => {
    expect(
      partsOf(
        user([
          { type: 'tool_result', tool_use_id: 't1' },
          { type: 'tool_result', tool_use_id: 't2', content: 'bad', is_error: true },
          {
            type: 'tool_result',
            tool_use_id: 't3',
            content: [
              { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVA=' } },
              { type: 'search_result', title: 'T', source: 'S', content: [{ type: 'text', text: 'C' }] },
              { type: 'tool_reference', tool_name: 'weather' },
            ],
          },
        ]),
      ),
    ).toEqual([
      { kind: 'tool-result', callId: 't1', parts: [], isError: false, custom: false },
      {
        kind: 'tool-result',
        callId: 't2',
        parts: [{ kind: 'text', text: 'bad' }],
        isError: true,
        custom: false,
      },
      {
        kind: 'tool-result',
        callId: 't3',
        parts: [
          { kind: 'file', source: { kind: 'bytes', mime: 'application/pdf', base64: 'JVA=' } },
          { kind: 'text', text: 'T\nS\nC' },
          { kind: 'text', text: '[tool: weather]' },
        ],
        isError: false,
        custom: false,
      },
    ]);
  });

  test('keeps the spelling of inputs and schemas', () => {
    const { request } = decode(
      '{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f",' +
        '"input":{"10":1, "2":1.0,"big":9007199254740993}}]}],' +
        '"tools":[{"name":"f","strict":true,' +
        '"input_schema":{"type":"object","properties":{"10":{},"2":{}}}}]}',
    );
    expect(request.turns[0]?.parts[0]).toEqual({
      kind: 'tool-call',
      id: 't',
      name: 'f',
      arguments: '{"10":1, "2":1.0,"big":9007199254740993}',
      custom: false,
    });
    expect(request.tools).toEqual([
      {
        kind: 'function',
        name: 'f',
        schema: '{"type":"object","properties":{"10":{},"2":{}}}',
        strict: true,
      },
    ]);
  });

  test('has native signatures of the vendor, and opened envelopes, one part for each signature', () => {
    const call = { issuer: 'g-1', form: 'thought', place: 'call', value: 'sig' } as const;
    const cipher = {
      issuer: 'r-1',
      form: 'encrypted',
      place: 'reasoning',
      value: 'enc',
      itemId: 'rs_1',
    } as const;
    expect(
      partsOf(
        assistant(
          { type: 'thinking', thinking: 'so', signature: 'EqQB' },
          { type: 'redacted_thinking', data: 'hidden' },
          { type: 'thinking', thinking: 'sum', signature: wrapSignatures([cipher, call]) },
          { type: 'redacted_thinking', data: wrapSignatures([cipher]) },
          { type: 'thinking', thinking: 'bare', signature: '' },
        ),
      ),
    ).toEqual([
      {
        kind: 'reasoning',
        text: 'so',
        signature: { issuer: 'messages', form: 'signature', place: 'reasoning', value: 'EqQB' },
      },
      {
        kind: 'reasoning',
        text: '',
        signature: { issuer: 'messages', form: 'redacted', place: 'reasoning', value: 'hidden' },
      },
      { kind: 'reasoning', text: 'sum', signature: cipher },
      { kind: 'reasoning', text: '', signature: call },
      { kind: 'reasoning', text: '', signature: cipher },
      { kind: 'reasoning', text: 'bare' },
    ]);
  });

  test('represents vendor tools in the history as text, never as calls', () => {
    const parts = partsOf(
      assistant(
        { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } },
        {
          type: 'web_search_tool_result',
          tool_use_id: 's',
          content: [{ type: 'web_search_result', title: 'T', url: 'https://u', encrypted_content: 'zzz' }],
        },
      ),
    );
    expect(parts.map((part) => (part.kind === 'server-tool' ? part.text : part.kind))).toEqual([
      '[web_search {"query":"q"}]',
      '[T\nhttps://u]',
    ]);
    expect(parts[1]).toMatchObject({ protocol: 'messages', raw: expect.stringContaining('zzz') });
  });

  test('turns tools that the client runs into functions, and keeps vendor tools apart', () => {
    const { request, dropped } = decode({
      messages: [],
      tools: [
        { type: 'bash_20250124', name: 'bash' },
        { type: 'web_search_20260209', name: 'web_search' },
        {
          name: 'f',
          input_schema: { type: 'object' },
          defer_loading: true,
          cache_control: { type: 'ephemeral' },
        },
      ],
      tool_choice: { type: 'tool', name: 'web_search', disable_parallel_tool_use: true },
    });
    expect(request.tools.map(({ name }) => name)).toEqual(['bash', 'f']);
    expect(request.tools[0]).toMatchObject({ schema: expect.stringContaining('"command"') });
    expect(request.tools[1]).toMatchObject({ cached: true });
    expect(request.vendorTools).toEqual([]);
    expect(request.webSearch).toMatchObject({ path: 'tools[1]' });
    expect(request.toolChoice).toEqual({ kind: 'auto' });
    expect(request.parallelCalls).toBe(false);
    expect(dropped).toEqual(['tools[2].defer_loading', 'tool_choice']);
  });

  test.each([
    [{ type: 'auto' }, { kind: 'auto' }],
    [{ type: 'any' }, { kind: 'required' }],
    [{ type: 'none' }, { kind: 'none' }],
    [
      { type: 'tool', name: 'f' },
      { kind: 'tool', name: 'f' },
    ],
  ])('is decoded with the tool choice %o', (choice, expected) => {
    const body = { messages: [], tools: [{ name: 'f', input_schema: {} }], tool_choice: choice };
    expect(decode(body).request.toolChoice).toEqual(expected);
  });

  test.each([
    [{}, { mode: undefined, effort: undefined, show: undefined }],
    [{ output_config: { effort: 'xhigh' } }, { mode: undefined, effort: 'xhigh', show: undefined }],
    [{ thinking: { type: 'disabled' } }, { mode: 'off', show: undefined }],
    [{ thinking: { type: 'adaptive' } }, { mode: 'adaptive', show: true }],
    [{ thinking: { type: 'adaptive', display: 'omitted' } }, { mode: 'adaptive', show: false }],
    [{ thinking: { type: 'between_tools' } }, { mode: 'between-tools', show: true }],
    [
      { thinking: { type: 'enabled', budget_tokens: 2048 } },
      { mode: 'budget', budgetTokens: 2048, show: true },
    ],
  ])('is decoded with the thinking %o', (fields, expected) => {
    expect(decode({ messages: [], ...fields }).request.thinking).toMatchObject(expected);
  });

  test('has its options decoded and the others reported', () => {
    const { request, dropped } = decode({
      model: 'm',
      messages: [{ role: 'user', content: 'hi', name: 'n' }],
      max_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 5,
      stop_sequences: ['END'],
      stream: true,
      metadata: { user_id: 'u', more: 1 },
      service_tier: 'standard_only',
      context_management: {},
      mcp_servers: [],
      container: null,
      output_config: { task_budget: {}, format: { type: 'json_schema', schema: { type: 'object' } } },
    });
    expect(request).toMatchObject({
      client: 'messages',
      stream: true,
      maxTokens: 100,
      stop: ['END'],
      endUser: 'u',
      sampling: { temperature: 0.5, topP: 0.9, topK: 5 },
      format: { kind: 'schema', schema: '{"type":"object"}' },
    });
    expect([...dropped].sort()).toEqual(
      [
        'service_tier',
        'context_management',
        'mcp_servers',
        'metadata.more',
        'messages[0].name',
        'output_config.task_budget',
      ].sort(),
    );
  });

  test('applies a cache mark of the body to its last block', () => {
    const body = { cache_control: { type: 'ephemeral' }, ...user([{ type: 'text', text: 'hi' }]) };
    expect(partsOf(body)).toEqual([{ kind: 'text', text: 'hi', cache: {} }]);
  });

  test('keeps content that only the vendor can read for a refusal elsewhere', () => {
    expect(partsOf(user([{ type: 'container_upload', file_id: 'f' }]))).toEqual([
      {
        kind: 'opaque',
        protocol: 'messages',
        type: 'container_upload',
        raw: '{"type":"container_upload","file_id":"f"}',
        path: 'messages[0].content[0]',
      },
    ]);
  });

  test.each([
    [user([{ type: 'hologram', data: 'x' }]), 'messages[0].content[0]: '],
    [user([{ type: 'text', text: 5 }]), 'messages[0].content[0].text: '],
    [user(null), 'messages[0].content: '],
    [user(['x']), 'messages[0].content[0]: '],
    [user([{ type: 'image', source: { type: 'gopher' } }]), 'messages[0].content[0].source: '],
    [assistant({ type: 'tool_use', id: 't', name: 'f', input: 'x' }), 'messages[0].content[0].input: '],
    [{ messages: 'x' }, 'messages: '],
    [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages[0].role: '],
    [{ messages: [], tools: [{ input_schema: {} }] }, 'tools[0].name: '],
    [{ messages: [], max_tokens: 'many' }, 'max_tokens: '],
    [{ messages: [], thinking: { type: 'deep' } }, 'thinking.type: '],
    [{ messages: [], stop_sequences: [1] }, 'stop_sequences[0]: '],
    [{ messages: [], system: [{ type: 'image', source: { type: 'url', url: 'https://a/b' } }] }, 'system: '],
  ])('with %o is refused with its path', (body, path) => {
    expect(() => decode(body)).toThrow(Inexpressible);
    expect(() => decode(body)).toThrow(path);
  });

  test('with a stored thread is refused with the message that its SDK handles', () => {
    const refusalOf = (thread: object): unknown => {
      try {
        return decode({ ...user('hi'), thread });
      } catch (error) {
        return error;
      }
    };
    const isNew = refusalOf({ type: 'create' });
    expect(isNew).toBeInstanceOf(Inexpressible);
    expect(isNew).toMatchObject({ details: { error_code: 'thread_unsupported_request' } });
    const continued = refusalOf({ type: 'continue', previous_message_id: 'msg_1' });
    expect(continued).toMatchObject({ details: { error_code: 'thread_not_found' } });
    expect(decode({ ...user('hi'), thread: null }).dropped).toEqual([]);
  });
});
