import { isJsonObject, parseJson } from '../../kernel/encoding/json.ts';

/** A request of the demo in one of the five protocols, and how to read its answer. */
export interface Shape {
  readonly name: string;
  /** Includes the query. */
  readonly path: string;
  readonly model: string;
  /** In addition to `authorization` and `content-type`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly form: 'plain' | 'stream';
  /** The text of an answer, or of one event of a stream. */
  readonly words: (value: unknown) => string;
}

const HELLO = [{ role: 'user', content: 'Hello' }];
const JSON_BOUNDS = { bytesMax: 16 * 1024 * 1024, depthMax: 64 };

export const SHAPES: readonly Shape[] = [
  {
    name: 'Chat Completions',
    path: '/v1/chat/completions',
    model: 'gpt-5',
    headers: {},
    body: { model: 'gpt-5', stream: true, messages: HELLO },
    form: 'stream',
    words: (event) => textAt(event, ['choices', 0, 'delta', 'content']),
  },
  {
    name: 'Responses',
    path: '/v1/responses',
    model: 'gpt-5',
    headers: {},
    body: { model: 'gpt-5', input: 'Hello' },
    form: 'plain',
    words: (answer) => textAt(answer, ['output', -1, 'content', 0, 'text']),
  },
  {
    name: 'Messages',
    path: '/v1/messages',
    model: 'claude-sonnet-5',
    headers: { 'anthropic-version': '2023-06-01' },
    body: { model: 'claude-sonnet-5', max_tokens: 256, messages: HELLO },
    form: 'plain',
    words: (answer) => textAt(answer, ['content', -1, 'text']),
  },
  {
    name: 'generateContent',
    path: '/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse',
    model: 'gemini-3-pro',
    headers: {},
    body: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
    form: 'stream',
    words: (event) => textAt(event, ['candidates', 0, 'content', 'parts', 0, 'text']),
  },
  {
    name: 'Images',
    path: '/v1/images/generations',
    model: 'gpt-image-1',
    headers: {},
    body: { model: 'gpt-image-1', prompt: 'A toll gate at dawn' },
    form: 'plain',
    words: (answer) => {
      const picture = textAt(answer, ['data', 0, 'b64_json']);
      return picture === '' ? '' : `(a picture of ${Buffer.byteLength(picture, 'base64')} bytes)`;
    },
  },
];

/** It outlives its call, so the demo itself makes none. */
export const VIDEO: Shape = {
  name: 'Videos',
  path: '/v1/videos',
  model: 'sora-2',
  headers: {},
  body: { model: 'sora-2', prompt: 'A toll gate at dawn' },
  form: 'plain',
  words: (answer) => textAt(answer, ['id']),
};

/** The text of an answer; for a stream, of all its events together. */
export function answerText(shape: Shape, answer: string): string {
  const pieces = shape.form === 'plain' ? [answer] : answer.split('\n').flatMap(parseDataLine);
  return pieces
    .map((piece) => parseJson(piece, JSON_BOUNDS))
    .map((parsed) => (parsed.kind === 'parsed' ? shape.words(parsed.value) : ''))
    .join('');
}

function parseDataLine(line: string): string[] {
  return line.startsWith('data:') ? [line.slice('data:'.length).trim()] : [];
}

/** The text at a path, '' if there is none. A negative index counts from the end. */
function textAt(value: unknown, path: readonly (string | number)[]): string {
  let at = value;
  for (const step of path) {
    if (typeof step === 'number') at = Array.isArray(at) ? at.at(step) : undefined;
    else at = isJsonObject(at) ? at[step] : undefined;
  }
  return typeof at === 'string' ? at : '';
}

/** A command line for curl. docs/clients.md shows it with `$KEY`, so the key is in double quotes. */
export function curlLine(shape: Shape, url: string, key: string): string {
  const headers = { 'Content-Type': 'application/json', ...shape.headers };
  const more = Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`);
  const unbuffered = shape.form === 'stream' ? '-N ' : '';
  return [
    `curl ${unbuffered}'${url}${shape.path}'`,
    [`-H "Authorization: Bearer ${key}"`, ...more].join(' '),
    `-d '${JSON.stringify(shape.body)}'`,
  ].join(' \\\n  ');
}
