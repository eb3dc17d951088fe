import type { TextProtocol } from '../../../src/protocol/hub/protocol.ts';
import type { Json } from './load.ts';
import { list, parseInput, record, words } from './told.ts';

/** What a request holds that no conversion may lose, read without any code of the gateway's. */
export interface Content {
  readonly texts: readonly string[];
  readonly inputs: readonly unknown[];
  readonly media: readonly string[];
  readonly tools: readonly string[];
}

const NOTHING: Content = { texts: [], inputs: [], media: [], tools: [] };

/** Turns of the conversation with the system's words before them. */
export function contentOf(protocol: TextProtocol, body: Json): Content {
  return READERS[protocol](body);
}

const READERS: Readonly<Record<TextProtocol, (body: Json) => Content>> = {
  chat: ({ messages, tools }) => ({
    ...join(withoutPrefill(list(messages)).map(chatMessage)),
    tools: list(tools).map((tool) => words(record(tool.function ?? tool.custom).name)),
  }),
  responses: ({ instructions, input, tools }) => ({
    ...join([text(instructions), text(input), ...withoutPrefill(list(input)).map(responsesItem)]),
    tools: list(tools).flatMap((tool) => (tool.type === 'function' ? [words(tool.name)] : [])),
  }),
  messages: ({ system, messages, tools }) => ({
    ...join([text(system), ...list(system).map(messagesBlock), ...messagesTurns(list(messages))]),
    tools: list(tools).flatMap((tool) => (tool.type === undefined ? [words(tool.name)] : [])),
  }),
  gemini: (body) => ({
    ...join(geminiContents(body)),
    tools: list(body.tools)
      .flatMap((tool) => list(tool.functionDeclarations ?? tool.function_declarations))
      .map(({ name }) => words(name)),
  }),
};

function join(contents: readonly Content[]): Content {
  return {
    texts: contents.flatMap(({ texts }) => texts).filter((one) => one.trim() !== ''),
    inputs: contents.flatMap(({ inputs }) => inputs),
    media: contents.flatMap(({ media }) => media).filter((one) => one !== ''),
    tools: [],
  };
}

function text(value: unknown): Content {
  return typeof value === 'string' ? { ...NOTHING, texts: [value] } : NOTHING;
}

function media(value: unknown): Content {
  const [, data = words(value)] = /^data:[^,]*,(.*)$/s.exec(words(value)) ?? [];
  return { ...NOTHING, media: [data] };
}

function input(value: unknown): Content {
  return { ...NOTHING, inputs: [value] };
}

/** An answer the client began itself is left out for vendors that refuse it (rule C-16). */
function withoutPrefill(turns: readonly Json[]): readonly Json[] {
  const { role } = turns.at(-1) ?? {};
  return role === 'assistant' || role === 'model' ? turns.slice(0, -1) : turns;
}

function chatMessage(message: Json): Content {
  const calls = list(message.tool_calls).map((call) => {
    const { arguments: json, input: free } = record(call.function ?? call.custom);
    return call.type === 'custom' ? text(free) : input(parseInput(json));
  });
  return join([text(message.content), ...list(message.content).map(chatPart), ...calls]);
}

function chatPart(part: Json): Content {
  const { file_data: file } = record(part.file);
  const bytes = record(part.image_url).url ?? file ?? record(part.input_audio).data;
  return bytes === undefined ? text(part.text) : media(bytes);
}

function responsesItem(item: Json): Content {
  switch (item.type) {
    case undefined:
    case 'message':
      return join([text(item.content), ...list(item.content).map(responsesPart)]);
    case 'function_call':
      return input(parseInput(item.arguments));
    case 'custom_tool_call':
      return text(item.input);
    case 'function_call_output':
    case 'custom_tool_call_output':
      return join([text(item.output), ...list(item.output).map(responsesPart)]);
    default:
      return NOTHING;
  }
}

function responsesPart(part: Json): Content {
  const bytes = part.image_url ?? part.file_data ?? part.file_url;
  return bytes === undefined ? text(part.text ?? part.refusal) : media(bytes);
}

