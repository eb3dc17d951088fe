import { describe, expect, test } from 'vitest';
import { someCapabilities, someRequest, someTarget } from '../../../test/support/hub.ts';
import type { CapabilityOverrides } from '../../kernel/capability.ts';
import { writeJson } from '../hub/json.ts';
import { Inexpressible, Notes } from '../hub/notes.ts';
import type { Part } from '../hub/part.ts';
import { type HubRequest, NO_SAMPLING, NO_THINKING, type Thinking, type Turn } from '../hub/request.ts';
import { messagesSpoke } from './spoke.ts';

interface Encoded {
  readonly body: Record<string, unknown>;
  readonly text: string;
  readonly dropped: readonly string[];
}

function encode(request: Partial<HubRequest>, capabilities: CapabilityOverrides = {}): Encoded {
  const notes = new Notes(messagesSpoke.fields);
  const target = someTarget({ capabilities: someCapabilities({ cacheMarks: false, ...capabilities }) });
  const text = writeJson(
    messagesSpoke.encodeRequest(someRequest({ turns: [said('hi')], ...request }), target, notes),
  );
  return { body: JSON.parse(text), text, dropped: notes.dropped };
}

const words = (text: string): Part => ({ kind: 'text', text });
const said = (text: string): Turn => ({ role: 'user', parts: [words(text)] });
const answered = (...parts: Part[]): Turn => ({ role: 'assistant', parts });
const told = (text: string): Turn => ({ role: 'system', parts: [words(text)] });
const call = (args = '{}'): Part => ({
  kind: 'tool-call',
  id: 't1',
  name: 'f',
  arguments: args,
  custom: false,
});
const result = (...parts: Part[]): Part => ({
  kind: 'tool-result',
  callId: 't1',
  parts,
  isError: false,
  custom: false,
});
const tool = (schema: string | undefined, strict?: boolean): HubRequest['tools'][number] => ({
  kind: 'function',
  name: 'f',
  schema,
  strict,
});
const thinking = (wish: Partial<Thinking>): Partial<HubRequest> => ({
  thinking: { ...NO_THINKING, ...wish },
});
const messagesOf = (turns: readonly Turn[], capabilities: CapabilityOverrides = {}): unknown =>
  encode({ turns }, capabilities).body.messages;
const text = (words: string): object => ({ type: 'text', text: words });

describe('a body for Messages', () => {
  test('holds a limit, the model of the vendor, and nothing that nobody said', () => {
    expect(encode({}, { maxOutputTokens: 64_000 }).body).toEqual({
      model: 'vendor-model',
      max_tokens: 64_000,
      messages: [{ role: 'user', content: [text('hi')] }],
    });
  });

  test('is the same bytes for the same request', () => {
    const request = {
      system: [{ kind: 'text', text: 's' } as const],
      tools: [tool('{"b":1,"a":2,"type":"object"}')],
    };
    expect(encode(request).text).toBe(encode(request).text);
    expect(encode(request).text).toContain('"input_schema":{"b":1,"a":2,"type":"object"}');
  });

  test('a limit above the model is lowered and reported', () => {
    const { body, dropped } = encode({ maxTokens: 100_000 });
    expect(body.max_tokens).toBe(64_000);
    expect(dropped).toEqual(['max_tokens']);
    expect(encode({ maxTokens: 7 }).body.max_tokens).toBe(7);
  });

  test('several answers at once are refused', () => {
    expect(() => encode({ answers: 2 })).toThrow(Inexpressible);
  });

  test('options without a place are reported', () => {
    const { dropped } = encode({
      sampling: { ...NO_SAMPLING, frequencyPenalty: 1, presencePenalty: 1, seed: 1 },
      logprobs: 2,
      verbosity: 'low',
      cacheKey: 'k',
      serviceTier: 'flex',
    });
    expect([...dropped].sort()).toEqual(
      [
        'cache_key',
        'frequency_penalty',
        'logprobs',
        'presence_penalty',
        'seed',
        'service_tier',
        'verbosity',
      ].sort(),
    );
  });
});

