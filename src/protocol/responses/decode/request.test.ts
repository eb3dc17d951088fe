import { describe, expect, test } from 'vitest';
import { wrapSignatures } from '../../hub/envelope.ts';
import { Inexpressible } from '../../hub/notes.ts';
import { decode } from '../suite/world.ts';

const PARAMETERS = { type: 'object', properties: { b: { const: 1 }, a: { type: 'string' } } };
const refusal = (body: object): string => {
  try {
    decode(body);
  } catch (error) {
    expect(error).toBeInstanceOf(Inexpressible);
    return (error as Error).message;
  }
  return 'accepted';
};

/** What Codex sends: its own tools, tools found on the way, and calls of every kind. */
const CODEX = {
  stream: true,
  store: false,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: 'thread',
  parallel_tool_calls: true,
  tool_choice: 'auto',
  instructions: 'You are Codex',
  tools: [
    { type: 'function', name: 'exec_command', parameters: PARAMETERS, strict: false },
    {
      type: 'custom',
      name: 'apply_patch',
      description: 'edits files',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: x' },
    },
    {
      type: 'namespace',
      name: 'mcp__wiki',
      description: 'wiki',
      tools: [{ type: 'function', name: 'read', defer_loading: true, parameters: PARAMETERS }],
    },
    { type: 'tool_search', execution: 'client', description: 'finds tools', parameters: PARAMETERS },
    { type: 'web_search' },
    { type: 'local_shell' },
  ],
  input: [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'rules' }] },
    {
      type: 'additional_tools',
      role: 'developer',
      tools: [
        { type: 'function', name: 'late', parameters: PARAMETERS },
        { type: 'function', name: 'exec_command', parameters: {} },
      ],
    },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'fix it' }] },
    { type: 'custom_tool_call', call_id: 'c0', name: 'apply_patch', input: '*** Begin Patch' },
    { type: 'custom_tool_call_output', call_id: 'c0', output: 'Done' },
    { type: 'function_call', call_id: 'c1', name: 'read', namespace: 'mcp__wiki', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'page' },
    { type: 'tool_search_call', call_id: 'c2', execution: 'client', arguments: { goal: 'x' } },
    {
      type: 'tool_search_output',
      call_id: 'c2',
      execution: 'client',
      tools: [{ type: 'function', name: 'found', parameters: PARAMETERS }],
    },
    {
      type: 'local_shell_call',
      call_id: 'c3',
      status: 'completed',
      action: { type: 'exec', command: ['ls'], env: {}, working_directory: '/w' },
    },
    { type: 'local_shell_call_output', id: 'c3', output: 'a.ts' },
  ],
};

