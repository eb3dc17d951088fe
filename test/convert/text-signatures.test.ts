import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../src/kernel/errors.ts';
import { convertRequest, readClientRequest } from '../../src/protocol/convert/convert.ts';
import type { TextProtocol } from '../../src/protocol/hub/protocol.ts';
import { callOf, IDENTITY, passStream, rawRequest, targetOf } from './recorded/pass.ts';

// biome-ignore lint/suspicious/noExplicitAny: the wire forms are read as they come
type Wire = any;

/** Gemini's answers without a call: the signature on the last words, or on an empty text behind them. */
const ANSWERS: readonly (readonly [string, readonly object[]])[] = [
  ['on its text', [{ text: 'hello', thoughtSignature: 'QUFBQQ==' }]],
  ['on an empty last part', [{ text: 'hello' }, { text: '', thoughtSignature: 'QUFBQQ==' }]],
  [
    'behind a thought',
    [
      { text: 'hm', thought: true },
      { text: 'hello', thoughtSignature: 'QUFBQQ==' },
    ],
  ],
];

const USAGE = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };

/** The client's next request: what it heard, kept as its protocol keeps it, and another question. */
const NEXT: Readonly<Record<Exclude<TextProtocol, 'gemini'>, (answer: Wire) => object>> = {
  chat: ({ choices }) => ({
    model: 'm',
    messages: [{ role: 'user', content: 'q' }, choices[0].message, { role: 'user', content: 'more' }],
  }),
  responses: ({ output }) => ({
    model: 'm',
    input: [{ role: 'user', content: 'q' }, ...output, { role: 'user', content: 'more' }],
  }),
  messages: ({ content }) => ({
    model: 'm',
    max_tokens: 99,
    messages: [
      { role: 'user', content: 'q' },
      { role: 'assistant', content },
      { role: 'user', content: 'more' },
    ],
  }),
};

/** The answer that a client's SDK puts together from a stream. */
const ASSEMBLE: Readonly<Record<Exclude<TextProtocol, 'gemini'>, (events: readonly Wire[]) => Wire>> = {
  chat: (events) => {
    const message: Wire = { role: 'assistant', content: '' };
    for (const { choices } of events) {
      const delta = choices[0]?.delta ?? {};
      message.content += delta.content ?? '';
      message.extra_content = delta.extra_content ?? message.extra_content;
    }
    return { choices: [{ message }] };
  },
  responses: (events) => events.find(({ type }) => type === 'response.completed').response,
  messages: (events) => {
    const content: Wire[] = [];
    for (const { type, content_block, delta } of events) {
      const open = content.at(-1);
      if (type === 'content_block_start') content.push({ ...content_block });
      else if (delta?.type === 'text_delta') open.text += delta.text;
      else if (delta?.type === 'thinking_delta') open.thinking += delta.thinking;
      else if (delta?.type === 'signature_delta') open.signature = delta.signature;
    }
    return { content };
  },
};

const target = targetOf('gemini', 'gemini-3-pro');

function partsAtGoogle(client: Exclude<TextProtocol, 'gemini'>, answer: Wire): readonly Wire[] {
  const read = readClientRequest(client, rawRequest(client, NEXT[client](answer), false));
  if (isRefusal(read)) throw new Error(read.message);
  const conversion = convertRequest(read, target, IDENTITY);
  if (isRefusal(conversion)) throw new Error(conversion.message);
  return JSON.parse(conversion.body.toString()).contents[1].parts;
}

describe('the signature of a text without calls', () => {
  const clients = ['chat', 'responses', 'messages'] as const;
  const cases = ANSWERS.flatMap(([name, parts]) => clients.map((client) => ({ name, parts, client })));
  it.each(cases)('returns to Google from $client clients, plain and streamed: $name', ({ parts, client }) => {
    const body = {
      candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
      usageMetadata: USAGE,
    };
    const plain = callOf(client, 'gemini').convertAnswer(Buffer.from(JSON.stringify(body))) as Buffer;
    const stream = parts.map((part, index) => ({
      candidates: [
        {
          content: { role: 'model', parts: [part] },
          ...(index === parts.length - 1 ? { finishReason: 'STOP' } : {}),
        },
      ],
      usageMetadata: USAGE,
    }));
    const bytes = Buffer.from(stream.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''));
    const passed = passStream({ client, vendor: 'gemini' }, bytes, []);
    const lines = passed.text.split('\n').filter((line) => line.startsWith('data: {'));
    const streamed = ASSEMBLE[client](lines.map((line) => JSON.parse(line.slice(6))));
    for (const answer of [JSON.parse(plain.toString()), streamed]) {
      expect(partsAtGoogle(client, answer)).toEqual([{ text: 'hello', thoughtSignature: 'QUFBQQ==' }]);
    }
  });
});
