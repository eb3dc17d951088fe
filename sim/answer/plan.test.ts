import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeWord } from '../request/directive.ts';
import { type Simulator, startSimulator } from '../server.ts';
import { post } from '../suite/wire-client.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const ARGUMENTS = { path: '/a folder/[1] 100%.txt', lines: [1, 2] };
const NAME = 'files__read_file';
const parameters = {
  type: 'object',
  properties: { path: { type: 'string' }, lines: { type: 'array', items: { type: 'integer' } } },
  required: ['path'],
};
const declared = { name: NAME, description: 'Reads a file.', parameters };

function prompt(tag: string): string {
  return `read it [[sim tag=${tag} tool=read_file args=${encodeWord(JSON.stringify(ARGUMENTS))}]]`;
}

interface Dialect {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: (text: string) => object;
  /** Name and arguments of the first call in a plain answer. */
  readonly called: (answer: unknown) => unknown;
}

const DIALECTS: readonly Dialect[] = [
  {
    name: 'chat',
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer sk-sim-openai' },
    body: (content) => ({
      model: 'gpt-4o',
      messages: [{ role: 'user', content }],
      tools: [{ type: 'function', function: declared }],
    }),
    called: (answer) => {
      const { choices } = answer as {
        choices: { message: { tool_calls: { function: { name: string; arguments: string } }[] } }[];
      };
      const call = choices[0]?.message.tool_calls[0]?.function;
      return [call?.name, JSON.parse(call?.arguments ?? '')];
    },
  },
  {
    name: 'responses',
    path: '/v1/responses',
    headers: { authorization: 'Bearer sk-sim-openai' },
    body: (input) => ({ model: 'gpt-4o', input, tools: [{ type: 'function', strict: false, ...declared }] }),
    called: (answer) => {
      const { output } = answer as { output: { type: string; name: string; arguments: string }[] };
      const call = output.find(({ type }) => type === 'function_call');
      return [call?.name, JSON.parse(call?.arguments ?? '')];
    },
  },
  {
    name: 'messages',
    path: '/v1/messages',
    headers: { 'x-api-key': 'sk-sim-anthropic', 'anthropic-version': '2023-06-01' },
    body: (content) => ({
      model: 'claude-opus-5',
      max_tokens: 500,
      messages: [{ role: 'user', content }],
      tools: [{ name: NAME, input_schema: parameters }],
    }),
    called: (answer) => {
      const { content } = answer as { content: { type: string; name: string; input: unknown }[] };
      const call = content.find(({ type }) => type === 'tool_use');
      return [call?.name, call?.input];
    },
  },
  {
    name: 'generateContent',
    path: '/v1beta/models/gemini-3-pro:generateContent',
    headers: { 'x-goog-api-key': 'sk-sim-google' },
    body: (text) => ({
      contents: [{ role: 'user', parts: [{ text }] }],
      tools: [{ functionDeclarations: [declared] }],
    }),
    called: (answer) => {
      const { candidates } = answer as {
        candidates: { content: { parts: { functionCall?: { name: string; args: unknown } }[] } }[];
      };
      const call = candidates[0]?.content.parts.find((part) => part.functionCall !== undefined)?.functionCall;
      return [call?.name, call?.args];
    },
  },
];

describe('the bound on the output', () => {
  it.each([
    ['', 10],
    ['unbounded', 30],
  ])('is kept unless the test says otherwise: "%s"', async (word, tokens) => {
    const { text } = await post({
      url: `${simulator.url}/v1/chat/completions`,
      headers: { authorization: 'Bearer sk-sim-openai' },
      body: {
        model: 'gpt-4o',
        max_tokens: 10,
        messages: [{ role: 'user', content: `[[sim tokens=30 ${word}]]` }],
      },
    });
    expect(JSON.parse(text)).toMatchObject({ usage: { completion_tokens: tokens } });
  });
});

describe('a call with arguments of the test', () => {
  for (const { name, path, headers, body, called } of DIALECTS) {
    it(`is made exactly so in ${name}`, async () => {
      const received = await post({ url: simulator.url + path, headers, body: body(prompt(name)) });
      expect(called(JSON.parse(received.text))).toEqual([NAME, ARGUMENTS]);
      const said = simulator.truth.find(name)?.said?.calls[0];
      expect([said?.name, JSON.parse(said?.arguments ?? '')]).toEqual([NAME, ARGUMENTS]);
    });
  }
});
