import type { Upstream } from './upstream.ts';

/** A request as a vendor got it, in no protocol's words. */
export interface VendorRequest {
  readonly system: string;
  /** Pictures as base64. */
  readonly images: readonly string[];
  /** Names of the tools that were declared. */
  readonly tools: readonly string[];
  /** Calls of the history with the result that came with each. */
  readonly calls: readonly AnsweredCall[];
  /** Signatures, encrypted reasoning and the like, as they came. */
  readonly signatures: readonly string[];
  readonly maxTokens: number | undefined;
}

export interface AnsweredCall {
  readonly name: string;
  readonly input: unknown;
  readonly result: string | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: the four wire forms are read as they come
type Wire = any;

export function readVendorRequest(upstream: Upstream, body: Buffer | undefined): VendorRequest {
  if (body === undefined) throw new Error('the simulator has forgotten the request');
  return READERS[upstream](JSON.parse(body.toString()));
}

const READERS: Readonly<Record<Upstream, (body: Wire) => VendorRequest>> = {
  chat: readChat,
  responses: readResponses,
  messages: readMessages,
  gemini: readGemini,
};

const list = (value: Wire): Wire[] => (Array.isArray(value) ? value : []);
const partsText = (content: Wire): string =>
  typeof content === 'string'
    ? content
    : list(content)
        .map((part) => part.text ?? '')
        .join('\n');
const pictureOf = (url: string): string => url.replace(/^data:image\/png;base64,/, '');

function readChat(body: Wire): VendorRequest {
  const results = new Map(
    list(body.messages)
      .filter(({ role }) => role === 'tool')
      .map((message) => [message.tool_call_id, partsText(message.content)]),
  );
  return {
    system: list(body.messages)
      .filter(({ role }) => role === 'system' || role === 'developer')
      .map(({ content }) => partsText(content))
      .join('\n'),
    images: list(body.messages).flatMap(({ content }) =>
      list(content)
        .filter(({ type }) => type === 'image_url')
        .map((part) => pictureOf(part.image_url.url)),
    ),
    tools: list(body.tools).map((tool) => tool.function.name),
    calls: list(body.messages).flatMap(({ tool_calls: calls }) =>
      list(calls).map((call) => ({
        name: call.function.name,
        input: JSON.parse(call.function.arguments),
        result: results.get(call.id),
      })),
    ),
    signatures: [],
    maxTokens: body.max_completion_tokens ?? body.max_tokens,
  };
}

function readResponses(body: Wire): VendorRequest {
  const items = typeof body.input === 'string' ? [] : list(body.input);
  const results = new Map(
    items
      .filter(({ type }) => type === 'function_call_output')
      .map((item) => [item.call_id, partsText(item.output)]),
  );
  const systems = items.filter(({ role }) => role === 'system' || role === 'developer');
  return {
    system: [body.instructions ?? '', ...systems.map(({ content }) => partsText(content))].join('\n'),
    images: items.flatMap(({ content }) =>
      list(content)
        .filter(({ type }) => type === 'input_image')
        .map((part) => pictureOf(part.image_url)),
    ),
    tools: list(body.tools).map(({ name }) => name),
    calls: items
      .filter(({ type }) => type === 'function_call')
      .map((call) => ({
        name: call.name,
        input: JSON.parse(call.arguments),
        result: results.get(call.call_id),
      })),
    signatures: items.flatMap(({ type, encrypted_content: sealed }) =>
      type === 'reasoning' && typeof sealed === 'string' ? [sealed] : [],
    ),
    maxTokens: body.max_output_tokens,
  };
}

function readMessages(body: Wire): VendorRequest {
  const blocks = list(body.messages).flatMap(({ content }) => list(content));
  const results = new Map(
    blocks
      .filter(({ type }) => type === 'tool_result')
      .map((block) => [block.tool_use_id, partsText(block.content)]),
  );
  return {
    system: partsText(body.system),
    images: blocks.filter(({ type }) => type === 'image').map(({ source }) => source.data),
    tools: list(body.tools).map(({ name }) => name),
    calls: blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({ name, input, result: results.get(id) })),
    signatures: blocks.flatMap(({ type, signature, data }) =>
      type === 'thinking' ? [signature] : type === 'redacted_thinking' ? [data] : [],
    ),
    maxTokens: body.max_tokens,
  };
}

/** A text is told from other results by the one field that holds it. */
function responseText(response: Wire): string | undefined {
  if (response === undefined) return undefined;
  return typeof response.output === 'string' ? response.output : JSON.stringify(response);
}

/** Older models have no ids: there a result belongs to the call at its place. */
function readGemini(body: Wire): VendorRequest {
  const parts = list(body.contents).flatMap((content) => list(content.parts));
  const results = parts.flatMap(({ functionResponse }) =>
    functionResponse === undefined ? [] : [functionResponse],
  );
  const calls = parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall]));
  return {
    system: partsText(body.systemInstruction?.parts),
    images: parts.flatMap(({ inlineData }) => (inlineData === undefined ? [] : [inlineData.data])),
    tools: list(body.tools).flatMap(({ functionDeclarations }) =>
      list(functionDeclarations).map(({ name }) => name),
    ),
    calls: calls.map((call, index) => {
      const own = results.find(({ id }) => id !== undefined && id === call.id) ?? results[index];
      return { name: call.name, input: call.args ?? {}, result: responseText(own?.response) };
    }),
    signatures: parts.flatMap(({ thoughtSignature }) =>
      thoughtSignature === undefined ? [] : [thoughtSignature],
    ),
    maxTokens: body.generationConfig?.maxOutputTokens,
  };
}