describe('turns', () => {
  test('blank texts go, and what is left of one role becomes one message', () => {
    expect(messagesOf([said('a'), answered(words(' \n')), said('b')])).toEqual([
      { role: 'user', content: [text('a'), text('b')] },
    ]);
  });

  test('the user begins, be it with a word of ours', () => {
    expect(messagesOf([answered(words('a')), said('b')])).toEqual([
      { role: 'user', content: [text('Continue.')] },
      { role: 'assistant', content: [text('a')] },
      { role: 'user', content: [text('b')] },
    ]);
  });

  test('a system alone speaks as the user', () => {
    const { body } = encode({ system: [{ kind: 'text', text: 's' }], turns: [] });
    expect(body.system).toBeUndefined();
    expect(body.messages).toEqual([{ role: 'user', content: [text('s')] }]);
  });

  test('a system turn stays where the model allows it', () => {
    expect(messagesOf([said('a'), told('now'), answered(words('b')), said('c')])).toEqual([
      { role: 'user', content: [text('a')] },
      { role: 'system', content: [text('now')] },
      { role: 'assistant', content: [text('b')] },
      { role: 'user', content: [text('c')] },
    ]);
  });

  test('a system turn between assistant and user (Claude Code) joins the user, and is never hoisted', () => {
    const turns = [said('a'), answered(words('b')), told('now'), said('c')];
    const expected = [
      { role: 'user', content: [text('a')] },
      { role: 'assistant', content: [text('b')] },
      { role: 'user', content: [text('<system-reminder>\nnow\n</system-reminder>'), text('c')] },
    ];
    expect(messagesOf(turns)).toEqual(expected);
    expect(
      messagesOf([said('a'), answered(words('b')), said('c'), told('now')], { systemTurns: false }),
    ).toEqual([
      expected[0],
      expected[1],
      { role: 'user', content: [text('c'), text('<system-reminder>\nnow\n</system-reminder>')] },
    ]);
  });

  test('the beginning of an answer goes where the model does not take it, and loses its last blanks elsewhere', () => {
    const turns = [said('a'), answered(words('b \n'))];
    expect(messagesOf(turns, { prefill: false })).toEqual([{ role: 'user', content: [text('a')] }]);
    expect(messagesOf(turns)).toEqual([
      { role: 'user', content: [text('a')] },
      { role: 'assistant', content: [text('b')] },
    ]);
  });

  test('a document alone gets a word beside it', () => {
    const file: Part = { kind: 'file', source: { kind: 'text', text: 'x' }, filename: 'a.txt' };
    expect(messagesOf([{ role: 'user', parts: [file] }])).toEqual([
      {
        role: 'user',
        content: [
          {
            type: 'document',
            source: { type: 'text', media_type: 'text/plain', data: 'x' },
            title: 'a.txt',
          },
          text('See the document.'),
        ],
      },
    ]);
  });

  test('thinking goes back with its signature, in its place, and without one not at all', () => {
    const blob = { issuer: 'v1-c1-m1', form: 'signature', place: 'reasoning', value: 'sig' } as const;
    const turns = [
      said('a'),
      answered(
        { kind: 'reasoning', text: 'so', blob },
        { kind: 'reasoning', text: '', blob: { ...blob, form: 'redacted', value: 'data' } },
        words('b'),
        { kind: 'reasoning', text: 'lost' },
        call('{"a": 1.0}'),
      ),
      { role: 'user', parts: [result(words('r'))] } as const,
    ];
    expect(messagesOf(turns)).toEqual([
      { role: 'user', content: [text('a')] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'so', signature: 'sig' },
          { type: 'redacted_thinking', data: 'data' },
          text('b'),
          { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'r' }] },
    ]);
    expect(encode({ turns }).text).toContain('"input":{"a": 1.0}');
  });

  test('arguments that are no object are handed over as they were written', () => {
    const inputOf = (args: string): unknown => {
      const messages = messagesOf([said('a'), answered(call(args)), { role: 'user', parts: [result()] }]);
      return (messages as [unknown, { content: [{ input: unknown }] }])[1].content[0].input;
    };
    expect(inputOf('{"a":')).toEqual({ _raw: '{"a":' });
    expect(inputOf('[1]')).toEqual({ _raw: '[1]' });
    expect(inputOf('')).toEqual({});
  });

  test('results: nothing, an error, pictures inside or behind, a mark from the inside', () => {
    const picture: Part = { kind: 'image', source: { kind: 'bytes', mime: 'image/png', base64: 'R0lGODlh' } };
    const gif = { type: 'image', source: { type: 'base64', media_type: 'image/gif', data: 'R0lGODlh' } };
    const contentOf = (part: Part, capabilities: CapabilityOverrides = {}): unknown =>
      (
        messagesOf([said('a'), answered(call()), { role: 'user', parts: [part] }], capabilities) as {
          content: unknown;
        }[]
      )[2]?.content;
    expect(contentOf(result())).toEqual([{ type: 'tool_result', tool_use_id: 't1' }]);
    expect(contentOf({ ...result(words('no')), isError: true } as Part)).toEqual([
      { type: 'tool_result', tool_use_id: 't1', content: 'no', is_error: true },
    ]);
    expect(contentOf(result(words('see'), picture))).toEqual([
      { type: 'tool_result', tool_use_id: 't1', content: [text('see'), gif] },
    ]);
    expect(contentOf(result(picture), { toolResultImages: false })).toEqual([
      { type: 'tool_result', tool_use_id: 't1', content: '[image]' },
      gif,
    ]);
    expect(contentOf(result({ kind: 'text', text: 'x', cache: {} }), { cacheMarks: true })).toEqual([
      { type: 'tool_result', tool_use_id: 't1', content: 'x', cache_control: { type: 'ephemeral' } },
    ]);
  });

  test.each<[Part, string]>([
    [{ kind: 'audio', source: { kind: 'bytes', mime: 'audio/wav', base64: 'AAAA' } }, 'audio'],
    [{ kind: 'video', source: { kind: 'url', url: 'https://x' } }, 'video'],
    [{ kind: 'image', source: { kind: 'bytes', mime: 'image/heic', base64: 'AAAA' } }, 'image'],
    [{ kind: 'image', source: { kind: 'file', id: 'file-1' } }, 'image'],
    [{ kind: 'file', source: { kind: 'bytes', mime: 'application/zip', base64: 'AAAA' } }, 'file'],
    [{ kind: 'opaque', protocol: 'responses', type: 'compaction', raw: '{}', path: 'input[3]' }, 'input[3]'],
  ])('%o is refused by name', (part, name) => {
    expect(() => encode({ turns: [{ role: 'user', parts: [part] }] })).toThrow(Inexpressible);
    expect(() => encode({ turns: [{ role: 'user', parts: [part] }] })).toThrow(`${name}: `);
  });

  test('an address is refused where the vendor fetches none', () => {
    const parts: Part[] = [{ kind: 'image', source: { kind: 'url', url: 'https://x/a.png' } }];
    expect(messagesOf([{ role: 'user', parts }])).toEqual([
      { role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://x/a.png' } }] },
    ]);
    expect(() => encode({ turns: [{ role: 'user', parts }] }, { mediaUrls: false })).toThrow('image: ');
  });
});

