import Anthropic, { APIError } from '@anthropic-ai/sdk';
import OldAnthropic, { APIError as OldAPIError } from 'anthropic-sdk-0';
import type { Ask, Client, ClientMaker, Execute, Mode, Reply, Round } from './client.ts';

type Message = Anthropic.Message;
type MessageParam = Anthropic.MessageParam;
type Params = Anthropic.MessageCreateParamsNonStreaming;

const MAX_TOKENS = 8_000;
const THINKING_TOKENS = 2_048;

/** What both generations of the SDK have; the newer one's types serve for both. */
interface Messages {
  create(body: Params, options: { readonly signal: AbortSignal | undefined }): Promise<Message>;
  stream(body: Params, options: { readonly signal: AbortSignal | undefined }): Streamed;
}

interface BetaMessages {
  toolRunner(body: object): { readonly runUntilDone: () => Promise<Message> };
}

interface Streamed {
  on(event: 'text', listener: () => void): unknown;
  finalMessage(): Promise<Message>;
}

export const anthropic1: ClientMaker = ({ url, key, fetch }) => {
  const sdk = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0, fetch });
  const beta = sdk.beta.messages as unknown as BetaMessages;
  return clientOf(sdk.messages as unknown as Messages, beta, (error) =>
    error instanceof APIError ? error.status : undefined,
  );
};

/** The older generation sends a bearer only when it is given as a token. */
export const anthropic0: ClientMaker = ({ url, key, fetch }) => {
  const sdk = new OldAnthropic({ baseURL: url, apiKey: null, authToken: key, maxRetries: 0, fetch });
  const beta = sdk.beta.messages as unknown as BetaMessages;
  return clientOf(sdk.messages as unknown as Messages, beta, (error) =>
    error instanceof OldAPIError ? error.status : undefined,
  );
};

function clientOf(messages: Messages, beta: BetaMessages, statusOf: Client['statusOf']): Client {
  return {
    form: 'messages',
    loop: (ask, mode, execute) => runTools(beta, ask, mode, execute),
    ask: async (ask, mode) => readMessage(await send(messages, ask, mode)),
    showsReasoning: () => true,
    statusOf,
  };
}

async function send(messages: Messages, ask: Ask, mode: Mode): Promise<Message> {
  const options = { signal: ask.signal };
  if (mode === 'plain') return messages.create(requestOf(ask), options);
  const stream = messages.stream(requestOf(ask), options);
  stream.on('text', () => ask.onText?.());
  return stream.finalMessage();
}

/** The runner is in the beta part of both SDKs, and sends to the beta's address. */
async function runTools(beta: BetaMessages, ask: Ask, mode: Mode, execute: Execute): Promise<string> {
  const body = requestOf(ask);
  const tools = (ask.tools ?? []).map(({ name, description, schema }) => ({
    type: 'custom',
    name,
    description,
    input_schema: { ...schema, required: [...schema.required] },
    parse: (input: unknown) => input,
    run: (input: unknown) => execute({ name, input }),
  }));
  const runner = beta.toolRunner({ ...body, tools, ...(mode === 'plain' ? {} : { stream: true }) });
  return readMessage(await runner.runUntilDone()).text;
}

function requestOf(ask: Ask): Params {
  const content: Anthropic.ContentBlockParam[] = [{ type: 'text', text: ask.prompt }];
  if (ask.image !== undefined) {
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: ask.image };
    content.unshift({ type: 'image', source });
  }
  return {
    model: ask.model,
    max_tokens: ask.maxTokens ?? MAX_TOKENS,
    messages: [
      { role: 'user', content: ask.image === undefined ? ask.prompt : content },
      ...(ask.rounds ?? []).flatMap(roundMessages),
    ],
    ...(ask.system === undefined ? {} : { system: ask.system }),
    ...(ask.tools === undefined
      ? {}
      : {
          tools: ask.tools.map(({ name, description, schema }) => ({
            name,
            description,
            input_schema: { ...schema, required: [...schema.required] },
          })),
        }),
    ...(ask.thinking === undefined ? {} : { thinking: thinkingOf(ask.thinking) }),
    ...(ask.stop === undefined ? {} : { stop_sequences: [ask.stop] }),
    ...(ask.schema === undefined
      ? {}
      : { output_config: { format: { type: 'json_schema' as const, schema: { ...ask.schema } } } }),
  };
}

function thinkingOf(thinking: Ask['thinking']): Anthropic.ThinkingConfigParam {
  return thinking === 'budget'
    ? { type: 'enabled', budget_tokens: THINKING_TOKENS }
    : { type: 'adaptive', display: 'summarized' };
}

function roundMessages({ turn, results, next }: Round): readonly MessageParam[] {
  if (next !== undefined) return [turn as MessageParam, { role: 'user', content: next }];
  return [
    turn as MessageParam,
    {
      role: 'user',
      content: results.map(({ id, text }) => ({
        type: 'tool_result' as const,
        tool_use_id: id,
        content: text,
      })),
    },
  ];
}

function readMessage({ content, stop_reason, stop_sequence, stop_details, usage }: Message): Reply {
  const reason = stop_sequence === null ? String(stop_reason) : `${stop_reason}: ${stop_sequence}`;
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    reasoning: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    refusal: stop_details?.type === 'refusal' ? (stop_details.explanation ?? '') : '',
    calls: content.flatMap((block) =>
      block.type === 'tool_use' ? [{ id: block.id, name: block.name, input: block.input }] : [],
    ),
    finish: reason,
    usage,
    turn: { role: 'assistant', content },
  };
}
