import { describe, expect, test } from 'vitest';
import { encode, tool } from '../../../../test/convert/messages-body.ts';
import type { HubRequest } from '../../hub/request.ts';

describe('tools', () => {
  test('without a schema take an empty object, and alternatives at the root are merged', () => {
    expect(encode({ tools: [tool(undefined)] }).body.tools).toEqual([
      { name: 'f', input_schema: { type: 'object', properties: {} } },
    ]);
    const either =
      '{"anyOf":[{"type":"object","properties":{"a":{}},"required":["a"]},' +
      '{"type":"object","properties":{"b":{}}}]}';
    expect(encode({ tools: [tool(either)] }).body.tools).toEqual([
      { name: 'f', input_schema: { type: 'object', properties: { a: {}, b: {} } } },
    ]);
  });

  test('of one name are reduced to the first', () => {
    const tools = [tool('{"type":"object","title":"1"}'), tool('{"type":"object","title":"2"}')];
    expect(encode({ tools }).body.tools).toEqual([
      { name: 'f', input_schema: { type: 'object', title: '1' } },
    ]);
  });

  test('are strict where the schema can be enforced', () => {
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
  ])('with the choice %o (parallel: %s) become %o', (toolChoice, parallelCalls, expected) => {
    const tools = [tool(undefined), { ...tool(undefined), name: 'g' }, { ...tool(undefined), name: 'h' }];
    const { body } = encode({ tools, toolChoice, parallelCalls });
    expect(body.tool_choice).toEqual(expected);
    const names = toolChoice?.kind === 'subset' ? toolChoice.names : ['f', 'g', 'h'];
    expect((body.tools as { name: string }[]).map(({ name }) => name)).toEqual(names);
  });

  test('that are absent have no choice', () => {
    const { body, dropped } = encode({ toolChoice: { kind: 'required' } });
    expect(body).not.toHaveProperty('tool_choice');
    expect(dropped).toEqual(['tool_choice']);
  });

  test('that cannot be forced are requested in text', () => {
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
