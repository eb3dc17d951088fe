import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../src/kernel/errors.ts';
import { type Conversion, convertRequest, readClientRequest } from '../../src/protocol/convert/convert.ts';
import { attachTextSignatures } from '../../src/protocol/hub/fit/signatures.ts';
import type { TextProtocol } from '../../src/protocol/hub/protocol.ts';
import { needs, RECORDINGS } from '../needs.ts';
import { loadRecordings, type Recording } from './recorded/load.ts';
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

type Client = Exclude<TextProtocol, 'gemini'>;
const CLIENTS = ['chat', 'responses', 'messages'] as const;

/** What a client got of an answer, and what the gateway stored of it. */
interface Got {
  readonly answer: Wire;
  readonly kept: Conversion['kept'];
}

function plainly(client: Client, body: unknown): Got {
  const call = callOf(client, 'gemini');
  const answer = call.convertAnswer(Buffer.from(JSON.stringify(body))) as Buffer;
  return { answer: JSON.parse(answer.toString()), kept: call.kept };
}

function streamed(client: Client, text: string): Got {
  const passed = passStream({ client, vendor: 'gemini' }, Buffer.from(text), []);
  const lines = passed.text.split('\n').filter((line) => line.startsWith('data: {'));
  const answer = ASSEMBLE[client](lines.map((line) => JSON.parse(line.slice(6))));
  return { answer, kept: passed.kept ?? new Map() };
}

/** The model's turn of the next request, with what was stored. */
function partsAtGoogle(client: Client, { answer, kept }: Got): readonly Wire[] {
  const read = readClientRequest(client, rawRequest(client, NEXT[client](answer), false));
  if (isRefusal(read)) throw new Error(read.message);
  const request = attachTextSignatures(read.request, kept);
  const conversion = convertRequest({ ...read, request }, target, IDENTITY);
  if (isRefusal(conversion)) throw new Error(conversion.message);
  const { contents } = JSON.parse(conversion.body.toString());
  return contents.flatMap(({ role, parts }: Wire) => (role === 'model' ? parts : []));
}

/** The kind of the last block, item or field that the client reads. */
function lastOf(client: Client, answer: Wire): unknown {
  if (client === 'messages') return answer.content.at(-1)?.type;
  if (client === 'responses') return answer.output.at(-1)?.type;
  return typeof answer.choices[0].message.content === 'string' ? 'content' : 'nothing';
}

const LAST: Readonly<Record<Client, string>> = { chat: 'content', responses: 'message', messages: 'text' };

describe('the signature of a text without calls', () => {
  const cases = ANSWERS.flatMap(([name, parts]) => CLIENTS.map((client) => ({ name, parts, client })));
  it.each(cases)('returns to Google from $client clients, plain and streamed: $name', ({ parts, client }) => {
    const body = {
      candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
      usageMetadata: USAGE,
    };
    const stream = parts.map((part, index) => ({
      candidates: [
        {
          content: { role: 'model', parts: [part] },
          ...(index === parts.length - 1 ? { finishReason: 'STOP' } : {}),
        },
      ],
      usageMetadata: USAGE,
    }));
    const text = stream.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
    for (const got of [plainly(client, body), streamed(client, text)]) {
      expect(lastOf(client, got.answer)).toBe(LAST[client]);
      expect(partsAtGoogle(client, got)).toEqual([{ text: 'hello', thoughtSignature: 'QUFBQQ==' }]);
    }
  });
});

it.each(['', ' \n', 'x'.repeat(600_000)])(
  'the signature of a text without words, or of one that is too long to be compared, is lost',
  (text) => {
    const parts = [
      { text: 'hm', thought: true },
      { text, thoughtSignature: 'QUFBQQ==' },
    ];
    const body = { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] };
    for (const client of ['messages', 'responses'] as const) {
      const got = [plainly(client, body), streamed(client, `data: ${JSON.stringify(body)}\n\n`)];
      for (const { answer, kept } of got) {
        expect(kept.size).toBe(0);
        expect(JSON.stringify(answer)).not.toContain('tollgate.blobs');
      }
    }
  },
);

/** The parts of a recorded answer of Google's, chunk by chunk. */
function partsOf({ answer, events }: Recording): readonly Wire[] {
  const chunks: readonly Wire[] = answer === undefined ? events : [answer];
  return chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
}

/** A stream reports its search last: in the answer the search comes after the text. */
const tellsSearchLast = ({ events }: Recording): boolean =>
  JSON.stringify(events).includes('"webSearchQueries"');

const isSaid = (part: Wire): boolean => typeof part.text === 'string' && part.thought !== true;

describe('recorded answers of Google with a signature on their text', needs(RECORDINGS), () => {
  const signed = loadRecordings('gemini').filter(
    (recording) =>
      recording.status === 200 &&
      partsOf(recording).some((part) => isSaid(part) && part.thoughtSignature !== undefined),
  );

  it.each(CLIENTS)('end with their text for %s clients, and the signature returns', (client) => {
    expect(signed.length).toBeGreaterThan(60);
    for (const recording of signed) {
      const { id, answer, text } = recording;
      const got = answer === undefined ? streamed(client, text) : plainly(client, answer);
      if (!tellsSearchLast(recording)) expect([id, lastOf(client, got.answer)]).toEqual([id, LAST[client]]);
      const returned = partsAtGoogle(client, got).map(({ thoughtSignature }) => thoughtSignature);
      const last = partsOf(recording).findLast((part) => isSaid(part) && part.thoughtSignature !== undefined);
      expect([id, returned.includes(last.thoughtSignature)]).toEqual([id, true]);
    }
  });
});