function messagesTurns(turns: readonly Json[]): readonly Content[] {
  return withoutPrefill(turns).flatMap(({ content }) => [text(content), ...list(content).map(messagesBlock)]);
}

function messagesBlock(block: Json): Content {
  const { data, url } = record(block.source);
  switch (block.type) {
    case 'text':
      return text(block.text);
    case 'tool_use':
      return input(block.input);
    case 'tool_result':
      return join([text(block.content), ...list(block.content).map(messagesBlock)]);
    case 'image':
    case 'document':
      return media(data ?? url);
    default:
      return NOTHING;
  }
}

function geminiContents(body: Json): readonly Content[] {
  const system = record(body.systemInstruction ?? body.system_instruction);
  const parts = [system, ...withoutPrefill(list(body.contents))].flatMap((turn) => list(turn.parts));
  return parts.map((part) => {
    const { data } = record(part.inlineData ?? part.inline_data);
    if (data !== undefined) return media(data);
    if (part.thought === true) return NOTHING;
    const call = record(part.functionCall ?? part.function_call);
    if (call.name !== undefined) return input(call.args ?? {});
    const answer = record(part.functionResponse ?? part.function_response);
    return answer.name === undefined ? text(part.text) : result(record(answer.response));
  });
}

/** Google's two words for what came out; every other object is the result itself. */
function result(response: Json): Content {
  const keys = Object.keys(response);
  const [only] = keys;
  const isWord = keys.length === 1 && (only === 'output' || only === 'error');
  const value = isWord ? response[only] : response;
  return typeof value === 'string' ? text(value) : input(value);
}

/** What of the content is not to be found anywhere in the converted body. */
export function missingFrom(body: Json, content: Content): readonly string[] {
  const held = new Held(body);
  return [
    ...content.texts.filter((one) => !held.says(one.trim())).map((one) => `text ${one.slice(0, 80)}`),
    ...content.inputs.filter((one) => !held.holds(one)).map((one) => `input ${canonical(one).slice(0, 80)}`),
    ...content.media.filter((one) => !held.shows(one)).map((one) => `media ${one.slice(0, 40)}`),
    ...content.tools.filter((name) => !held.says(name)).map((name) => `tool ${name}`),
  ];
}

/** Every text in a body, and every value in it as JSON, also of texts that are JSON themselves. */
class Held {
  readonly #texts: string[] = [];
  readonly #values = new Set<string>();

  constructor(body: unknown) {
    this.#add(body);
  }

  says(words: string): boolean {
    return this.#texts.some((one) => one.includes(words)) || this.holds(parseInput(words));
  }

  /** It may have become a text, with a note behind it. */
  holds(value: unknown): boolean {
    if (this.#values.has(canonical(value))) return true;
    const text = JSON.stringify(value);
    return typeof value !== 'string' && this.#texts.some((one) => one.includes(text));
  }

  /** Bytes in either alphabet of base64, padded or not; a text file may have become its text. */
  shows(media: string): boolean {
    const bare = bareBase64(media);
    if (this.#texts.some((one) => bareBase64(one).includes(bare))) return true;
    const [decoded, encoded] = [
      Buffer.from(media, 'base64').toString(),
      Buffer.from(media).toString('base64'),
    ];
    return [media, decoded, encoded.replace(/=+$/, '')].some((one) => one !== '' && this.says(one));
  }

  #add(value: unknown): void {
    if (typeof value === 'string') {
      this.#texts.push(value);
      const parsed = /^\s*[[{]/.test(value) ? parseInput(value) : value;
      if (parsed !== value) this.#add(parsed);
      return;
    }
    this.#values.add(canonical(value));
    if (typeof value !== 'object' || value === null) return;
    for (const one of Object.values(value)) this.#add(one);
  }
}

function bareBase64(text: string): string {
  return text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
}

function canonical(value: unknown): string {
  const sorted = (_key: string, item: unknown): unknown => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([one], [two]) => (one < two ? -1 : 1)));
  };
  return JSON.stringify(value, sorted) ?? 'null';
}
