import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import type { TextProtocol } from '../../../src/protocol/hub/protocol.ts';
import { figures, type Seen, type SeenCall, type SeenChoice } from './seen.ts';
import { list, parseInput, record, words } from './told.ts';

/** Reads prepared bodies as applications do: with the official SDK of each protocol. */
export class SdkReader {
  #body = '';
  readonly #server: Server;
  readonly #openai: OpenAI;
  readonly #anthropic: Anthropic;
  readonly #google: GoogleGenAI;

  static async open(): Promise<SdkReader> {
    const server = createServer();
    // An idle connection that the server closes while the client writes on it would fail the next call.
    server.keepAliveTimeout = 300_000;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new SdkReader(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    const fetch = async (): Promise<Response> => new Response(this.#body, { headers: this.#headers() });
    this.#openai = new OpenAI({ apiKey: 'k', baseURL: 'http://gateway.test/v1', fetch, maxRetries: 0 });
    this.#anthropic = new Anthropic({ apiKey: 'k', baseURL: 'http://gateway.test', fetch, maxRetries: 0 });
    // This one has no way to be given a body but over a socket.
    server.on('request', (request, response) => {
      request.resume();
      response.writeHead(200, this.#headers());
      response.end(this.#body);
    });
    const { port } = server.address() as AddressInfo;
    const httpOptions = { baseUrl: `http://127.0.0.1:${port}` };
    this.#google = new GoogleGenAI({ apiKey: 'k', httpOptions });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** A plain answer. Throws what the SDK throws. */
  async answer(client: TextProtocol, body: string): Promise<Seen> {
    this.#body = body;
    switch (client) {
      case 'chat':
        return seenInChat(await this.#openai.chat.completions.create({ model: 'm', messages: [] }));
      case 'responses':
        return seenInResponses(await this.#openai.responses.create({ model: 'm', input: '' }));
      case 'messages':
        return seenInMessages(await this.#anthropic.messages.create(MESSAGES_CALL));
      case 'gemini':
        return seenInGemini([await this.#google.models.generateContent({ model: 'm', contents: 'x' })]);
    }
  }

  /** A stream, put together by the SDK's own helper where it has one. */
  async stream(client: TextProtocol, body: string): Promise<Seen> {
    this.#body = body;
    switch (client) {
      case 'chat':
        return this.#chatStream();
      case 'responses':
        return seenInResponses(
          await this.#openai.responses.stream({ model: 'm', input: '' }).finalResponse(),
        );
      case 'messages':
        return seenInMessages(await this.#anthropic.messages.stream(MESSAGES_CALL).finalMessage());
      case 'gemini': {
        const chunks: unknown[] = [];
        const stream = await this.#google.models.generateContentStream({ model: 'm', contents: 'x' });
        for await (const chunk of stream) chunks.push(chunk);
        return seenInGemini(chunks);
      }
    }
  }

  /** The helper keeps only the last of fields it does not know, so reasoning is collected beside it. */
  async #chatStream(): Promise<Seen> {
    const stream = this.#openai.chat.completions.stream({ model: 'm', messages: [] });
    const thoughts: string[] = [];
    stream.on('chunk', (chunk) => {
      for (const { index, delta } of chunk.choices) {
        thoughts[index] = (thoughts[index] ?? '') + words(record(delta).reasoning_content);
      }
    });
    const { choices, usage } = seenInChat(await stream.finalChatCompletion());
    return {
      usage,
      choices: choices.map((choice, index) => ({ ...choice, reasoning: thoughts[index] ?? '' })),
    };
  }

  #headers(): Record<string, string> {
    const isPlain = this.#body.startsWith('{');
    return { 'content-type': isPlain ? 'application/json' : 'text/event-stream; charset=utf-8' };
  }
}

const MESSAGES_CALL = { model: 'm', max_tokens: 1, messages: [] };

function seenInChat(completion: unknown): Seen {
  const { choices, usage } = record(completion);
  const figured = record(usage);
  return {
    choices: list(choices).map((choice, index): SeenChoice => {
      if (choice.index !== index) throw new Error(`choice ${choice.index} stands in place ${index}`);
      const message = record(choice.message);
      return {
        text: words(message.content),
        reasoning: words(message.reasoning_content),
        refusal: words(message.refusal),
        calls: list(message.tool_calls).map(chatCall),
        finish: words(choice.finish_reason),
      };
    }),
    usage:
      usage === undefined || usage === null
        ? undefined
        : figures({
            prompt_tokens: figured.prompt_tokens as number,
            completion_tokens: figured.completion_tokens as number,
            total_tokens: figured.total_tokens as number,
            cached_tokens: record(figured.prompt_tokens_details).cached_tokens as number,
            reasoning_tokens: record(figured.completion_tokens_details).reasoning_tokens as number,
          }),
  };
}

function chatCall(call: Readonly<Record<string, unknown>>): SeenCall {
  const custom = call.type === 'custom';
  const body = record(custom ? call.custom : call.function);
  const input = custom ? words(body.input) : parseInput(body.arguments);
  return { name: words(body.name), id: words(call.id), input };
}

function seenInResponses(response: unknown): Seen {
  const { output, output_text: text, status, incomplete_details: details, usage } = record(response);
  const items = list(output);
  const reasoning = items.flatMap((item) => list(item.type === 'reasoning' ? item.summary : []));
  const content = items.flatMap((item) => list(item.type === 'message' ? item.content : []));
  const calls = items.filter(({ type }) => type === 'function_call' || type === 'custom_tool_call');
  const { reason } = record(details);
  const figured = record(usage);
  const choice: SeenChoice = {
    text: words(text),
    reasoning: reasoning.map((part) => words(part.text)).join(''),
    refusal: content.map((part) => words(part.refusal)).join(''),
    calls: calls.map((item) => ({
      name: words(item.name),
      id: words(item.call_id),
      input: item.type === 'custom_tool_call' ? words(item.input) : parseInput(item.arguments),
    })),
    finish: [status, reason].filter((word) => typeof word === 'string').join(' '),
  };
  return {
    choices: [choice],
    usage:
      usage === undefined || usage === null
        ? undefined
        : figures({
            input_tokens: figured.input_tokens as number,
            output_tokens: figured.output_tokens as number,
            total_tokens: figured.total_tokens as number,
            cached_tokens: record(figured.input_tokens_details).cached_tokens as number,
            reasoning_tokens: record(figured.output_tokens_details).reasoning_tokens as number,
          }),
  };
}

function seenInMessages(message: unknown): Seen {
  const { content, stop_reason: reason, usage } = record(message);
  const blocks = list(content);
  const join = (type: string, key: string): string =>
    blocks.map((block) => (block.type === type ? words(block[key]) : '')).join('');
  const calls = blocks.filter(({ type }) => type === 'tool_use');
  const figured = record(usage);
  const choice: SeenChoice = {
    text: join('text', 'text'),
    reasoning: join('thinking', 'thinking'),
    refusal: '',
    calls: calls.map(({ name, id, input }) => ({ name: words(name), id: words(id), input })),
    finish: words(reason),
  };
  return {
    choices: [choice],
    usage: figures({
      input_tokens: figured.input_tokens as number,
      cache_read_input_tokens: figured.cache_read_input_tokens as number,
      cache_creation_input_tokens: figured.cache_creation_input_tokens as number,
      output_tokens: figured.output_tokens as number,
    }),
  };
}

const GEMINI_FIGURES = [
  ...['promptTokenCount', 'cachedContentTokenCount', 'toolUsePromptTokenCount', 'candidatesTokenCount'],
  ...['thoughtsTokenCount', 'totalTokenCount'],
];

function seenInGemini(chunks: readonly unknown[]): Seen {
  const held = new Map<number, { parts: Readonly<Record<string, unknown>>[]; finish: string }>();
  let usage: unknown;
  for (const chunk of chunks) {
    usage = record(chunk).usageMetadata ?? usage;
    for (const candidate of list(record(chunk).candidates)) {
      const index = typeof candidate.index === 'number' ? candidate.index : 0;
      const known = held.get(index) ?? { parts: [], finish: '' };
      known.parts.push(...list(record(candidate.content).parts));
      held.set(index, { ...known, finish: words(candidate.finishReason) || known.finish });
    }
  }
  const choices = [...held.values()].map(({ parts, finish }): SeenChoice => {
    const said = parts.filter((part) => part.thought !== true);
    const calls = parts.filter((part) => part.functionCall !== undefined);
    return {
      text: said.map(({ text }) => words(text)).join(''),
      reasoning: parts.map((part) => (part.thought === true ? words(part.text) : '')).join(''),
      refusal: '',
      calls: calls.map(({ functionCall }) => {
        const { name, id, args } = record(functionCall);
        return { name: words(name), id: words(id), input: args ?? {} };
      }),
      finish,
    };
  });
  const figured = record(usage) as Readonly<Record<string, number>>;
  return {
    choices,
    usage:
      usage === undefined
        ? undefined
        : figures(Object.fromEntries(GEMINI_FIGURES.map((name) => [name, figured[name]]))),
  };
}
