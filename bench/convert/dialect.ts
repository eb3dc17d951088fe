/**
 * The four text protocols as the benchmark of conversions needs them: what a client sends, how the vendor
 * streams its answer, and how the client tells that a stream is complete. The vendors all say the same, word
 * by word, because the number of events is what costs are measured by.
 */
export const DIALECT_NAMES = ['chat', 'responses', 'messages', 'gemini'] as const;
export type DialectName = (typeof DIALECT_NAMES)[number];

export interface BenchDialect {
  /** Where a client asks for a stream, and with what. */
  path(model: string): string;
  requestBody(model: string, prompt: string): object;
  /** The vendor's path ends like this. */
  readonly vendorPath: string;
  /** The vendor's events, each as it goes over the wire; the texts stand in as many events in the middle. */
  vendorEvents(texts: readonly string[]): readonly string[];
  /** What stands before the text in an event of a client's stream that holds some. */
  readonly textMarker: string;
  /** Events of a client's stream besides those with the text. */
  readonly eventsAround: number;
  readonly usageMarker: string;
  readonly terminator: string;
}

export const CONTENT_CHUNKS = 500;
const MODEL = 'bench-upstream-2026-01-01';
const INPUT_TOKENS = 220;

/** What a vendor says: mostly plain words, now and then an escape or a letter beyond ASCII. */
export const TEXTS: readonly string[] = Array.from({ length: CONTENT_CHUNKS }, (_, index) => {
  if (index % 20 === 7) return ` "word${index}"\n`;
  return index % 20 === 13 ? ` wörd${index} →` : ` word${index}`;
});

function dataEvent(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function typedEvent(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

const chat: BenchDialect = {
  path: () => '/v1/chat/completions',
  requestBody: (model, prompt) => ({
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: prompt }],
  }),
  vendorPath: '/chat/completions',
  vendorEvents: (texts) => {
    const envelope = {
      id: 'chatcmpl-Bx7Qm2VtK9sPz4LwYcR1nE8d',
      object: 'chat.completion.chunk',
      created: 1767225600,
      model: MODEL,
      service_tier: 'default',
      system_fingerprint: 'fp_3f58d112f7',
    };
    const chunk = (delta: object, finish: string | null): string => {
      const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
      return dataEvent({ ...envelope, choices, usage: null, obfuscation: 'p7Xw2Q' });
    };
    const usage = {
      prompt_tokens: INPUT_TOKENS,
      completion_tokens: texts.length,
      total_tokens: INPUT_TOKENS + texts.length,
    };
    return [
      chunk({ role: 'assistant', content: '', refusal: null }, null),
      ...texts.map((content) => chunk({ content }, null)),
      chunk({}, 'stop'),
      dataEvent({ ...envelope, choices: [], usage }),
      'data: [DONE]\n\n',
    ];
  },
  textMarker: '"delta":{"content":',
  eventsAround: 4,
  usageMarker: `"total_tokens":${INPUT_TOKENS + CONTENT_CHUNKS}`,
  terminator: 'data: [DONE]\n\n',
};

const responses: BenchDialect = {
  path: () => '/v1/responses',
  // Kept answers are another matter, which conversions are not measured by.
  requestBody: (model, prompt) => ({ model, stream: true, store: false, input: prompt }),
  vendorPath: '/responses',
  vendorEvents: responsesEvents,
  textMarker: '"delta":',
  eventsAround: 8,
  usageMarker: `"total_tokens":${INPUT_TOKENS + CONTENT_CHUNKS}`,
  terminator: 'event: response.completed\n',
};

