import { type Json, javaScript, javaScriptText } from '../literals.ts';
import type { SnippetRequest } from '../request.ts';
import type { SnippetClient, SnippetInput } from '../snippet.ts';
import { inJavaScript, KEY_VARIABLE } from './terminal.ts';

interface Provider {
  readonly library: string;
  readonly create: string;
  /** Behind the base address. */
  readonly path: string;
  readonly credential: string;
  /** How the model is named to it. */
  readonly model: (name: string) => string;
}

const BEARER = `Bearer \${process.env.${KEY_VARIABLE}}`;
const OPENAI: Provider = {
  library: '@ai-sdk/openai',
  create: 'createOpenAI',
  path: '/v1',
  credential: `  apiKey: process.env.${KEY_VARIABLE},`,
  model: (name) => `gateway(${name})`,
};
const PROVIDERS: { readonly [Name in SnippetRequest['protocol']]?: Provider } = {
  chat: { ...OPENAI, model: (name) => `gateway.chat(${name})` },
  responses: OPENAI,
  messages: {
    ...OPENAI,
    ...{ library: '@ai-sdk/anthropic', create: 'createAnthropic' },
    credential: `  authToken: process.env.${KEY_VARIABLE},`,
  },
  gemini: {
    ...OPENAI,
    ...{ library: '@ai-sdk/google', create: 'createGoogleGenerativeAI', path: '/v1beta' },
    credential: `  apiKey: 'unused', // the key goes into the header\n  headers: { Authorization: \`${BEARER}\` },`,
  },
};

/** The AI SDK has its own requests: one with more than texts and the plainest settings is left out. */
export function aiSdk(input: SnippetInput): SnippetClient | undefined {
  const { baseUrl, model, request } = input;
  const provider = PROVIDERS[request?.protocol ?? 'responses'];
  const settings = request === undefined ? { prompt: 'Say hello' } : settingsOf(request);
  if (provider === undefined || settings === undefined) return undefined;
  const written = javaScript(settings)
    .replace(/^\{\s*/, '')
    .replace(/,?\s*\}$/, '');
  const isStream = request?.stream === true;
  const call = `({
  model: ${provider.model(javaScriptText(model))},
  ${written},
});`;
  const code = `import { ${provider.create} } from '${provider.library}';
import { ${isStream ? 'streamText' : 'generateText'} } from 'ai';

const gateway = ${provider.create}({
  baseURL: ${javaScriptText(baseUrl + provider.path)},
${provider.credential}
});
${
  isStream
    ? `const { textStream } = streamText${call}
for await (const part of textStream) process.stdout.write(part);
console.log();`
    : `const { text } = await generateText${call}
console.log(text);`
}`;
  const blocks = inJavaScript(input, `npm install ai ${provider.library}`, code);
  return {
    ...{ id: 'ai-sdk', name: 'AI SDK', kind: 'library' },
    variants: [{ id: 'ai-sdk', label: 'JavaScript', blocks }],
  };
}

type Fields = { readonly [key: string]: Json };

interface Plain {
  readonly messages: Json | undefined;
  readonly system: Json | undefined;
  readonly maxOutputTokens: Json | undefined;
  readonly temperature: Json | undefined;
  readonly rest: Fields;
}

/** Undefined: the request says more than these settings can. */
function settingsOf(request: SnippetRequest): Fields | undefined {
  const { messages, system, maxOutputTokens, temperature, rest } = plainOf(request);
  const { model: _, stream: __, stream_options: ___, store: ____, ...more } = rest;
  if (messages === undefined || Object.keys(more).length > 0) return undefined;
  if (system !== undefined && typeof system !== 'string') return undefined;
  const turns = typeof messages === 'string' ? { prompt: messages } : { messages: textTurns(messages) };
  if (Object.values(turns)[0] === undefined) return undefined;
  return {
    ...(system !== undefined && { system }),
    ...(turns as Fields),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

function plainOf({ protocol, body }: SnippetRequest): Plain {
  if (protocol === 'gemini') {
    const { contents, systemInstruction, generationConfig = {}, ...rest } = body;
    const { maxOutputTokens, temperature, ...more } = generationConfig as Fields;
    const system = systemInstruction === undefined ? undefined : textOf(systemInstruction);
    return { messages: contents, system, maxOutputTokens, temperature, rest: { ...rest, ...more } };
  }
  const { messages, input, system, instructions, temperature, ...rest } = body;
  const { max_tokens, max_completion_tokens, max_output_tokens, ...more } = rest;
  const maxOutputTokens = max_tokens ?? max_completion_tokens ?? max_output_tokens;
  return {
    ...{ messages: messages ?? input, system: system ?? instructions },
    ...{ maxOutputTokens, temperature, rest: more },
  };
}

const ROLES: Readonly<Record<string, string>> = {
  ...{ user: 'user', assistant: 'assistant', model: 'assistant', system: 'system', developer: 'system' },
};

function textTurns(turns: Json): Json | undefined {
  if (!Array.isArray(turns)) return undefined;
  const read = (turns as readonly Fields[]).map((turn) => {
    const role = ROLES[String(turn.role ?? 'user')];
    const content = textOf(turn.content ?? turn);
    return role === undefined || content === undefined ? undefined : { role, content };
  });
  return read.every((turn) => turn !== undefined) ? read : undefined;
}

/** A text, or parts that are all texts. */
function textOf(content: Json): string | undefined {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? content : (content as Fields | null)?.parts;
  if (!Array.isArray(parts)) return undefined;
  const texts = (parts as readonly Fields[]).map(({ text }) => text);
  return texts.every((text) => typeof text === 'string') ? texts.join('') : undefined;
}
