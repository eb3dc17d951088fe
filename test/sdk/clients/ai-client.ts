import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import {
  APICallError,
  generateText,
  isStepCount,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  Output,
  streamText,
  tool,
} from 'ai';
import type { Ask, ClientMaker, Execute, Gateway, Mode, RefusalForm, Reply, Round } from './client.ts';

type ProviderOptions = NonNullable<Parameters<typeof generateText>[0]['providerOptions']>;
type ModelOf = (model: string) => LanguageModel;

/** The providers judge by the model's name what it can do; a user tells them what they cannot know. */
type Hints = (ask: Ask) => ProviderOptions;

export const aiOpenaiChat: ClientMaker = (gateway) => {
  const { chat } = openaiOf(gateway);
  const client = clientOf(chat, (ask) => ({
    openai: ask.thinking === undefined ? {} : { forceReasoning: true },
  }));
  // This provider does not read what Chat Completions itself does not have.
  return { ...client, showsReasoning: () => false, refusal: () => REFUSED };
};

/** Who keeps what was said: the client, or the server, as the SDK has it unless told otherwise. */
export type Memory = 'client' | 'server';

export function aiOpenaiResponses(memory: Memory): ClientMaker {
  return (gateway) => {
    const { responses } = openaiOf(gateway);
    const client = clientOf(responses, (ask) => ({
      openai: {
        ...(memory === 'client' ? { store: false } : {}),
        ...(ask.thinking === undefined
          ? {}
          : { forceReasoning: true, reasoningSummary: 'auto', include: ['reasoning.encrypted_content'] }),
      },
    }));
    return { ...client, refusal: () => REFUSED };
  };
}

export const aiAnthropic: ClientMaker = ({ url, key, fetch }) => {
  const provider = createAnthropic({ baseURL: `${url}/v1`, authToken: key, fetch });
  const client = clientOf(provider, (ask) => {
    if (ask.thinking === undefined) return {};
    const thinking =
      ask.thinking === 'budget'
        ? { type: 'enabled', budgetTokens: 2_048 }
        : { type: 'adaptive', display: 'summarized' };
    return { anthropic: { thinking } };
  });
  return { ...client, refusal: () => REFUSED };
};

export const aiGoogle: ClientMaker = ({ url, key, fetch }) => {
  const headers = { Authorization: `Bearer ${key}` };
  const provider = createGoogleGenerativeAI({
    baseURL: `${url}/v1beta`,
    apiKey: 'never-forwarded',
    headers,
    fetch,
  });
  const client = clientOf(provider, (ask) => {
    if (ask.thinking === undefined) return {};
    return { google: { thinkingConfig: { includeThoughts: true, thinkingLevel: 'high' } } };
  });
  return {
    ...client,
    hidesCacheWrites: true,
    resultText: ({ name, text }) => JSON.stringify({ name, content: text }),
  };
};

/** The AI SDK has one word for a refusal in words and for a filter, and shows either as text. */
const REFUSED: RefusalForm = { finish: 'content-filter', field: 'text' };

function openaiOf({ url, key, fetch }: Gateway): ReturnType<typeof createOpenAI> {
  return createOpenAI({ baseURL: `${url}/v1`, apiKey: key, fetch });
}

function clientOf(modelOf: ModelOf, hints: Hints): ReturnType<ClientMaker> {
  return {
    form: 'ai',
    ask: (ask, mode) => converse(modelOf, hints, ask, mode),
    loop: (ask, mode, execute) => runSteps(optionsOf(modelOf, hints, ask), mode, execute),
    showsReasoning: () => true,
    statusOf: (error) => (error instanceof APICallError ? error.statusCode : undefined),
  };
}