describe('thinking', () => {
  const adaptive: CapabilityOverrides = {
    thinking: 'adaptive',
    efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
    sampling: 'none',
  };
  const budget: CapabilityOverrides = { thinking: 'budget', efforts: [], budgetTokensMax: 60_000 };
  const unstoppable: CapabilityOverrides = { ...adaptive, thinkingOff: false };

  test.each<[string, Partial<Thinking>, CapabilityOverrides, object]>([
    [
      'an effort alone does not switch it on',
      { effort: 'high' },
      adaptive,
      { output_config: { effort: 'high' } },
    ],
    ['none is said outright', { effort: 'none' }, adaptive, { thinking: { type: 'disabled' } }],
    [
      'none on a model that cannot stop is little',
      { effort: 'none' },
      unstoppable,
      { output_config: { effort: 'low' } },
    ],
    [
      'efforts are clamped',
      { mode: 'adaptive', effort: 'minimal' },
      adaptive,
      { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
    ],
    [
      'a budget becomes an effort',
      { mode: 'budget', budgetTokens: 8000, show: true },
      adaptive,
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'medium' } },
    ],
    [
      'who wants to see it wants it',
      { show: true },
      adaptive,
      { thinking: { type: 'adaptive', display: 'summarized' } },
    ],
    [
      'an effort becomes a budget',
      { effort: 'medium' },
      budget,
      { thinking: { type: 'enabled', budget_tokens: 8192 } },
    ],
    [
      'a budget is kept',
      { mode: 'budget', budgetTokens: 3000 },
      budget,
      { thinking: { type: 'enabled', budget_tokens: 3000 } },
    ],
    [
      'the least is 1024',
      { mode: 'budget', budgetTokens: 10 },
      budget,
      { thinking: { type: 'enabled', budget_tokens: 1024 } },
    ],
    ['off is off', { mode: 'off' }, budget, { thinking: { type: 'disabled' } }],
    [
      'high effort without thinking is not said',
      { mode: 'off', effort: 'max' },
      adaptive,
      { thinking: { type: 'disabled' } },
    ],
  ])('%s', (_name, wish, capabilities, expected) => {
    const {
      model: _model,
      max_tokens: _limit,
      messages: _messages,
      ...rest
    } = encode(thinking(wish), capabilities).body;
    expect(rest).toEqual(expected);
  });

  test('a model without it loses the wish and says so', () => {
    const { body, dropped } = encode(thinking({ effort: 'high' }), { thinking: 'none', efforts: [] });
    expect(body.thinking).toBeUndefined();
    expect(dropped).toEqual(['thinking']);
  });

  test('a budget stays below the limit, and too small a limit switches it off', () => {
    const wish = thinking({ mode: 'budget', budgetTokens: 20_000 });
    expect(encode({ ...wish, maxTokens: 5000 }, budget).body.thinking).toEqual({
      type: 'enabled',
      budget_tokens: 4999,
    });
    const small = encode({ ...wish, maxTokens: 1024 }, budget);
    expect(small.body.thinking).toEqual({ type: 'disabled' });
    expect(small.dropped).toEqual(['thinking']);
  });

  test('manual thinking gives way to a forced tool and to a call that lost its thinking', () => {
    const forced = encode(
      { ...thinking({ effort: 'high' }), tools: [tool(undefined)], toolChoice: { kind: 'required' } },
      budget,
    );
    expect(forced.body).toMatchObject({ thinking: { type: 'disabled' }, tool_choice: { type: 'any' } });
    const turns: Turn[] = [said('a'), answered(call()), { role: 'user', parts: [result()] }];
    expect(encode({ ...thinking({ effort: 'high' }), turns }, budget).body.thinking).toEqual({
      type: 'disabled',
    });
    expect(encode({ ...thinking({ mode: 'adaptive' }), turns }, adaptive).body.thinking).toEqual({
      type: 'adaptive',
    });
  });

  test('sampling follows the model and never goes with thinking', () => {
    const sampling = { ...NO_SAMPLING, temperature: 1.5, topP: 0.5, topK: 3 };
    expect(encode({ sampling }, { sampling: 'all' }).body).toMatchObject({
      temperature: 1,
      top_p: 0.5,
      top_k: 3,
    });
    const oneOf = encode({ sampling: { ...sampling, temperature: 0.2 } }, { sampling: 'one-of' });
    expect(oneOf.body).toMatchObject({ temperature: 0.2, top_k: 3 });
    expect(oneOf.body.top_p).toBeUndefined();
    expect(oneOf.dropped).toEqual(['top_p']);
    for (const wish of [{}, thinking({ effort: 'high' })]) {
      const capabilities: CapabilityOverrides = 'thinking' in wish ? budget : { sampling: 'none' };
      const { body, dropped } = encode({ sampling, ...wish }, capabilities);
      expect(body).not.toHaveProperty('temperature');
      expect(body).not.toHaveProperty('top_k');
      expect(dropped).toEqual(['temperature', 'top_p', 'top_k']);
    }
  });
});

