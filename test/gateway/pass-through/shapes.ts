import { startWorld, type World } from '../../support/world.ts';
import { type RecordingVendor, startRecordingVendor } from './recording-vendor.ts';

/**
 * The five shapes of rule I-1 to rule I-5 as a client of each would call them. `MODEL` stands for the value
 * that is replaced on the way: the platform's name on the client's side, the vendor's own on the other.
 */
export interface Shape {
  readonly name: string;
  readonly path: string;
  readonly streamPath: string;
  /** Where the vendor is called. */
  readonly vendorPath: string;
  readonly vendorStreamPath: string;
  /** Members that ask for a stream; generateContent asks in its path. */
  readonly streamMember: string;
  /** A plain answer of the vendor with nothing odd in it. */
  readonly answer: string;
}

/** What the client says. A slash, because real catalogues have such names. */
export const PLATFORM_MODEL = 'acme/model-9';
/** What the vendor is told and answers with. */
export const VENDOR_MODEL = 'vendor-model-2026-08-01';

const GEMINI = `/v1beta/models/${PLATFORM_MODEL}`;
const GEMINI_VENDOR = `/v1beta/models/${VENDOR_MODEL}`;

export const CHAT: Shape = {
  name: 'Chat Completions',
  path: '/v1/chat/completions',
  streamPath: '/v1/chat/completions',
  vendorPath: '/v1/chat/completions',
  vendorStreamPath: '/v1/chat/completions',
  streamMember: '"stream":true,',
  answer: '{"id":"c","model":"MODEL","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}',
};

export const RESPONSES: Shape = {
  name: 'Responses',
  path: '/v1/responses',
  streamPath: '/v1/responses',
  vendorPath: '/v1/responses',
  vendorStreamPath: '/v1/responses',
  streamMember: '"stream":true,',
  answer: '{"id":"r","model":"MODEL","output":[],"usage":{"input_tokens":3,"output_tokens":4}}',
};

export const MESSAGES: Shape = {
  name: 'Messages',
  path: '/v1/messages',
  streamPath: '/v1/messages',
  vendorPath: '/v1/messages',
  vendorStreamPath: '/v1/messages',
  streamMember: '"stream":true,',
  answer:
    '{"type":"message","model":"MODEL","content":[],"stop_reason":"end_turn",' +
    '"usage":{"input_tokens":3,"output_tokens":4}}',
};

export const GENERATE: Shape = {
  name: 'generate-content',
  path: `${GEMINI}:generateContent`,
  streamPath: `${GEMINI}:streamGenerateContent?alt=sse`,
  vendorPath: `${GEMINI_VENDOR}:generateContent`,
  vendorStreamPath: `${GEMINI_VENDOR}:streamGenerateContent?alt=sse`,
  streamMember: '',
  answer:
    '{"candidates":[{"finishReason":"STOP"}],"modelVersion":"MODEL",' +
    '"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":4,"totalTokenCount":7}}',
};

export const IMAGES: Shape = {
  name: 'Images',
  path: '/v1/images/generations',
  streamPath: '/v1/images/generations',
  vendorPath: '/v1/images/generations',
  vendorStreamPath: '/v1/images/generations',
  streamMember: '"stream":true,',
  answer: '{"created":1,"model":"MODEL","data":[{"b64_json":"QUJD"}]}',
};

export const SHAPES: readonly Shape[] = [CHAT, RESPONSES, MESSAGES, GENERATE, IMAGES];

const passed = (name: string, path: string, answer: string): Shape => ({
  ...{ name, path, streamPath: path, vendorPath: path, vendorStreamPath: path, streamMember: '', answer },
});

/** The protocols of which only plain answers are looked at. */
export const PASSED_SHAPES: readonly Shape[] = [
  passed('Embeddings', '/v1/embeddings', '{"model":"MODEL","data":[],"usage":{"prompt_tokens":3}}'),
  passed('Moderations', '/v1/moderations', '{"id":"m","model":"MODEL","results":[]}'),
  passed('Rerank', '/v1/rerank', '{"model":"MODEL","results":[],"usage":{"total_tokens":3}}'),
  passed('Completions', '/v1/completions', '{"model":"MODEL","choices":[],"usage":{"prompt_tokens":3}}'),
];

/** `MODEL` with one of its two values, quotes left alone. */
export function withModel(text: string, model: string): Buffer {
  return Buffer.from(text.replaceAll('MODEL', model));
}

export interface RecordedWorld extends World {
  readonly vendor: RecordingVendor;
}

/** One model that every shape reaches, at a vendor that writes down what it hears. */
export async function startRecordedWorld(): Promise<RecordedWorld> {
  const vendor = await startRecordingVendor();
  const world = await startWorld({ catalog: CATALOG, environment: { VENDOR: vendor.url } });
  const close = async (): Promise<void> => {
    await world.close();
    await vendor.close();
  };
  return { ...world, vendor, close };
}

const OPENAI = ['chat', 'responses', 'images', 'embeddings', 'moderations', 'rerank', 'completions'];
const CATALOG = `
defaults: { policy: 1, user_rate: 100, api_billing: true, auto_exchange: false }
vendors:
  - { code: openai, name: OpenAI, icon: o, protocols: [${OPENAI.join(', ')}], base_url: "\${VENDOR}/v1" }
  - { code: anthropic, name: Anthropic, icon: a, protocols: [messages], base_url: "\${VENDOR}" }
  - { code: google, name: Google, icon: g, protocols: [gemini], base_url: "\${VENDOR}" }
credentials:
  - { name: openai-main, vendor: openai, secret: sk-of-the-house }
  - { name: anthropic-main, vendor: anthropic, secret: sk-of-the-house }
  - { name: google-main, vendor: google, secret: sk-of-the-house }
models:
  - model_id: ${PLATFORM_MODEL}
    name: Model 9
    prices: { input: "10", output: "30", image: "0.3" }
    max_output_tokens: 1000
    routes:
      - { vendor: openai, credential: openai-main, forward_model_id: ${VENDOR_MODEL} }
      - { vendor: anthropic, credential: anthropic-main, forward_model_id: ${VENDOR_MODEL} }
      - { vendor: google, credential: google-main, forward_model_id: ${VENDOR_MODEL} }
policies:
  - { id: 1, name: default, concurrency: 500, windows: [] }
accounts:
  - { email: user@example.com, password: "a test password", user_type: 1, credits: "500000" }
`;
