import { describe, expect, test } from 'vitest';
import { Inexpressible } from '../../hub/notes.ts';
import type { Part } from '../../hub/part.ts';
import { type HubRequest, NO_SAMPLING, NO_THINKING, type Turn } from '../../hub/request.ts';
import { encode, target } from '../suite/world.ts';

const user = (...parts: Part[]): Turn => ({ role: 'user', parts });
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts });
const said = (text: string): Part => ({ kind: 'text', text });
const call = (id: string): Part => ({
  kind: 'tool-call',
  id,
  name: 'f',
  arguments: '{"a":1.0}',
  custom: false,
});
const result = (callId: string, parts: readonly Part[], isError = false): Part => ({
  kind: 'tool-result',
  callId,
  parts,
  isError,
  custom: false,
});
const items = (...turns: Turn[]): unknown => encode({ turns }).body.input;
const LOOSE = '{"type":"object","properties":{"a":{"type":"string"}}}';
const STRICT =
  '{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}';
const PICTURE: Part = { kind: 'image', source: { kind: 'bytes', mime: 'image/png', base64: 'AAAA' } };

describe('the conversation', () => {
  test('becomes items in order', () => {
    const signature = {
      issuer: 'r-1',
      form: 'encrypted',
      place: 'reasoning',
      value: 'g',
      itemId: 'rs_9',
    } as const;
    expect(
      items(
        user(said('hi')),
        assistant({ kind: 'reasoning', text: 'hm', signature }, said('a'), call('c1'), said('b'), call('c2')),
        user(result('c1', [said('1'), said('2')]), result('c2', []), said('and?')),
      ),
    ).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
      {
        type: 'reasoning',
        id: 'rs_9',
        summary: [{ type: 'summary_text', text: 'hm' }],
        encrypted_content: 'g',
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a' }] },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1.0}' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'b' }] },
      { type: 'function_call', call_id: 'c2', name: 'f', arguments: '{"a":1.0}' },
      { type: 'function_call_output', call_id: 'c1', output: '1\n2' },
      { type: 'function_call_output', call_id: 'c2', output: '' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'and?' }] },
    ]);
  });

  test('leaves out reasoning that nothing follows', () => {
    const signature = { issuer: 'r-1', form: 'encrypted', place: 'reasoning', value: 'g' } as const;
    expect(items(user(said('hi')), assistant({ kind: 'reasoning', text: '', signature }))).toHaveLength(1);
  });

  test('contains a failed result as text', () => {
    const [, , output] = items(
      user(said('x')),
      assistant(call('c1')),
      user(result('c1', [said('no')], true)),
    ) as {
      output: string;
    }[];
    expect(output?.output).toBe('[tool error] no');
  });

  test('keeps pictures in results, or puts them behind all results of the round', () => {
    const turns = [
      user(said('x')),
      assistant(call('c1'), call('c2')),
      user(result('c1', [said('see'), PICTURE]), result('c2', [said('ok')])),
    ];
    expect((encode({ turns }).body.input as object[])[3]).toEqual({
      type: 'function_call_output',
      call_id: 'c1',
      output: [
        { type: 'input_text', text: 'see' },
        { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
      ],
    });
    const { body } = encode({ turns }, target({ toolResultImages: false }));
    expect((body.input as object[]).slice(3)).toEqual([
      { type: 'function_call_output', call_id: 'c1', output: 'see\n[the picture follows]' },
      { type: 'function_call_output', call_id: 'c2', output: 'ok' },
      {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA' }],
      },
    ]);
  });

  test('joins the system texts, without the line that changes with every call', () => {
    const system = [
      { kind: 'text', text: 'x-anthropic-billing-header: cc=1' },
      { kind: 'text', text: 'one' },
      { kind: 'text', text: 'two' },
    ] as const;
    expect(encode({ system }).body.instructions).toBe('one\n\ntwo');
  });

  test('makes the system an item where there is nothing else, or where it is marked', () => {
    const item = (content: object): object => ({ type: 'message', role: 'developer', content: [content] });
    const alone = encode({ system: [{ kind: 'text', text: 'do' }], turns: [] }).body;
    expect([alone.instructions, alone.input]).toEqual([
      undefined,
      [item({ type: 'input_text', text: 'do' })],
    ]);
    const system = [{ kind: 'text', text: 'do', cache: { ttl: '1h' } }] as const;
    expect((encode({ system }).body.input as object[])[0]).toEqual(
      item({ type: 'input_text', text: 'do', prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } }),
    );
    const unmarked = encode({ system }, target({ cacheMarks: false }));
    expect([unmarked.body.instructions, unmarked.dropped]).toEqual(['do', ['prompt_cache_breakpoint']]);
  });

  test('keeps a system turn in its place', () => {
    const turns: Turn[] = [user(said('a')), { role: 'system', parts: [said('now')] }, user(said('b'))];
    expect((encode({ turns }).body.input as { role: string }[]).map((item) => item.role)).toEqual([
      'user',
      'developer',
      'user',
    ]);
  });

  test('gives files the name that the vendor requires', () => {
    const pdf: Part = {
      kind: 'file',
      source: { kind: 'bytes', mime: 'application/pdf', base64: 'JVBERi0x' },
    };
    const note: Part = { kind: 'file', source: { kind: 'text', text: 'hi' }, title: 'Note' };
    const [message] = items(user(pdf, note)) as { content: object[] }[];
    expect(message?.content).toEqual([
      {
        type: 'input_file',
        filename: 'document.pdf',
        file_data: 'data:application/pdf;base64,JVBERi0x',
      },
      { type: 'input_file', filename: 'Note.txt', file_data: 'data:text/plain;base64,aGk=' },
    ]);
  });

  test.each<[string, Partial<HubRequest>]>([
    [
      'audio',
      { turns: [user({ kind: 'audio', source: { kind: 'bytes', mime: 'audio/wav', base64: 'AA' } })] },
    ],
    ['video', { turns: [user({ kind: 'video', source: { kind: 'url', url: 'https://v' } })] }],
    ['a file by its id', { turns: [user({ kind: 'image', source: { kind: 'file', id: 'f' } })] }],
    ['n: the vendor gives one answer', { answers: 2 }],
    [
      'messages[0].content[0]',
      {
        turns: [
          user({
            kind: 'opaque',
            protocol: 'messages',
            type: 'container_upload',
            raw: '{}',
            path: 'messages[0].content[0]',
          }),
        ],
      },
    ],
  ])('refuses %s', (what, more) => {
    expect(() => encode(more)).toThrow(Inexpressible);
    expect(() => encode(more)).toThrow(what);
  });
});