async function converse(modelOf: ModelOf, hints: Hints, ask: Ask, mode: Mode): Promise<Reply> {
  const options = optionsOf(modelOf, hints, ask);
  if (mode === 'plain') return readPlain(ask, await generateText(options));
  const failures: unknown[] = [];
  const result = streamText({ ...options, onError: ({ error }) => void failures.push(error) });
  for await (const part of result.fullStream) {
    if (part.type === 'text-delta') ask.onText?.();
    if (part.type === 'abort') throw new Error('aborted');
  }
  // The SDK tells its user of a broken stream here, and nowhere else.
  if (failures.length > 0) throw failures[0];
  return {
    text: await result.text,
    reasoning: (await result.reasoningText) ?? '',
    refusal: '',
    calls: (await result.toolCalls).map(callOf),
    finish: await result.finishReason,
    usage: await result.usage,
    turn: await result.responseMessages,
    ...(ask.schema === undefined ? {} : { object: await result.output }),
  };
}

type Options = Parameters<typeof generateText>[0];

const STEPS_MAX = 10;

/** The SDK runs the tools and asks again, until there is an answer. */
async function runSteps(options: Options, mode: Mode, execute: Execute): Promise<string> {
  const tools = Object.entries(options.tools ?? {}).map(([name, declared]) => [
    name,
    { ...declared, execute: (input: unknown) => execute({ name, input }) },
  ]);
  const looping = { ...options, tools: Object.fromEntries(tools), stopWhen: isStepCount(STEPS_MAX) };
  if (mode === 'plain') return (await generateText(looping)).text;
  const result = streamText(looping);
  await result.consumeStream();
  return result.text;
}

function readPlain(ask: Ask, result: Awaited<ReturnType<typeof generateText>>): Reply {
  return {
    text: result.text,
    reasoning: result.reasoningText ?? '',
    refusal: '',
    calls: result.toolCalls.map(callOf),
    finish: result.finishReason,
    usage: result.usage,
    turn: result.responseMessages,
    ...(ask.schema === undefined ? {} : { object: result.output }),
  };
}

function optionsOf(modelOf: ModelOf, hints: Hints, ask: Ask): Parameters<typeof generateText>[0] {
  const question: ModelMessage = {
    role: 'user',
    content: [
      ...(ask.image === undefined
        ? []
        : [{ type: 'file' as const, mediaType: 'image/png', data: ask.image }]),
      { type: 'text', text: ask.prompt },
    ],
  };
  const tools = (ask.tools ?? []).map(({ name, description, schema }) => [
    name,
    tool({ description, inputSchema: jsonSchema(schema as never) }),
  ]);
  return {
    model: modelOf(ask.model),
    maxRetries: 0,
    messages: [question, ...(ask.rounds ?? []).flatMap(roundMessages)],
    providerOptions: hints(ask),
    ...(ask.system === undefined ? {} : { system: ask.system }),
    ...(ask.tools === undefined ? {} : { tools: Object.fromEntries(tools) }),
    ...(ask.thinking === undefined ? {} : { reasoning: 'medium' }),
    ...(ask.stop === undefined ? {} : { stopSequences: [ask.stop] }),
    ...(ask.maxTokens === undefined ? {} : { maxOutputTokens: ask.maxTokens }),
    ...(ask.signal === undefined ? {} : { abortSignal: ask.signal }),
    ...(ask.schema === undefined
      ? {}
      : { output: Output.object({ schema: jsonSchema(ask.schema as never), name: 'weather' }) }),
  };
}

function callOf(call: { readonly toolCallId: string; readonly toolName: string; readonly input: unknown }): {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
} {
  return { id: call.toolCallId, name: call.toolName, input: call.input };
}

function roundMessages({ turn, results, next }: Round): readonly ModelMessage[] {
  if (next !== undefined) return [...(turn as ModelMessage[]), { role: 'user', content: next }];
  const content = results.map(({ id, name, text }) => ({
    type: 'tool-result' as const,
    toolCallId: id,
    toolName: name,
    output: { type: 'text' as const, value: text },
  }));
  return [...(turn as ModelMessage[]), { role: 'tool', content }];
}
