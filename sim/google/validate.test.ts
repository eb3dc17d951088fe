import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../server.ts';
import { post, type Received } from '../suite/wire-client.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

function send(path: string, body: unknown): Promise<Received> {
  return post({ url: `${simulator.url}/${path}`, headers: { 'x-goog-api-key': 'sk-sim-google' }, body });
}

const user = { role: 'user', parts: [{ text: 'hi' }] };
const model = (...parts: object[]): object => ({ role: 'model', parts });
const call = { functionCall: { name: 'f', args: {} } };
const response = { functionResponse: { name: 'f', response: { output: 'x' } } };
const answer = { role: 'user', parts: [response] };
const declare = (more: object = {}): object => ({
  tools: [{ functionDeclarations: [{ name: 'f', ...more }] }],
});
const config = (generationConfig: object): object => ({ generationConfig });
const think = (thinkingConfig: object): object => config({ thinkingConfig });
const allow = (mode: string): object => ({
  ...declare(),
  toolConfig: { functionCallingConfig: { mode, allowedFunctionNames: ['f'] } },
});
const PLACE = '* GenerateContentRequest.tools[0].function_declarations[0].parameters';
const TURNS =
  'Please ensure that the number of function response parts is equal to the number of function call parts';

const ROWS: readonly (readonly [string, object, string])[] = [
  [
    'a field of another search',
    { tools: [{ googleSearch: { allowed_domains: [] } }] },
    'Unknown name "allowed_domains" at \'tools[0].google_search\': Cannot find field.',
  ],
  [
    'a search by its old name',
    { tools: [{ googleSearchRetrieval: {} }] },
    'google_search_retrieval is not supported. Please use google_search tool instead.',
  ],
  [
    'unknown field',
    { frobnicate: 1 },
    'Invalid JSON payload received. Unknown name "frobnicate": Cannot find field.',
  ],
  [
    'unknown field inside',
    { contents: [{ parts: [{ text: 'x', cache_control: {} }] }] },
    'Unknown name "cache_control" at \'contents[0].parts[0]\': Cannot find field.',
  ],
  [
    'unknown keyword of a schema',
    declare({ parameters: { type: 'OBJECT', additionalProperties: false } }),
    'Unknown name "additionalProperties" at \'tools[0].function_declarations[0].parameters\': Cannot find field.',
  ],
  [
    'list of types',
    declare({ parameters: { type: ['STRING', 'NULL'] } }),
    'Proto field is not repeating, cannot start list.',
  ],
  [
    'unknown enum',
    { toolConfig: { functionCallingConfig: { mode: 'SOME' } } },
    "Invalid value at 'tool_config.function_calling_config.mode' (type.googleapis.com/",
  ],
  ['no contents', { contents: [] }, 'contents is not specified'],
  ['no parts', { contents: [{ role: 'user', parts: [] }] }, 'contents.parts must not be empty.'],
  [
    'part without payload',
    { contents: [{ parts: [{ thought: true }] }] },
    "contents[0].parts[0].data: required oneof field 'data' must have one initialized field",
  ],
  [
    'empty text',
    { contents: [{ parts: [{ text: '' }] }] },
    "required oneof field 'data' must have one initialized field",
  ],
  [
    'empty system text',
    { systemInstruction: { parts: [{ text: '' }] } },
    "system_instruction.parts[0].data: required oneof field 'data'",
  ],
  ['two payloads', { contents: [{ parts: [{ text: 'x', ...call }] }] }, "oneof field 'data' is already set"],
  [
    'bad role',
    { contents: [{ role: 'assistant', parts: [{ text: 'x' }] }] },
    'Please use a valid role: user, model.',
  ],
  [
    'model last',
    { contents: [user, model({ text: 'x' })] },
    'Please ensure that multiturn requests ends with a user role or a function response',
  ],
  [
    'call first',
    { contents: [model(call), answer] },
    'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
  ],
  [
    'response without a call',
    { contents: [user, answer] },
    'Please ensure that function response turn comes immediately after a function call turn.',
  ],
  ['fewer responses than calls', { contents: [user, model(call, call), answer] }, TURNS],
  ['call without a response', { contents: [user, model(call), user] }, TURNS],
  [
    'nameless response',
    { contents: [user, model(call), { parts: [{ functionResponse: { response: {} } }] }] },
    'function_response.name: Name cannot be empty.',
  ],
  [
    'bad function name',
    { tools: [{ functionDeclarations: [{ name: '1f' }] }] },
    'Invalid function name. Must start with a letter or an underscore.',
  ],
  [
    'name twice',
    { tools: [{ functionDeclarations: [{ name: 'f' }, { name: 'f' }] }] },
    'Duplicate function declaration found: f',
  ],
  [
    'both kinds of parameters',
    declare({ parameters: { type: 'STRING' }, parametersJsonSchema: {} }),
    'mutually exclusive',
  ],
  [
    'object of nothing',
    declare({ parameters: { type: 'OBJECT', properties: { a: { type: 'OBJECT', properties: {} } } } }),
    `${PLACE}.properties[a].properties: should be non-empty for OBJECT type`,
  ],
  [
    'enum of numbers',
    declare({ parameters: { type: 'INTEGER', enum: ['1'] } }),
    `${PLACE}.enum: only allowed for STRING type`,
  ],
  [
    'required that is not there',
    declare({ parameters: { type: 'OBJECT', properties: { a: { type: 'STRING' } }, required: ['b'] } }),
    `${PLACE}.required[0]: property is not defined`,
  ],
  [
    'allowed names with AUTO',
    allow('AUTO'),
    'allowed_function_names should only be set when the mode is ANY',
  ],
  [
    'allowed name nobody declared',
    { ...allow('ANY'), tools: [{ functionDeclarations: [{ name: 'g' }] }] },
    'undeclared function: f',
  ],
  [
    'level and budget',
    think({ thinkingBudget: 5, thinkingLevel: 'LOW' }),
    'You can only set only one of thinking budget and thinking level.',
  ],
  [
    'level without levels',
    think({ thinkingLevel: 'LOW' }),
    'Thinking level is not supported for this model.',
  ],
  [
    'budget above',
    think({ thinkingBudget: 24_577 }),
    'The thinking budget 24577 is invalid. Please choose a value between 0 and 24576.',
  ],
  [
    'JSON and functions',
    { ...declare(), ...config({ responseMimeType: 'application/json' }) },
    "Function calling with a response mime type: 'application/json' is unsupported",
  ],
  [
    'built-in and functions',
    { tools: [{ functionDeclarations: [{ name: 'f' }] }, { googleSearch: {} }] },
    'Tool use with function calling is unsupported',
  ],
  ['temperature above', config({ temperature: 2.5 }), 'temperature must be in the range [0, 2].'],
  ['topP above', config({ topP: 1.5 }), 'top_p must be in the range [0, 1].'],
  ['six stops', config({ stopSequences: ['a', 'b', 'c', 'd', 'e', 'f'] }), 'must not exceed 5'],
  ['nine candidates', config({ candidateCount: 9 }), 'candidate_count must be in the range [1, 8].'],
  ['penalty', config({ presencePenalty: 1 }), 'Penalty is not enabled for this model'],
  ['large seed', config({ seed: 2 ** 31 }), 'seed must be in the range'],
  ['logprobs alone', config({ logprobs: 3 }), 'logprobs can only be set when response_logprobs is true.'],
  [
    'schema without JSON',
    config({ responseSchema: { type: 'STRING' } }),
    "only allowed when response_mime_type is 'application/json'",
  ],
  ['limit above the model', config({ maxOutputTokens: 65_537 }), 'maxOutputTokens value of 65537'],
  [
    'pictures from a text model',
    config({ responseModalities: ['IMAGE'] }),
    'response modalities (IMAGE) is not supported',
  ],
  [
    'cache and system',
    { cachedContent: 'cachedContents/x', systemInstruction: user },
    'CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.',
  ],
  [
    'data without a type',
    { contents: [{ parts: [{ inlineData: { data: 'AA==' } }] }] },
    'inline_data.mime_type: must be specified',
  ],
  [
    'data of an unknown type',
    { contents: [{ parts: [{ inlineData: { mimeType: 'image/bmp', data: 'AA==' } }] }] },
    'Unsupported MIME type: image/bmp',
  ],
  [
    'foreign signature',
    { contents: [user, model({ ...call, thoughtSignature: 'Zm9v' }), answer] },
    'Corrupted thought signature.',
  ],
  [
    'long prompt',
    { contents: [{ parts: [{ text: 'a b '.repeat(1_200_000) }] }] },
    'exceeds the maximum number of tokens allowed (1048576).',
  ],
];