describe('tools', () => {
  test('a tool without a schema takes an empty object; a root of alternatives is merged', () => {
    expect(encode({ tools: [tool(undefined)] }).body.tools).toEqual([
      { name: 'f', input_schema: { type: 'object', properties: {} } },
    ]);
    const either =
      '{"anyOf":[{"type":"object","properties":{"a":{}},"required":["a"]},{"type":"object","properties":{"b":{}}}]}';
    expect(encode({ tools: [tool(either)] }).body.tools).toEqual([
      { name: 'f', input_schema: { type: 'object', properties: { a: {}, b: {} } } },
    ]);
  });

  test('of two tools of one name the first counts', () => {
    const tools = [tool('{"type":"object","title":"1"}'), tool('{"type":"object","title":"2"}')];
    expect(encode({ tools }).body.tools).toEqual([
      { name: 'f', input_schema: { type: 'object', title: '1' } },
    ]);
  });

  test('strictness is said where the schema can be held to', () => {
    const schema = '{"type":"object","properties":{"n":{"type":"integer","minimum":1}},"required":["n"]}';
    expect(encode({ tools: [tool(schema, true)] }).body.tools).toEqual([
      {
        name: 'f',
        input_schema: {
          type: 'object',
          properties: { n: { type: 'integer', description: '{minimum: 1}' } },
          required: ['n'],
          additionalProperties: false,
        },
        strict: true,
      },
    ]);
    const open = encode({
      tools: [tool('{"type":"object","additionalProperties":{"type":"string"}}', true)],
    });
    expect(open.body.tools).toEqual([
      { name: 'f', input_schema: { type: 'object', additionalProperties: { type: 'string' } } },
    ]);
    expect(open.dropped).toEqual(['tools.strict']);
    expect(encode({ tools: [tool(schema, true)] }, { structuredOutput: false }).dropped).toEqual([
      'tools.strict',
    ]);
  });

  test.each<[HubRequest['toolChoice'], boolean | undefined, unknown]>([
    [undefined, undefined, undefined],
    [undefined, false, { type: 'auto', disable_parallel_tool_use: true }],
    [{ kind: 'auto' }, true, { type: 'auto' }],
    [{ kind: 'required' }, false, { type: 'any', disable_parallel_tool_use: true }],
    [{ kind: 'none' }, false, { type: 'none' }],
    [{ kind: 'tool', name: 'f' }, undefined, { type: 'tool', name: 'f' }],
    [{ kind: 'tool', name: 'gone' }, undefined, { type: 'auto' }],
    [{ kind: 'subset', names: ['f'], required: true }, undefined, { type: 'tool', name: 'f' }],
    [{ kind: 'subset', names: ['f', 'g'], required: true }, undefined, { type: 'any' }],
    [{ kind: 'subset', names: ['f'], required: false }, undefined, { type: 'auto' }],
  ])('the choice %o (parallel: %s) is %o', (toolChoice, parallelCalls, expected) => {
    const tools = [tool(undefined), { ...tool(undefined), name: 'g' }, { ...tool(undefined), name: 'h' }];
    const { body } = encode({ tools, toolChoice, parallelCalls });
    expect(body.tool_choice).toEqual(expected);
    const names = toolChoice?.kind === 'subset' ? toolChoice.names : ['f', 'g', 'h'];
    expect((body.tools as { name: string }[]).map(({ name }) => name)).toEqual(names);
  });

  test('without tools no choice is said', () => {
    const { body, dropped } = encode({ toolChoice: { kind: 'required' } });
    expect(body).not.toHaveProperty('tool_choice');
    expect(dropped).toEqual(['tool_choice']);
  });

  test('a model that cannot be forced is told', () => {
    const { body, dropped } = encode(
      { tools: [tool(undefined)], toolChoice: { kind: 'tool', name: 'f' } },
      { forcedToolChoice: false },
    );
    expect(body).toMatchObject({
      tool_choice: { type: 'auto' },
      system: [{ type: 'text', text: 'You must call the tool f now.' }],
    });
    expect(dropped).toEqual(['tool_choice']);
  });
});