function responsesEvents(texts: readonly string[]): readonly string[] {
  const place = { item_id: 'msg_0d8f4b1c2e7a69530068f2a1b4c7d8819', output_index: 0, content_index: 0 };
  let number = 0;
  const event = (type: string, fields: object): string =>
    typedEvent(type, { sequence_number: number++, ...fields });
  const whole = texts.join('');
  const part = (text: string): object => ({ type: 'output_text', annotations: [], logprobs: [], text });
  const item = (status: string, content: readonly object[]): object => ({
    id: place.item_id,
    type: 'message',
    status,
    content,
    role: 'assistant',
  });
  const usage = {
    input_tokens: INPUT_TOKENS,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: texts.length,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: INPUT_TOKENS + texts.length,
  };
  const response = { id: 'resp_0d8f4b1c2e7a6953', object: 'response', created_at: 1767225600, model: MODEL };
  const opening = { response: { ...response, status: 'in_progress', output: [], usage: null } };
  const output = [item('completed', [part(whole)])];
  return [
    event('response.created', opening),
    event('response.in_progress', opening),
    event('response.output_item.added', { output_index: 0, item: item('in_progress', []) }),
    event('response.content_part.added', { ...place, part: part('') }),
    ...texts.map((delta) =>
      event('response.output_text.delta', { ...place, delta, logprobs: [], obfuscation: 'p7Xw2Q4kZ' }),
    ),
    event('response.output_text.done', { ...place, text: whole, logprobs: [] }),
    event('response.content_part.done', { ...place, part: part(whole) }),
    event('response.output_item.done', { output_index: 0, item: output[0] }),
    event('response.completed', { response: { ...response, status: 'completed', output, usage } }),
  ];
}

const messages: BenchDialect = {
  path: () => '/v1/messages',
  requestBody: (model, prompt) => ({
    model,
    stream: true,
    max_tokens: 4096,
    messages: [{ role: 'user', content: prompt }],
  }),
  vendorPath: '/messages',
  vendorEvents: (texts) => {
    const message = {
      id: 'msg_01XFDUDYJgAACzvnptvVoYEL',
      type: 'message',
      role: 'assistant',
      model: MODEL,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: INPUT_TOKENS, output_tokens: 1 },
    };
    const delta = { stop_reason: 'end_turn', stop_sequence: null };
    const block = { index: 0, content_block: { type: 'text', text: '' } };
    const said = (text: string): object => ({ index: 0, delta: { type: 'text_delta', text } });
    return [
      typedEvent('message_start', { message }),
      typedEvent('content_block_start', block),
      ...texts.map((text) => typedEvent('content_block_delta', said(text))),
      typedEvent('content_block_stop', { index: 0 }),
      typedEvent('message_delta', { delta, usage: { output_tokens: texts.length } }),
      typedEvent('message_stop', {}),
    ];
  },
  textMarker: '"text_delta","text":',
  eventsAround: 5,
  usageMarker: `"output_tokens":${CONTENT_CHUNKS}`,
  terminator: 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
};

const gemini: BenchDialect = {
  path: (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
  requestBody: (_model, prompt) => ({ contents: [{ role: 'user', parts: [{ text: prompt }] }] }),
  vendorPath: ':streamGenerateContent?alt=sse',
  vendorEvents: (texts) => {
    const chunk = (text: string, tokens: number, finish: object): string =>
      dataEvent({
        candidates: [{ content: { parts: [{ text }], role: 'model' }, ...finish, index: 0 }],
        usageMetadata: {
          promptTokenCount: INPUT_TOKENS,
          candidatesTokenCount: tokens,
          totalTokenCount: INPUT_TOKENS + tokens,
        },
        modelVersion: MODEL,
        responseId: 'pXbRaJ3zGvmUjMcP1s6N2Ac',
      });
    return [
      ...texts.map((text, index) => chunk(text, index + 1, {})),
      chunk('', texts.length, { finishReason: 'STOP' }),
    ];
  },
  textMarker: '"parts":[{"text":',
  eventsAround: 1,
  usageMarker: `"totalTokenCount":${INPUT_TOKENS + CONTENT_CHUNKS}`,
  terminator: '"finishReason":"STOP"',
};

export const DIALECTS: Readonly<Record<DialectName, BenchDialect>> = { chat, responses, messages, gemini };