interface Failure {
  readonly error: { readonly code: number; readonly message: string; readonly status: string };
}

describe('generateContent refuses', () => {
  for (const [wrong, change, words] of ROWS) {
    it(wrong, async () => {
      const received = await send('v1beta/models/gemini-2.5-flash:generateContent', {
        contents: [user],
        ...change,
      });
      const { error } = JSON.parse(received.text) as Failure;
      expect([received.status, error.code, error.status]).toEqual([400, 400, 'INVALID_ARGUMENT']);
      expect(error.message).toContain(words);
    });
  }

  it('a missing key, unknown models, unknown caches, and what v1 does not have', async () => {
    const path = 'v1beta/models/gemini-2.5-flash:generateContent';
    const keyless = await post({ url: `${simulator.url}/${path}`, headers: {}, body: {} });
    expect([keyless.status, keyless.text.includes("Method doesn't allow unregistered callers")]).toEqual([
      403,
      true,
    ]);
    const unknown = await send('v1beta/models/gemini-0:generateContent', {});
    expect(unknown.status).toBe(404);
    expect(unknown.text).toContain(
      'models/gemini-0 is not found for API version v1beta, or is not supported for generateContent',
    );
    expect((await send(path, { contents: [user], cachedContent: 'cachedContents/x' })).status).toBe(403);
    const old = await send('v1/models/gemini-2.5-flash:generateContent', {
      contents: [user],
      systemInstruction: user,
    });
    expect([old.status, old.text.includes('Unknown name \\"systemInstruction\\"')]).toEqual([400, true]);
  });

  it('levels and budgets that Gemini 3 and 2.5 pro do not have', async () => {
    const ask = async (name: string, change: object): Promise<string> =>
      (await send(`v1beta/models/${name}:generateContent`, { contents: [user], ...change })).text;
    expect(await ask('gemini-3-pro', think({ thinkingLevel: 'MEDIUM' }))).toContain(
      'Thinking level MEDIUM is not supported',
    );
    expect(await ask('gemini-2.5-pro', think({ thinkingBudget: 0 }))).toContain('Budget 0 is invalid.');
    expect(await ask('gemini-2.5-pro', think({ thinkingBudget: 100 }))).toContain('between 128 and 32768');
  });

  it('a count with anything beside the contents, and takes both spellings', async () => {
    const path = 'v1beta/models/gemini-2.5-flash:countTokens';
    expect((await send(path, { contents: [user], systemInstruction: user })).status).toBe(400);
    const request = { model: 'models/gemini-2.5-flash', contents: [user], system_instruction: user };
    expect((await send(path, { generate_content_request: request })).text).toContain('"totalTokens": 3');
    const snake = {
      contents: [user],
      generation_config: { max_output_tokens: 3, thinking_config: { thinking_budget: 0 } },
    };
    const received = await send('v1beta/models/gemini-2.5-flash%3AgenerateContent', snake);
    expect([received.status, received.text.includes('MAX_TOKENS')]).toEqual([200, true]);
  });
});