describe('formats', () => {
  const schema = '{"type":"object","properties":{"a":{"type":"string","maxLength":5}},"required":["a"]}';
  const format: HubRequest['format'] = {
    kind: 'schema',
    name: 'n',
    description: undefined,
    schema,
    strict: true,
  };

  test('a schema is enforced where the model can, and asked for elsewhere', () => {
    expect(encode({ format }).body.output_config).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { a: { type: 'string', description: '{maxLength: 5}' } },
          required: ['a'],
          additionalProperties: false,
        },
      },
    });
    const asked = encode({ format }, { structuredOutput: false });
    expect(asked.body).not.toHaveProperty('output_config');
    expect(asked.text).toContain('JSON Schema, and nothing else');
    expect(asked.dropped).toEqual(['output_config.format']);
  });

  test('a recursive schema cannot be enforced', () => {
    const recursive =
      '{"$defs":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"}';
    expect(encode({ format: { ...format, schema: recursive } }).dropped).toEqual(['output_config.format']);
  });

  test('JSON without a schema is asked for', () => {
    expect(encode({ format: { kind: 'json' } }).body.system).toEqual([
      { type: 'text', text: 'Respond with a single JSON object and nothing else.' },
    ]);
  });

  test('stops of blanks only go, a user that is too long too', () => {
    const { body, dropped } = encode({ stop: ['END', ' \n'], endUser: 'u' });
    expect(body).toMatchObject({ stop_sequences: ['END'], metadata: { user_id: 'u' } });
    expect(dropped).toEqual(['stop_sequences']);
    expect(encode({ endUser: 'x'.repeat(257) })).toMatchObject({ dropped: ['metadata.user_id'] });
    expect(encode({ stop: ['END'] }, { stopSequences: false }).body).not.toHaveProperty('stop_sequences');
  });
});

