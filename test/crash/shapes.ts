/** The five ways to call, as far as a client must know them to judge what it got and what it should cost. */
export interface Shape {
  readonly name: string;
  readonly model: string;
  readonly vendor: 'openai' | 'anthropic' | 'google' | 'images';
  /** Yuan per million tokens, or per image: high enough that any call costs more than one Credit. */
  readonly price: { readonly input: number; readonly output: number; readonly image: number };
  path(way: Way): string;
  body(prompt: string, way: Way): object;
  /** One match is one token of the simulator's with `chunk=1`. */
  readonly token: RegExp;
  /** A client that has seen this has the whole answer. */
  readonly terminator: string;
}

export type Way = 'stream' | 'plain';

const streamed = (way: Way): object => (way === 'stream' ? { stream: true } : {});
const OPENAI_PRICE = { input: 100, output: 300, image: 0 };

export const CHAT: Shape = {
  name: 'chat',
  model: 'gpt-5',
  vendor: 'openai',
  price: OPENAI_PRICE,
  path: () => '/v1/chat/completions',
  body: (content, way) => ({
    model: 'gpt-5',
    messages: [{ role: 'user', content }],
    max_completion_tokens: 1000,
    ...streamed(way),
  }),
  token: /"delta":\{"content":"/g,
  terminator: 'data: [DONE]',
};

export const RESPONSES: Shape = {
  name: 'responses',
  model: 'gpt-5',
  vendor: 'openai',
  price: OPENAI_PRICE,
  path: () => '/v1/responses',
  body: (input, way) => ({ model: 'gpt-5', input, max_output_tokens: 1000, ...streamed(way) }),
  token: /"type":"response\.output_text\.delta"/g,
  terminator: '"type":"response.completed"',
};

export const MESSAGES: Shape = {
  name: 'messages',
  model: 'claude-sonnet-5',
  vendor: 'anthropic',
  price: { input: 200, output: 1000, image: 0 },
  path: () => '/v1/messages',
  body: (content, way) => ({
    model: 'claude-sonnet-5',
    messages: [{ role: 'user', content }],
    max_tokens: 1000,
    ...streamed(way),
  }),
  token: /"type":"text_delta"/g,
  terminator: '"type":"message_stop"',
};

export const GEMINI: Shape = {
  name: 'gemini',
  model: 'gemini-3-pro',
  vendor: 'google',
  price: { input: 80, output: 600, image: 0 },
  path: (way) =>
    way === 'stream'
      ? '/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse'
      : '/v1beta/models/gemini-3-pro:generateContent',
  body: (text) => ({
    contents: [{ role: 'user', parts: [{ text }] }],
    generationConfig: { maxOutputTokens: 1000 },
  }),
  token: /"parts": \[\{"text": "[^"]/g,
  terminator: '"finishReason": "STOP"',
};

export const IMAGES: Shape = {
  name: 'images',
  model: 'gpt-image-1',
  vendor: 'images',
  price: { input: 0, output: 0, image: 0.3 },
  path: () => '/v1/images/generations',
  body: (prompt) => ({ model: 'gpt-image-1', prompt }),
  token: /"b64_json"/g,
  terminator: '',
};

export const TEXT_SHAPES: readonly Shape[] = [CHAT, RESPONSES, MESSAGES, GEMINI];

/** For installations of two nodes. */
export const TWO_NODES = `
nodes: [{ name: north, base_url: "http://north.example" }, { name: south, base_url: "http://south.example" }]
`;

/** One rich account, so that only what is under test can refuse a call. */
export const CRASH_CATALOG = `
defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false }
vendors:
  - { code: openai, name: OpenAI, protocols: [chat, responses, images], base_url: "\${SIM}/v1", byok: true }
  - { code: anthropic, name: Anthropic, protocols: [messages], base_url: "\${SIM}", byok: true }
  - { code: google, name: Google, protocols: [gemini], base_url: "\${SIM}", byok: true }
credentials:
  - { name: openai-main, vendor: openai, secret: sk-sim-openai }
  - { name: anthropic-main, vendor: anthropic, secret: sk-sim-anthropic }
  - { name: google-main, vendor: google, secret: sk-sim-google }
models:
  - model_id: gpt-5
    prices: { input: "100", output: "300" }
    max_output_tokens: 128000
    routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-4.1 }]
  - model_id: claude-sonnet-5
    prices: { input: "200", output: "1000" }
    max_output_tokens: 64000
    routes: [{ vendor: anthropic, credential: anthropic-main, forward_model_id: claude-sonnet-4-5 }]
  - model_id: gemini-3-pro
    prices: { input: "80", output: "600" }
    max_output_tokens: 65536
    routes: [{ vendor: google, credential: google-main, forward_model_id: gemini-2.5-flash-lite }]
  - model_id: gpt-image-1
    prices: { image: "0.3" }
    support_features: [image]
    routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-image-1, protocols: [images] }]
policies:
  - { id: 1, name: default, concurrency: 1000, windows: [{ dimension: requests, seconds: 60, limit: 1000000 }] }
accounts:
  - { email: user@example.com, password: "a test password", user_type: 1, credits: "100000000" }
`;