describe('tools', () => {
  test('are strict only when that was requested and is possible', () => {
    const tools = [
      { kind: 'function', name: 'a', schema: LOOSE, strict: undefined },
      { kind: 'function', name: 'b', schema: STRICT, strict: true },
      { kind: 'function', name: 'c', schema: LOOSE, strict: true },
      { kind: 'function', name: 'd', schema: undefined, strict: false },
      { kind: 'function', name: 'e', schema: '{"properties":{"2":{},"10":{}}}', strict: false },
    ] as const;
    const { body, dropped } = encode({ tools });
    expect((body.tools as { strict: boolean }[]).map((tool) => tool.strict)).toEqual([
      false,
      true,
      false,
      false,
      false,
    ]);
    expect(dropped).toEqual(['tools[].strict']);
    expect((body.tools as { parameters: object }[])[3]?.parameters).toEqual({
      type: 'object',
      properties: {},
    });
    expect((body.tools as { parameters: object }[])[4]?.parameters).toEqual({
      type: 'object',
      properties: { 2: {}, 10: {} },
    });
  });

  test('of one namespace are inside it, and custom ones keep their grammar', () => {
    const grammar = { syntax: 'lark', definition: 'start: x' };
    const { body } = encode({
      client: 'responses',
      tools: [
        { kind: 'function', name: 'a', namespace: 'n', schema: LOOSE, strict: undefined },
        { kind: 'custom', name: 'patch', grammar },
        { kind: 'function', name: 'b', namespace: 'n', schema: LOOSE, strict: undefined },
      ],
      toolChoice: { kind: 'subset', names: ['patch', 'b'], required: true },
      parallelCalls: false,
    });
    expect(body.tools).toMatchObject([
      { type: 'namespace', name: 'n', tools: [{ name: 'a' }, { name: 'b' }] },
      { type: 'custom', name: 'patch', format: { type: 'grammar', ...grammar } },
    ]);
    expect(body.tool_choice).toEqual({
      type: 'allowed_tools',
      mode: 'required',
      tools: [
        { type: 'custom', name: 'patch' },
        { type: 'function', name: 'b' },
      ],
    });
    expect(body.parallel_tool_calls).toBe(false);
  });

  test('that are absent leave no field', () => {
    const { body } = encode({ toolChoice: { kind: 'required' }, parallelCalls: true });
    expect(Object.keys(body)).toEqual(['model', 'input', 'include', 'store']);
  });

  test('are not forced where the model cannot be', () => {
    const { body, dropped } = encode(
      {
        tools: [{ kind: 'function', name: 'a', schema: LOOSE, strict: undefined }],
        toolChoice: { kind: 'tool', name: 'a' },
      },
      target({ forcedToolChoice: false }),
    );
    expect([body.tool_choice, dropped]).toEqual([undefined, ['tool_choice']]);
  });
});

