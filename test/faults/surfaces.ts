/** The five streamed forms a client may ask for, and how a client reads each of them. */
export interface Surface {
  readonly name: 'chat' | 'responses' | 'messages' | 'gemini' | 'gemini-array';
  /** The model of the standard catalogue that speaks it. */
  readonly model: string;
  readonly protocol: 'chat' | 'responses' | 'messages' | 'gemini';
  path(model: string, form: Form): string;
  body(model: string, prompt: string, form: Form): object;
  read(text: string): Reading;
}

export type Form = 'stream' | 'plain';

export interface Reading {
  /** Data of all events, those that are JSON parsed. */
  readonly events: readonly unknown[];
  /** Pieces of text; the simulator puts one token into each when `chunk=1`. */
  readonly tokens: number;
  readonly terminators: number;
  /** Error events; the last event is one of them. */
  readonly errors: number;
  readonly endsWithError: boolean;
}

type Json = Record<string, unknown>;

interface Marks {
  text(event: Json): string;
  isTerminator(event: unknown): boolean;
  isError(event: Json): boolean;
}

const CHAT: Surface = {
  name: 'chat',
  model: 'gpt-5',
  protocol: 'chat',
  path: () => '/v1/chat/completions',
  body: (model, prompt, form) => ({
    model,
    messages: [{ role: 'user', content: prompt }],
    ...(form === 'stream' ? { stream: true, stream_options: { include_usage: true } } : {}),
  }),
  read: (text) =>
    read(sseData(text), {
      text: (event) => textAt(event, ['choices', 0, 'delta', 'content']),
      isTerminator: (event) => event === '[DONE]',
      isError: (event) => 'error' in event,
    }),
};

const RESPONSES: Surface = {
  name: 'responses',
  model: 'gpt-5',
  protocol: 'responses',
  path: () => '/v1/responses',
  body: (model, prompt, form) => ({ model, input: prompt, ...(form === 'stream' ? { stream: true } : {}) }),
  read: (text) =>
    read(sseData(text), {
      text: (event) => (event.type === 'response.output_text.delta' ? String(event.delta) : ''),
      isTerminator: (event) =>
        ['response.completed', 'response.incomplete'].includes(String((event as Json | null)?.type)),
      isError: (event) => event.type === 'error' || event.type === 'response.failed',
    }),
};

const MESSAGES: Surface = {
  name: 'messages',
  model: 'claude-sonnet-5',
  protocol: 'messages',
  path: () => '/v1/messages',
  body: (model, prompt, form) => ({
    model,
    max_tokens: 4000,
    messages: [{ role: 'user', content: prompt }],
    ...(form === 'stream' ? { stream: true } : {}),
  }),
  read: (text) =>
    read(sseData(text), {
      text: (event) => (event.type === 'content_block_delta' ? textAt(event, ['delta', 'text']) : ''),
      isTerminator: (event) => (event as Json | null)?.type === 'message_stop',
      isError: (event) => event.type === 'error',
    }),
};

const GEMINI_MARKS: Marks = {
  text: (event) => textAt(event, ['candidates', 0, 'content', 'parts', 0, 'text']),
  isTerminator: (event) => textAt(event, ['candidates', 0, 'finishReason']) !== '',
  isError: (event) => 'error' in event,
};

const GEMINI: Surface = {
  name: 'gemini',
  model: 'gemini-3-pro',
  protocol: 'gemini',
  path: (model, form) =>
    `/v1beta/models/${model}:${form === 'stream' ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: (_, prompt) => ({ contents: [{ role: 'user', parts: [{ text: prompt }] }] }),
  read: (text) => read(sseData(text), GEMINI_MARKS),
};

const GEMINI_ARRAY: Surface = {
  ...GEMINI,
  name: 'gemini-array',
  path: (model, form) =>
    `/v1beta/models/${model}:${form === 'stream' ? 'streamGenerateContent' : 'generateContent'}`,
  // A cut array is made whole by its error element: if it does not parse, the client has nothing.
  read: (text) => read(JSON.parse(text.replace(/^\uFEFF/, '')) as unknown[], GEMINI_MARKS),
};

export const SURFACES: readonly Surface[] = [CHAT, RESPONSES, MESSAGES, GEMINI, GEMINI_ARRAY];

/** The data of each event, by the rules of the EventSource specification. */
function sseData(text: string): unknown[] {
  const found: unknown[] = [];
  let data: string[] = [];
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)) {
    if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    if (line !== '' || data.length === 0) continue;
    found.push(parsed(data.join('\n')));
    data = [];
  }
  return found;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function read(events: readonly unknown[], marks: Marks): Reading {
  const objects = events.filter((event): event is Json => typeof event === 'object' && event !== null);
  const last = events.at(-1);
  const isError = (event: unknown): boolean =>
    typeof event === 'object' && event !== null && marks.isError(event as Json);
  return {
    events,
    tokens: objects.filter((event) => marks.text(event) !== '').length,
    terminators: events.filter(marks.isTerminator).length,
    errors: objects.filter(marks.isError).length,
    endsWithError: isError(last),
  };
}

function textAt(value: unknown, path: readonly (string | number)[]): string {
  let at = value;
  for (const step of path) at = (at as Record<string | number, unknown> | null | undefined)?.[step];
  return typeof at === 'string' ? at : '';
}