describe('the conversation of a request', () => {
  test('may be a plain text', () => {
    const { request, dropped } = decode({ input: 'hello', instructions: 'be brief' });
    expect(request.system).toEqual([{ kind: 'text', text: 'be brief' }]);
    expect(request.turns).toEqual([{ role: 'user', parts: [{ kind: 'text', text: 'hello' }] }]);
    expect(dropped).toEqual([]);
  });

  test('hoists the leading system messages only', () => {
    const { request } = decode({
      instructions: 'one',
      input: [
        { role: 'developer', content: 'two' },
        { role: 'system', content: [{ type: 'input_text', text: 'three' }] },
        { role: 'user', content: 'hi' },
        { role: 'developer', content: 'later' },
      ],
    });
    expect(request.system.map((part) => part.text)).toEqual(['one', 'two', 'three']);
    expect(request.turns.map((turn) => turn.role)).toEqual(['user', 'system']);
  });

  test('keeps reasoning, text and calls in one turn and in their order', () => {
    const { request } = decode({
      input: [
        { role: 'user', content: 'weather?' },
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: 'hm' }],
          encrypted_content: 'g',
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'looking' }] },
        { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{"n":1.0}' },
        { type: 'function_call', call_id: 'c2', name: 'f', arguments: '' },
        { type: 'function_call_output', call_id: 'c1', output: 'sun' },
        { type: 'function_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'rain' }] },
      ],
    });
    const [, assistant, user] = request.turns;
    expect(assistant?.parts).toEqual([
      {
        kind: 'reasoning',
        text: 'hm',
        signature: { issuer: 'responses', form: 'encrypted', place: 'reasoning', value: 'g', itemId: 'rs_1' },
      },
      { kind: 'text', text: 'looking' },
      { kind: 'tool-call', id: 'c1', name: 'f', arguments: '{"n":1.0}', custom: false },
      { kind: 'tool-call', id: 'c2', name: 'f', arguments: '{}', custom: false },
    ]);
    expect(user?.parts.map((part) => part.kind === 'tool-result' && [part.callId, part.parts])).toEqual([
      ['c1', [{ kind: 'text', text: 'sun' }]],
      ['c2', [{ kind: 'text', text: 'rain' }]],
    ]);
  });

  test('opens the envelopes, each signature on a part of its own', () => {
    const first = { issuer: 'm-1', form: 'signature', place: 'reasoning', value: 's1' } as const;
    const second = { issuer: 'm-1', form: 'redacted', place: 'reasoning', value: 's2' } as const;
    const { request } = decode({
      input: [
        {
          type: 'reasoning',
          id: 'rs_c1_0',
          summary: [{ type: 'summary_text', text: 'so' }],
          encrypted_content: wrapSignatures([first, second]),
        },
        { role: 'assistant', content: 'ok' },
      ],
    });
    expect(request.turns[0]?.parts.slice(0, 2)).toEqual([
      { kind: 'reasoning', text: 'so', signature: first },
      { kind: 'reasoning', text: '', signature: second },
    ]);
  });

  test('reads pictures and files from every source', () => {
    const { request } = decode({
      input: [
        {
          role: 'user',
          content: [
            {
              type: 'input_image',
              image_url: 'data:image/jpeg;charset=x;base64,iVBORw0KGgoAAAAA',
              detail: 'high',
            },
            { type: 'input_image', image_url: 'https://host/p.png' },
            { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0x' },
            { type: 'input_file', filename: 'a.txt', file_data: 'aGk' },
            { type: 'input_file', file_id: 'file-1' },
            { type: 'input_text', text: 'read', prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } },
          ],
        },
      ],
    });
    expect(request.turns[0]?.parts).toEqual([
      // The bytes are a PNG, whatever was declared.
      {
        kind: 'image',
        source: { kind: 'bytes', mime: 'image/png', base64: 'iVBORw0KGgoAAAAA' },
        detail: 'high',
      },
      { kind: 'image', source: { kind: 'url', url: 'https://host/p.png' } },
      {
        kind: 'file',
        source: { kind: 'bytes', mime: 'application/pdf', base64: 'JVBERi0x' },
        filename: 'a.pdf',
      },
      { kind: 'file', source: { kind: 'bytes', mime: 'text/plain', base64: 'aGk=' }, filename: 'a.txt' },
      { kind: 'file', source: { kind: 'file', id: 'file-1' } },
      { kind: 'text', text: 'read', cache: { ttl: '12h' } },
    ]);
  });

  test('represents vendor tools as text', () => {
    const { request } = decode({
      input: [
        { role: 'user', content: 'news?' },
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
        {
          type: 'image_generation_call',
          id: 'ig_1',
          status: 'completed',
          result: 'AAAA',
          output_format: 'webp',
        },
      ],
    });
    expect(request.turns[1]?.parts).toMatchObject([
      { kind: 'server-tool', protocol: 'responses', text: '[searched the web: q]' },
      { kind: 'image', source: { kind: 'bytes', mime: 'image/webp', base64: 'AAAA' } },
    ]);
  });

  test('keeps content that only its vendor can read, with its place', () => {
    const { request } = decode({
      input: [
        { role: 'user', content: 'x' },
        { type: 'compaction', id: 'cmp_1', encrypted_content: 'g' },
      ],
    });
    expect(request.turns[1]?.parts).toEqual([
      {
        kind: 'opaque',
        protocol: 'responses',
        type: 'compaction',
        raw: '{"type":"compaction","id":"cmp_1","encrypted_content":"g"}',
        path: 'input[1]',
      },
    ]);
  });
});

describe('the tools of a request', () => {
  test('keep their schemas as they were written', () => {
    const { request } = decode({
      input: 'x',
      tools: [{ type: 'function', name: 'f', description: 'd', parameters: PARAMETERS, strict: null }],
    });
    expect(request.tools).toEqual([
      {
        kind: 'function',
        name: 'f',
        description: 'd',
        schema: JSON.stringify(PARAMETERS),
        strict: undefined,
      },
    ]);
  });

  test('of Codex are all supported', () => {
    const { request, dropped } = decode(CODEX);
    expect(request.tools.map(({ kind, name, namespace }) => [kind, name, namespace])).toEqual([
      ['function', 'exec_command', undefined],
      ['custom', 'apply_patch', undefined],
      ['function', 'read', 'mcp__wiki'],
      ['function', 'tool_search', undefined],
      ['function', 'local_shell', undefined],
      ['function', 'late', undefined],
      ['function', 'found', undefined],
    ]);
    expect(request.tools[1]).toMatchObject({ grammar: { syntax: 'lark', definition: 'start: x' } });
    expect(request.tools[3]).toMatchObject({ clientType: 'tool_search', schema: JSON.stringify(PARAMETERS) });
    expect(request.vendorTools).toEqual([]);
    expect(request.webSearch).toMatchObject({ path: 'tools[4]' });
    expect(dropped).toEqual(['tools[2].description']);
    const parts = request.turns.flatMap((turn) => turn.parts);
    expect(parts.filter((part) => part.kind === 'tool-call')).toMatchObject([
      { id: 'c0', custom: true, arguments: '*** Begin Patch' },
      { id: 'c1', namespace: 'mcp__wiki' },
      { id: 'c2', name: 'tool_search', arguments: '{"goal":"x"}' },
      { id: 'c3', name: 'local_shell', arguments: '{"command":["ls"],"working_directory":"/w"}' },
    ]);
    expect(parts.filter((part) => part.kind === 'tool-result')).toMatchObject([
      { callId: 'c0', custom: true },
      { callId: 'c1', custom: false },
      { callId: 'c2', parts: [{ text: 'Tools that can be called now: found' }] },
      { callId: 'c3', parts: [{ text: 'a.ts' }] },
    ]);
    expect(request.cacheKey).toBe('thread');
  });

  test.each([
    ['auto', { kind: 'auto' }],
    ['required', { kind: 'required' }],
    [
      { type: 'function', name: 'f' },
      { kind: 'tool', name: 'f' },
    ],
    [
      { type: 'custom', name: 'g' },
      { kind: 'tool', name: 'g' },
    ],
    [{ type: 'local_shell' }, { kind: 'tool', name: 'local_shell' }],
    [
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [{ type: 'function', name: 'f' }, { type: 'web_search' }],
      },
      { kind: 'subset', names: ['f'], required: true },
    ],
    [{ type: 'web_search' }, undefined],
  ])('are chosen by %j', (choice, expected) => {
    const { request } = decode({
      input: 'x',
      tools: [
        { type: 'function', name: 'f', parameters: null },
        { type: 'custom', name: 'g' },
        { type: 'local_shell' },
        { type: 'web_search' },
      ],
      tool_choice: choice,
    });
    expect(request.toolChoice).toEqual(expected);
  });
});