describe('marks for the cache', () => {
  const long: Turn[] = [said('1'), answered(words('2')), said('3'), answered(words('4')), said('5')];
  const marked = (request: Partial<HubRequest>, capabilities: CapabilityOverrides = {}): string[] => {
    const { body } = encode(request, { cacheMarks: true, ...capabilities });
    const found: string[] = [];
    const look = (holder: unknown, path: string): void => {
      if (typeof holder !== 'object' || holder === null) return;
      const mark = (holder as { cache_control?: { ttl?: string } }).cache_control;
      if (mark !== undefined) found.push(`${path}${mark.ttl === undefined ? '' : ` ${mark.ttl}`}`);
      for (const [key, value] of Object.entries(holder)) look(value, path === '' ? key : `${path}.${key}`);
    };
    look({ tools: body.tools, system: body.system, messages: body.messages }, '');
    return found;
  };

  test('clients that cannot set any get four: tools, system, the last two words of the user', () => {
    const tools = [tool(undefined), { ...tool(undefined), name: 'g' }];
    const system = [
      { kind: 'text', text: 'a' },
      { kind: 'text', text: 'b' },
    ] as const;
    expect(marked({ tools, system, turns: long })).toEqual([
      'tools.1',
      'system.1',
      'messages.2.content.0',
      'messages.4.content.0',
    ]);
    expect(marked({ turns: [said('1')] })).toEqual(['messages.0.content.0']);
    expect(marked({ tools, system, turns: long }, { cacheMarks: false })).toEqual([]);
    expect(marked({ client: 'messages', turns: long })).toEqual([]);
  });

  test('of the client’s own the latest four stay, long ones before short ones', () => {
    const mark = (ttl?: string): Turn => ({
      role: 'user',
      parts: [{ kind: 'text', text: 'x', cache: ttl === undefined ? {} : { ttl } }],
    });
    const turns = ['1h', '1h', undefined, '1h', '5m'].flatMap((ttl) => [mark(ttl), answered(words('a'))]);
    expect(marked({ turns: [...turns, said('end')] })).toEqual([
      'messages.2.content.0 1h',
      'messages.4.content.0',
      'messages.6.content.0',
      'messages.8.content.0',
    ]);
  });

  test('a vendor without marks loses them, and that is said', () => {
    const turns: Turn[] = [{ role: 'user', parts: [{ kind: 'text', text: 'x', cache: {} }] }];
    const { body, dropped } = encode({ turns });
    expect(body.messages).toEqual([{ role: 'user', content: [text('x')] }]);
    expect(dropped).toEqual(['cache_control']);
  });
});
