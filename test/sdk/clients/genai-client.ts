import {
  ApiError,
  type Content,
  type GenerateContentParameters,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
  ThinkingLevel,
} from '@google/genai';
import type { Ask, ClientMaker, Execute, Mode, Reply, Round, ToolResult } from './client.ts';

export const genai: ClientMaker = ({ url, key, fetch }) => {
  const headers = { Authorization: `Bearer ${key}` };
  const sdk = new GoogleGenAI({ apiKey: 'never-forwarded', httpOptions: { baseUrl: url, headers, fetch } });
  return {
    form: 'gemini',
    ask: async (ask, mode) => readChunks(await generate(sdk, ask, mode)),
    loop: (ask, mode, execute) => chat(sdk, ask, mode, execute),
    showsReasoning: () => true,
    statusOf: (error) => (error instanceof ApiError ? error.status : undefined),
  };
};

async function generate(sdk: GoogleGenAI, ask: Ask, mode: Mode): Promise<readonly GenerateContentResponse[]> {
  const body = requestOf(ask);
  if (mode === 'plain') return [await sdk.models.generateContent(body)];
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of await sdk.models.generateContentStream(body)) {
    chunks.push(chunk);
    if (partsOf(chunk).some(({ text, thought }) => text !== undefined && thought !== true)) ask.onText?.();
  }
  return chunks;
}

const CHAT_TURNS_MAX = 10;

/** A chat keeps the history itself: every piece of a stream as a content of its own. */
async function chat(sdk: GoogleGenAI, ask: Ask, mode: Mode, execute: Execute): Promise<string> {
  const { model, config } = requestOf(ask);
  const session = sdk.chats.create({ model, ...(config === undefined ? {} : { config }) });
  let message: Part[] = [{ text: ask.prompt }];
  for (let turn = 0; turn < CHAT_TURNS_MAX; turn++) {
    const chunks: GenerateContentResponse[] = [];
    if (mode === 'plain') chunks.push(await session.sendMessage({ message }));
    else for await (const chunk of await session.sendMessageStream({ message })) chunks.push(chunk);
    const { calls, text } = readChunks(chunks);
    if (calls.length === 0) return text;
    message = calls.map((call) => responsePart({ ...call, text: execute(call) }));
  }
  throw new Error('the model calls tools without end');
}

function responsePart({ id, name, text }: ToolResult): Part {
  return { functionResponse: { ...(id === '' ? {} : { id }), name, response: { output: text } } };
}

function requestOf(ask: Ask): GenerateContentParameters {
  const parts: Part[] = [{ text: ask.prompt }];
  if (ask.image !== undefined) parts.unshift({ inlineData: { mimeType: 'image/png', data: ask.image } });
  return {
    model: ask.model,
    contents: [{ role: 'user', parts }, ...(ask.rounds ?? []).flatMap(roundContents)],
    config: {
      ...(ask.signal === undefined ? {} : { abortSignal: ask.signal }),
      ...(ask.system === undefined ? {} : { systemInstruction: ask.system }),
      ...(ask.tools === undefined
        ? {}
        : {
            tools: [
              {
                functionDeclarations: ask.tools.map(({ name, description, schema }) => ({
                  name,
                  description,
                  parametersJsonSchema: schema,
                })),
              },
            ],
          }),
      ...(ask.thinking === undefined
        ? {}
        : { thinkingConfig: { includeThoughts: true, thinkingLevel: ThinkingLevel.HIGH } }),
      ...(ask.stop === undefined ? {} : { stopSequences: [ask.stop] }),
      ...(ask.maxTokens === undefined ? {} : { maxOutputTokens: ask.maxTokens }),
      ...(ask.schema === undefined
        ? {}
        : { responseMimeType: 'application/json', responseJsonSchema: ask.schema }),
    },
  };
}

function roundContents({ turn, results, next }: Round): readonly Content[] {
  if (next !== undefined) return [turn as Content, { role: 'user', parts: [{ text: next }] }];
  return [turn as Content, { role: 'user', parts: results.map(responsePart) }];
}

function partsOf(chunk: GenerateContentResponse): readonly Part[] {
  return chunk.candidates?.[0]?.content?.parts ?? [];
}

function readChunks(chunks: readonly GenerateContentResponse[]): Reply {
  const parts = chunks.flatMap(partsOf);
  const texts = (thought: boolean): string =>
    parts.map((part) => ((part.thought === true) === thought ? (part.text ?? '') : '')).join('');
  const ended = chunks.findLast(({ candidates }) => candidates?.[0]?.finishReason !== undefined);
  return {
    text: texts(false),
    reasoning: texts(true),
    refusal: ended?.candidates?.[0]?.finishMessage ?? '',
    calls: parts.flatMap(({ functionCall: call }) =>
      call === undefined ? [] : [{ id: call.id ?? '', name: call.name ?? '', input: call.args }],
    ),
    finish: ended?.candidates?.[0]?.finishReason ?? '',
    usage: chunks.findLast(({ usageMetadata }) => usageMetadata !== undefined)?.usageMetadata,
    turn: { role: 'model', parts },
  };
}
