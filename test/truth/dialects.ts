/** The four dialects: how a client of each asks and reads, and what a vendor of each has reported by when. */
export const DIALECTS = ['chat', 'responses', 'messages', 'gemini'] as const;
export type Dialect = (typeof DIALECTS)[number];

export const FORMS = ['plain', 'stream'] as const;
export type Form = (typeof FORMS)[number];

export interface Conversation {
  readonly model: string;
  readonly form: Form;
  readonly system: string | undefined;
  /** User and assistant in turn; the last is the user's. */
  readonly turns: readonly string[];
  /** Functions the model may call. */
  readonly tools: readonly Tool[];
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
}

type Json = Record<string, unknown>;

export interface ClientSide {
  path(conversation: Conversation): string;
  body(conversation: Conversation): object;
  /** What an event, or a plain answer, says to the user. */
  text(value: Json): string;
}

const role = (index: number): string => (index % 2 === 0 ? 'user' : 'assistant');
const streamed = ({ form }: Conversation): object => (form === 'stream' ? { stream: true } : {});
/** No tools are no member at all: some vendors refuse an empty list. */
const offered = ({ tools }: Conversation, write: (tool: Tool) => object): object =>
  tools.length === 0 ? {} : { tools: tools.map(write) };
const spoken = ({ turns }: Conversation): { role: string; content: string }[] =>
  turns.map((content, index) => ({ role: role(index), content }));

export const CLIENTS: Readonly<Record<Dialect, ClientSide>> = {
  chat: {
    path: () => '/v1/chat/completions',
    body: (asked) => ({
      model: asked.model,
      messages: [
        ...(asked.system === undefined ? [] : [{ role: 'system', content: asked.system }]),
        ...spoken(asked),
      ],
      ...offered(asked, (tool) => ({ type: 'function', function: tool })),
      ...streamed(asked),
    }),
    text: (value) =>
      textAt(value, ['choices', 0, 'delta', 'content']) + textAt(value, ['choices', 0, 'message', 'content']),
  },
  responses: {
    path: () => '/v1/responses',
    body: (asked) => ({
      model: asked.model,
      ...(asked.system === undefined ? {} : { instructions: asked.system }),
      input: spoken(asked),
      ...offered(asked, (tool) => ({ type: 'function', ...tool })),
      ...streamed(asked),
    }),
    text: (value) => {
      if (value.type === 'response.output_text.delta') return String(value.delta);
      // A plain answer may begin with its reasoning; the events of a stream have no output of their own.
      const items = (value.output ?? []) as Json[];
      return items.map((item) => textAt(item, ['content', 0, 'text'])).join('');
    },
  },
  messages: {
    path: () => '/v1/messages',
    body: (asked) => ({
      model: asked.model,
      max_tokens: 900,
      ...(asked.system === undefined ? {} : { system: asked.system }),
      messages: spoken(asked),
      ...offered(asked, ({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
      ...streamed(asked),
    }),
    text: (value) => {
      if (value.type === 'content_block_delta') return textAt(value, ['delta', 'text']);
      const blocks = (value.content ?? []) as Json[];
      return blocks.map((block) => textAt(block, ['text'])).join('');
    },
  },
  gemini: {
    path: ({ model, form }) =>
      `/v1beta/models/${model}:${form === 'stream' ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: ({ turns, system, tools }) => ({
      ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations: tools }] }),
      ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
      contents: turns.map((text, index) => ({
        role: role(index) === 'user' ? 'user' : 'model',
        parts: [{ text }],
      })),
    }),
    text: (value) => {
      const parts = (at(value, ['candidates', 0, 'content', 'parts']) ?? []) as Json[];
      return parts.map((part) => (part.thought === true ? '' : textAt(part, ['text']))).join('');
    },
  },
};

function at(value: unknown, path: readonly (string | number)[]): unknown {
  let found = value;
  for (const step of path) found = (found as Record<string | number, unknown> | null | undefined)?.[step];
  return found;
}

function textAt(value: unknown, path: readonly (string | number)[]): string {
  const found = at(value, path);
  return typeof found === 'string' ? found : '';
}

export interface VendorSide {
  readonly secret: string;
  /** Behind the simulator's address. */
  readonly root: string;
  readonly forward: string;
  /** What of its usage a vendor has told of a stream that never came to its end. */
  readonly toldEarly: 'nothing' | 'input' | 'all';
  /** Whether a stream shows that the model reasons, though not what: then it is guessed at once. */
  readonly showsReasoning: 'yes' | 'no';
  /** Google has no figure for writes to its cache: there they are ordinary input. */
  readonly tellsCacheWrites: 'yes' | 'no';
}

export const VENDORS: Readonly<Record<Dialect, VendorSide>> = {
  chat: {
    secret: 'sk-sim-openai',
    root: '/v1',
    forward: 'gpt-5',
    toldEarly: 'nothing',
    showsReasoning: 'no',
    tellsCacheWrites: 'yes',
  },
  responses: {
    secret: 'sk-sim-openai',
    root: '/v1',
    forward: 'gpt-5',
    toldEarly: 'nothing',
    showsReasoning: 'yes',
    tellsCacheWrites: 'yes',
  },
  messages: {
    secret: 'sk-sim-anthropic',
    root: '',
    forward: 'claude-sonnet-5',
    toldEarly: 'input',
    showsReasoning: 'yes',
    tellsCacheWrites: 'yes',
  },
  gemini: {
    secret: 'sk-sim-google',
    root: '',
    forward: 'gemini-3-pro',
    toldEarly: 'all',
    showsReasoning: 'yes',
    tellsCacheWrites: 'no',
  },
};
