import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../server.ts';
import { post, type Received } from '../suite/wire-client.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

function send(body: unknown, headers: Record<string, string> = {}): Promise<Received> {
  return post({
    url: `${simulator.url}/v1/chat/completions`,
    headers: { authorization: 'Bearer sk-sim-openai', ...headers },
    body,
  });
}

const user = { role: 'user', content: 'hi' };
const tool = (more: object = {}): object => ({ type: 'function', function: { name: 'f', ...more } });
const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
const file = (more: object): object => ({ role: 'user', content: [{ type: 'file', file: more }] });
const looseSchema = { type: 'object', properties: { a: { type: 'string' } } };
const openSchema = { ...looseSchema, additionalProperties: false };
const nested = {
  type: 'object',
  additionalProperties: false,
  required: ['a'],
  properties: { a: { type: 'object', allOf: [] } },
};

/** What is wrong, what is sent beside a model and a message, status, words, code. */
const ROWS: readonly (readonly [string, object, number, string, (string | null)?])[] = [
  [
    'a search with a model that has none',
    { model: 'gpt-4o', web_search_options: {} },
    400,
    'Web search options not supported with this model.',
    null,
  ],
  [
    'a search with a model that reasons',
    { model: 'gpt-5', web_search_options: {} },
    400,
    "Unknown parameter: 'web_search_options'.",
    'unknown_parameter',
  ],
  [
    'sampling of a model that searches',
    { model: 'gpt-4o-search-preview', temperature: 0, top_p: 1 },
    400,
    'Model incompatible request arguments supplied: temperature, top_p',
    null,
  ],
  [
    'a search without a size',
    { model: 'gpt-4o-search-preview', web_search_options: { search_context_size: 'huge' } },
    400,
    "Invalid value: 'huge'.",
  ],
  ['unknown model', { model: 'gpt-9' }, 404, 'The model `gpt-9` does not exist', 'model_not_found'],
  ['unknown argument', { frobnicate: 1 }, 400, 'Unrecognized request argument supplied: frobnicate', null],
  [
    'unknown field of a message',
    { messages: [{ ...user, cache_control: {} }] },
    400,
    "Unknown parameter: 'messages[0].cache_control'.",
    'unknown_parameter',
  ],
  [
    'unknown field of a tool',
    { tools: [tool({ input_examples: [] })] },
    400,
    "Unknown parameter: 'tools[0].function.input_examples'.",
  ],
  ['no messages', { messages: [] }, 400, "Invalid 'messages': empty array.", 'empty_array'],
  [
    'messages missing',
    { messages: undefined },
    400,
    "Missing required parameter: 'messages'.",
    'missing_required_parameter',
  ],
  [
    'bad role',
    { messages: [{ role: 'model', content: 'x' }] },
    400,
    "Invalid value: 'model'. Supported values are: 'system', 'developer',",
    'invalid_value',
  ],
  [
    'bad part',
    { messages: [{ role: 'user', content: [{ type: 'input_text', text: 'x' }] }] },
    400,
    "Invalid value: 'input_text'. Supported values are: 'text', 'image_url', 'input_audio', and 'file'.",
  ],
  [
    'image in a system message',
    { messages: [{ role: 'system', content: [{ type: 'image_url' }] }, user] },
    400,
    "Invalid value: 'image_url'. Supported values are: 'text'.",
  ],
  [
    'content of the wrong type',
    { messages: [{ role: 'user', content: 7 }] },
    400,
    "Invalid type for 'messages[0].content': expected a string or array, but got a number instead.",
    'invalid_type',
  ],
  [
    'file without a name',
    { messages: [file({ file_data: 'data:application/pdf;base64,AA==' })] },
    400,
    "Missing required parameter: 'messages[0].content[0].file.filename'.",
  ],
  [
    'file that is no data address',
    { messages: [file({ file_data: 'AA==', filename: 'a.pdf' })] },
    400,
    'Expected a base64-encoded data URL',
  ],
  [
    'file of another kind',
    { messages: [file({ file_data: 'data:text/plain;base64,AA==', filename: 'a.pdf' })] },
    400,
    'does not match the file',
  ],
  [
    'orphan tool message',
    { messages: [user, { role: 'tool', tool_call_id: 'c1', content: 'x' }] },
    400,
    "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  ],
  [
    'unanswered call',
    { messages: [user, { role: 'assistant', tool_calls: [call] }, user] },
    400,
    'The following tool_call_ids did not have response messages: c1',
  ],
  [
    'long call id',
    { messages: [user, { role: 'assistant', tool_calls: [{ ...call, id: 'x'.repeat(65) }] }] },
    400,
    'maximum length 64',
    'string_above_max_length',
  ],
  [
    'arguments that are no text',
    {
      messages: [
        user,
        { role: 'assistant', tool_calls: [{ ...call, function: { name: 'f', arguments: {} } }] },
      ],
    },
    400,
    'expected a string, but got an object instead.',
  ],
  [
    'bad tool name',
    { tools: [{ type: 'function', function: { name: 'a b' } }] },
    400,
    'does not match pattern',
  ],
  ['too many tools', { tools: Array.from({ length: 129 }, () => tool()) }, 400, 'maximum length 128'],
  ['empty tools', { tools: [] }, 400, "[] is too short - 'tools'"],
  [
    'choice without tools',
    { tool_choice: 'auto' },
    400,
    "'tool_choice' is only allowed when 'tools' are specified.",
  ],
  [
    'parallel without tools',
    { parallel_tool_calls: true },
    400,
    "'parallel_tool_calls' is only allowed when 'tools' are specified.",
  ],
  [
    'choice of an unknown tool',
    { tools: [tool()], tool_choice: { type: 'function', function: { name: 'g' } } },
    400,
    "Tool choice 'g' not found",
  ],
  [
    'loose strict schema',
    { tools: [tool({ strict: true, parameters: looseSchema })] },
    400,
    "Invalid schema for function 'f': In context=(), 'additionalProperties' is required to be supplied and to be false.",
    'invalid_function_parameters',
  ],
  [
    'strict schema with an optional field',
    { tools: [tool({ strict: true, parameters: openSchema })] },
    400,
    "Missing 'a'.",
  ],
  [
    'strict schema with allOf',
    { tools: [tool({ strict: true, parameters: nested })] },
    400,
    "In context=('properties', 'a'), 'allOf' is not permitted.",
  ],
  [
    'parameters that are no object',
    { tools: [tool({ parameters: { type: 'string' } })] },
    400,
    'got \'type: "string"\'.',
  ],
  [
    'json_object without the word',
    { response_format: { type: 'json_object' } },
    400,
    "'messages' must contain the word 'json' in some form",
  ],
  [
    'json_schema without a name',
    { response_format: { type: 'json_schema', json_schema: { schema: {} } } },
    400,
    "Missing required parameter: 'response_format.json_schema.name'.",
    'missing_required_parameter',
  ],
  [
    'loose strict format',
    {
      response_format: { type: 'json_schema', json_schema: { name: 'n', strict: true, schema: looseSchema } },
    },
    400,
    "Invalid schema for response_format 'n'",
  ],
  [
    'max_tokens on a reasoning model',
    { model: 'gpt-5', max_tokens: 5 },
    400,
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    'unsupported_parameter',
  ],
  ['both limits', { max_tokens: 5, max_completion_tokens: 5 }, 400, 'at the same time is not supported'],
  [
    'limit above the model',
    { max_tokens: 99_999 },
    400,
    'This model supports at most 16384 completion tokens',
  ],
  [
    'temperature on a reasoning model',
    { model: 'gpt-5', temperature: 0.2 },
    400,
    "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
    'unsupported_value',
  ],
  ['stop on a reasoning model', { model: 'gpt-5', stop: ['x'] }, 400, "Unsupported parameter: 'stop'"],
  [
    'tools with reasoning where only Responses has both',
    { model: 'gpt-5.6', tools: [tool()] },
    400,
    'Function tools with reasoning_effort are not supported',
  ],
  [
    'effort the model does not know',
    { model: 'gpt-5', reasoning_effort: 'max' },
    400,
    "Unsupported value: 'max' is not supported with the 'gpt-5' model.",
    'unsupported_value',
  ],
  [
    'effort without reasoning',
    { reasoning_effort: 'low' },
    400,
    'Unrecognized request argument supplied: reasoning_effort',
  ],
  [
    'temperature above',
    { temperature: 2.1 },
    400,
    'Expected a value <= 2, but got 2.1 instead.',
    'decimal_above_max_value',
  ],
  ['top_p below', { top_p: -1 }, 400, 'Expected a value >= 0', 'decimal_below_min_value'],
  ['penalty above', { presence_penalty: 3 }, 400, 'Expected a value <= 2'],
  ['n below', { n: 0 }, 400, 'Expected a value >= 1', 'integer_below_min_value'],
  ['five stops', { stop: ['a', 'b', 'c', 'd', 'e'] }, 400, 'maximum length 4'],
  ['top_logprobs alone', { top_logprobs: 3 }, 400, "only allowed when 'logprobs' is enabled"],
  ['logit bias above', { logit_bias: { 5: 101 } }, 400, 'Expected a value <= 100'],
  ['metadata of what is not stored', { metadata: { a: 'b' } }, 400, "only allowed when 'store' is enabled"],
  [
    'a choice without functions',
    { function_call: 'auto' },
    400,
    "only allowed when 'functions' are specified",
  ],
  [
    'a function that is not declared',
    { functions: [{ name: 'f' }], function_call: { name: 'g' } },
    400,
    "Function 'g' is not in 'functions'",
  ],
  ['functions without a name', { functions: [{}] }, 400, 'functions[0].name'],
  ['long metadata', { metadata: { a: 'x'.repeat(513) } }, 400, 'maximum length 512'],
  ['long metadata name', { store: true, metadata: { ['x'.repeat(65)]: 'a' } }, 400, 'key too long'],
  [
    'stream options alone',
    { stream_options: { include_usage: true } },
    400,
    "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  ],
  [
    'context overflow',
    { messages: [{ role: 'user', content: 'a b '.repeat(300_000) }] },
    400,
    'maximum context length is 128000 tokens',
    'context_length_exceeded',
  ],
];

describe('Chat Completions refuses', () => {
  for (const [wrong, change, status, words, code] of ROWS) {
    it(wrong, async () => {
      const received = await send({ model: 'gpt-4o', messages: [user], ...change });
      const { error } = JSON.parse(received.text) as { error: Record<string, unknown> };
      expect([received.status, error.type]).toEqual([status, 'invalid_request_error']);
      expect(error.message).toContain(words);
      if (code !== undefined) expect(error.code).toBe(code);
    });
  }

  it('a missing key, a wrong key, and a body that is not JSON', async () => {
    const missing = await post({ url: `${simulator.url}/v1/chat/completions`, headers: {}, body: {} });
    expect([missing.status, missing.text.includes("You didn't provide an API key")]).toEqual([401, true]);
    const wrong = await send({}, { authorization: 'Bearer sk-no' });
    expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([401, 'Bearer realm="OpenAI API"']);
    expect(wrong.text).toContain('"code": "invalid_api_key"');
    expect((await send('{"model":')).text).toContain('We could not parse the JSON body of your request.');
    expect((await send('[]')).status).toBe(400);
  });

  it('unknown fields before wrong types', async () => {
    const received = await send({ model: 'gpt-4o', messages: 'x', extra: 1 });
    expect(received.text).toContain('Unrecognized request argument supplied: extra');
  });

  it('a request, and remembers the tag of what it refused', async () => {
    await send({ model: 'gpt-4o', n: 0, messages: [{ role: 'user', content: '[[sim tag=refused-chat]]' }] });
    expect(simulator.truth.find('refused-chat')).toMatchObject({
      status: 400,
      finished: 'refused',
      outputTokens: 0,
    });
  });
});

describe('Chat Completions takes', () => {
  it.each([
    [
      'a name on the message of a tool',
      {
        messages: [
          user,
          { role: 'assistant', tool_calls: [call] },
          { role: 'tool', tool_call_id: 'c1', name: 'f', content: 'x' },
        ],
      },
    ],
    ['the fast tier', { service_tier: 'fast' }],
    ['metadata of what is stored', { store: true, metadata: { a: 'b' } }],
    [
      'functions, and their history',
      {
        functions: [{ name: 'f' }],
        function_call: 'auto',
        messages: [
          user,
          { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
          { role: 'function', name: 'f', content: 'x' },
        ],
      },
    ],
  ])('%s', async (_what, change) => {
    const received = await send({ model: 'gpt-4o', messages: [user], ...change });
    expect([received.status, received.status === 200 ? '' : received.text]).toEqual([200, '']);
  });
});