describe('the options of a request', () => {
  test('are decoded into the options of the hub', () => {
    const { request, dropped } = decode({
      input: 'x',
      stream: true,
      temperature: 0.2,
      top_p: 0.9,
      max_output_tokens: 99,
      top_logprobs: 3,
      include: ['message.output_text.logprobs'],
      reasoning: { effort: 'high', summary: 'detailed', context: 'all_turns' },
      text: {
        verbosity: 'low',
        format: { type: 'json_schema', name: 'n', schema: PARAMETERS, strict: true },
      },
      safety_identifier: 'u1',
      user: 'u2',
      service_tier: 'flex',
      metadata: { a: 'b' },
      frobnicate: 1,
    });
    expect(request).toMatchObject({
      stream: true,
      maxTokens: 99,
      logprobs: 3,
      verbosity: 'low',
      endUser: 'u1',
      serviceTier: 'flex',
      sampling: { temperature: 0.2, topP: 0.9 },
      thinking: { mode: undefined, effort: 'high', show: true, summaryStyle: 'detailed' },
      format: { kind: 'schema', name: 'n', schema: JSON.stringify(PARAMETERS), strict: true },
    });
    expect([...request.echo.keys()]).toContain('metadata');
    expect(request.echo.get('reasoning')).toBe(
      '{"effort":"high","summary":"detailed","context":"all_turns"}',
    );
    expect(dropped).toEqual(['frobnicate', 'reasoning.context', 'user']);
  });

  test('can switch thinking off explicitly', () => {
    expect(decode({ input: 'x', reasoning: { effort: 'none' } }).request.thinking).toMatchObject({
      mode: 'off',
      effort: 'none',
    });
  });

  test('that are null are absent', () => {
    const { request, dropped } = decode({
      input: 'x',
      temperature: null,
      tools: null,
      reasoning: null,
      text: null,
    });
    expect(request.sampling.temperature).toBeUndefined();
    expect(dropped).toEqual([]);
  });
});

describe('a request is refused, with the place', () => {
  test.each([
    [{ previous_response_id: 'resp_1', input: 'x' }, 'previous_response_id: '],
    [{ conversation: 'c', input: 'x' }, 'conversation: '],
    [{ prompt: { id: 'p' } }, 'prompt: '],
    [{ background: true, input: 'x' }, 'background: '],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0]: '],
    [{ input: [{ id: 'msg_1' }] }, 'input[0]: '],
    [{ input: [{ type: 'teleport' }] }, "input[0]: an item of type 'teleport'"],
    [{ input: [{ role: 'user', content: [{ type: 'hologram' }] }] }, 'input[0].content[0]: '],
    [{ input: [{ role: 'user', content: [{ type: 'input_image' }] }] }, 'input[0].content[0]: '],
    [{ input: [{ role: 'user', content: 7 }] }, 'input[0].content: '],
    [{ input: [{ role: 'tool', content: 'x' }] }, 'input[0].role: '],
    [{ input: 7 }, 'input: '],
    [{ input: 'x', temperature: '1' }, 'temperature: '],
    [{ input: 'x', tools: [{ type: 'function' }] }, 'tools[0].name: '],
    [{ input: 'x', text: { format: { type: 'json_schema', name: 'n' } } }, 'text.format.schema: '],
  ])('%j', (body, where) => {
    expect(refusal(body)).toContain(where);
  });
});
