import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../server.ts';
import { post } from '../suite/wire-client.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const user = { role: 'user', content: 'hi' };
const call = (more: object = {}): object => ({
  type: 'function_call',
  call_id: 'c1',
  name: 'f',
  arguments: '{}',
  ...more,
});
const output = (more: object = {}): object => ({
  type: 'function_call_output',
  call_id: 'c1',
  output: 'x',
  ...more,
});
const reasoning = (more: object = {}): object => ({ type: 'reasoning', id: 'rs_1', summary: [], ...more });
const tool = (more: object = {}): object => ({ type: 'function', name: 'f', parameters: {}, ...more });

const ROWS: readonly (readonly [string, object, string, (string | null)?])[] = [
  [
    'a field of another search',
    { tools: [{ type: 'web_search', max_uses: 1 }] },
    "Unknown parameter: 'tools[0].max_uses'.",
    'unknown_parameter',
  ],
  [
    'a search with minimal effort',
    { model: 'gpt-5', reasoning: { effort: 'minimal' }, tools: [{ type: 'web_search' }] },
    "The following tools cannot be used with reasoning.effort 'minimal': web_search.",
  ],
  ['unknown model', { model: 'gpt-9' }, "The requested model 'gpt-9' does not exist.", 'model_not_found'],
  ...['messages', 'max_tokens', 'stop', 'n', 'response_format', 'reasoning_effort', 'system'].map(
    (name) =>
      [
        `${name}, a field of others`,
        { [name]: 1 },
        `Unknown parameter: '${name}'.`,
        'unknown_parameter',
      ] as const,
  ),
  ['a small limit', { max_output_tokens: 15 }, 'Expected a value >= 16', 'integer_below_min_value'],
  [
    'unknown item',
    { input: [{ type: 'thinking' }] },
    "Invalid value: 'thinking'. Supported values are: 'message',",
    'invalid_value',
  ],
  [
    'output text of a user',
    { input: [{ role: 'user', content: [{ type: 'output_text', text: 'x' }] }] },
    "Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image', and 'input_file'.",
  ],
  [
    'input text of the assistant',
    { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }] },
    "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
  ],
  [
    'output without a call',
    { input: [user, output()] },
    'No tool call found for function call output with call_id c1.',
  ],
  ['call without an output', { input: [user, call()] }, 'No tool output found for function call c1.'],
  [
    'empty call id',
    { input: [user, call({ call_id: '' })] },
    "Invalid 'input[1].call_id': empty string.",
    'empty_string',
  ],
  [
    'long call id',
    { input: [user, call({ call_id: 'x'.repeat(65) })] },
    'maximum length 64',
    'string_above_max_length',
  ],
  ['call id twice', { input: [user, call(), call(), output()] }, 'Duplicate item found with call_id c1.'],
  [
    'id of another kind',
    { input: [user, call({ id: 'call_x' }), output()] },
    "Invalid 'input[1].id': 'call_x'. Expected an ID that begins with 'fc'.",
  ],
  [
    'raw reasoning',
    { input: [user, reasoning({ content: [{}] }), call(), output()] },
    'array too long. Expected an array with maximum length 0',
  ],
  [
    'reasoning without a summary',
    { input: [user, { type: 'reasoning', id: 'rs_1' }, call(), output()] },
    "Missing required parameter: 'input[1].summary'.",
  ],
  [
    'reasoning at the end',
    { input: [user, reasoning()] },
    "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
  ],
  [
    'foreign reasoning',
    { input: [user, reasoning({ encrypted_content: 'gAAAAAfromelsewhere' }), call(), output()] },
    'could not be verified',
    'invalid_encrypted_content',
  ],
  [
    'unknown previous response',
    { previous_response_id: 'resp_x' },
    "Previous response with id 'resp_x' not found.",
    'previous_response_not_found',
  ],
  [
    'previous response and conversation',
    { previous_response_id: 'resp_x', conversation: 'c' },
    'Mutually exclusive parameters',
  ],
  [
    'reference to nothing',
    { input: [{ type: 'item_reference', id: 'msg_1' }] },
    "Item with id 'msg_1' not found.",
  ],
  [
    'nested function',
    { tools: [{ type: 'function', function: { name: 'f' } }] },
    "Unknown parameter: 'tools[0].function'.",
  ],
  [
    'tool without a name',
    { tools: [{ type: 'function', parameters: {} }] },
    "Missing required parameter: 'tools[0].name'.",
  ],
  [
    'tool without parameters',
    { tools: [{ type: 'function', name: 'f' }] },
    "Missing required parameter: 'tools[0].parameters'.",
  ],
  [
    'choice without a name',
    { tools: [tool()], tool_choice: { type: 'function' } },
    "Missing required parameter: 'tool_choice.name'.",
  ],
  [
    'choice of an unknown tool',
    { tools: [tool()], tool_choice: { type: 'function', name: 'g' } },
    "Tool choice 'g' not found",
  ],
  [
    'empty output',
    { input: [user, call(), output({ output: [] })] },
    "Missing required parameter: 'input[2].content[0]'.",
  ],
  [
    'error in an output',
    { input: [user, call(), output({ error: 'x' })] },
    "Unknown parameter: 'input[2].error'.",
  ],
  [
    'temperature on a reasoning model',
    { temperature: 0.5 },
    "'temperature' does not support 0.5 with this model.",
  ],
  [
    'summary without reasoning',
    { model: 'gpt-4o', reasoning: { summary: 'auto' } },
    "'reasoning.summary' is not supported",
  ],
  [
    'effort of another model',
    { reasoning: { effort: 'xhigh' } },
    "'xhigh' is not supported with the 'gpt-5' model",
  ],
  ['logprobs not included', { model: 'gpt-4o', top_logprobs: 3 }, "'message.output_text.logprobs'"],
  [
    'stream options alone',
    { stream_options: { include_obfuscation: false } },
    "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  ],
  [
    'format without a name',
    { text: { format: { type: 'json_schema', schema: {} } } },
    "Missing required parameter: 'text.format.name'.",
  ],
  [
    'strict schema that is loose',
    { tools: [tool({ strict: true, parameters: { type: 'object' } })] },
    "'additionalProperties' is required",
    'invalid_function_parameters',
  ],
  ['no input', { input: undefined }, "Missing required parameter: 'input'."],
  [
    'context overflow',
    { input: 'a b '.repeat(500_000) },
    'Your input exceeds the context window of this model.',
    'context_length_exceeded',
  ],
];

describe('Responses refuses', () => {
  for (const [wrong, change, words, code] of ROWS) {
    it(wrong, async () => {
      const received = await post({
        url: `${simulator.url}/v1/responses`,
        headers: { authorization: 'Bearer sk-sim-openai' },
        body: { model: 'gpt-5', input: [user], ...change },
      });
      const { error } = JSON.parse(received.text) as { error: Record<string, unknown> };
      expect([received.status, error.type]).toEqual([400, 'invalid_request_error']);
      expect(error.message).toContain(words);
      if (code !== undefined) expect(error.code).toBe(code);
    });
  }
});

describe('Responses takes', () => {
  it('fields that Codex sends and no specification has: ids of its installation and turn', async () => {
    const received = await post({
      url: `${simulator.url}/v1/responses`,
      headers: { authorization: 'Bearer sk-sim-openai' },
      body: { model: 'gpt-5', input: [user], client_metadata: { turn_id: 't', thread_id: 'u' } },
    });
    expect(received.status).toBe(200);
  });
});