describe('options', () => {
  const thinking = (more: object): Partial<HubRequest> => ({ thinking: { ...NO_THINKING, ...more } });

  test.each([
    [{ mode: 'off' }, {}, { effort: 'none' }],
    [{ mode: 'off' }, { efforts: ['minimal', 'low'] }, { effort: 'minimal' }],
    [{ effort: 'minimal' }, {}, { effort: 'low' }],
    [{ mode: 'budget', budgetTokens: 16_000, show: true }, {}, { effort: 'high', summary: 'auto' }],
    [{ mode: 'adaptive' }, {}, undefined],
    [{ effort: 'high', show: true }, { thinking: 'none' }, undefined],
  ])('have the reasoning %j', (wish, capabilities, expected) => {
    expect(encode(thinking(wish), target(capabilities as object)).body.reasoning).toEqual(expected);
  });

  test('request the ciphertext of a model that thinks, and store nothing', () => {
    expect(encode({}).body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
    expect(encode({}, target({ thinking: 'none' })).body.include).toBeUndefined();
  });

  test('drop what the model or the protocol lacks, and report it', () => {
    const sampling = { ...NO_SAMPLING, temperature: 0.3, topP: 1, topK: 5, seed: 1, presencePenalty: 0 };
    const { body, dropped } = encode({ sampling, logprobs: 2, serviceTier: 'standard_only' });
    expect([body.temperature, body.top_p, body.top_logprobs]).toEqual([undefined, undefined, undefined]);
    expect(dropped).toEqual(['top_k', 'seed', 'temperature', 'top_logprobs', 'service_tier']);
    const tiers = ['flex', 'on_demand'].map((serviceTier) => encode({ client: 'chat', serviceTier }).body);
    expect(tiers.map(({ service_tier: tier }) => tier)).toEqual(['flex', undefined]);
    const chat = encode({ sampling, logprobs: 2 }, target({ thinking: 'none', sampling: 'all' }));
    expect(chat.body).toMatchObject({
      temperature: 0.3,
      top_p: 1,
      top_logprobs: 2,
      include: ['message.output_text.logprobs'],
    });
  });

  test('keep sampling for a model that does not think', () => {
    const sampling = { ...NO_SAMPLING, temperature: 0.3 };
    expect(encode({ sampling, ...thinking({ mode: 'off' }) }).body.temperature).toBe(0.3);
  });

  test('stay within the limits of the vendor', () => {
    expect(encode({ maxTokens: 1 }).body.max_output_tokens).toBe(16);
    expect(encode({ maxTokens: 999_999 }).body.max_output_tokens).toBe(128_000);
    expect(encode({ endUser: 'u'.repeat(65) }).body.safety_identifier).toMatch(/^[0-9a-f]{64}$/);
    expect(encode({ endUser: 'u' }).body.safety_identifier).toBe('u');
  });

  test('request JSON in the vendor’s form', () => {
    const plain = encode({ format: { kind: 'json' } }).body;
    expect(plain.text).toEqual({ format: { type: 'json_object' } });
    expect(JSON.stringify(plain.input)).toContain('JSON');
    const format = {
      kind: 'schema',
      name: 'bad name',
      description: 'd',
      schema: LOOSE,
      strict: true,
    } as const;
    expect(encode({ format }).body.text).toEqual({
      format: {
        type: 'json_schema',
        name: 'response',
        description: 'd',
        schema: JSON.parse(LOOSE),
        strict: false,
      },
    });
    expect(encode({ format, client: 'chat' }).body.text).toMatchObject({ format: { strict: true } });
    const told = encode({ format }, target({ structuredOutput: false }));
    expect(told.dropped).toEqual(['text.format']);
    expect(JSON.stringify(told.body.input)).toContain('fits this JSON Schema');
  });

  test('are the same bytes for the same request', () => {
    const more: Partial<HubRequest> = {
      stream: true,
      cacheKey: 'k',
      verbosity: 'low',
      maxTokens: 100,
      turns: [user(said('a')), assistant(call('c1')), user(result('c1', [said('b')]))],
    };
    expect(JSON.stringify(encode(more).body)).toBe(JSON.stringify(encode(more).body));
    expect(Object.keys(encode(more).body)).toEqual([
      'model',
      'input',
      'text',
      'max_output_tokens',
      'include',
      'prompt_cache_key',
      'store',
      'stream',
    ]);
  });
});
