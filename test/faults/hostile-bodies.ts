/** Bodies that no honest party sends: within the bounds of size, and as much work as they can be. */

const MIB = 1024 * 1024;

export type Shape = 'chat' | 'messages' | 'responses' | 'gemini';

/** Many of the same, made in pieces: a text of many megabytes is no string here. */
export function many(piece: string, bytes: number, separator = ','): Buffer {
  const one = Buffer.from(piece + separator);
  const count = Math.max(1, Math.floor(bytes / one.length));
  const whole = Buffer.alloc(count * one.length, one);
  return whole.subarray(0, whole.length - separator.length);
}

function json(open: string, inner: Buffer, close: string): Buffer {
  return Buffer.concat([Buffer.from(open), inner, Buffer.from(close)]);
}

const USAGE: Readonly<Record<Shape, string>> = {
  chat: '"usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12}',
  messages: '"usage":{"input_tokens":5,"output_tokens":7}',
  responses: '"usage":{"input_tokens":5,"output_tokens":7,"total_tokens":12}',
  gemini: '"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":7,"totalTokenCount":12}',
};

/** An answer opens so, and closes so around the elements of its list. */
const OPEN: Readonly<Record<Shape, string>> = {
  chat: '{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[',
  messages: '{"id":"m","type":"message","role":"assistant","model":"m","stop_reason":"end_turn","content":[',
  responses: '{"id":"resp_1","object":"response","status":"completed","created_at":1,"model":"m","output":[',
  gemini: '{"modelVersion":"m","candidates":[',
};

/** One element of the list with a text in it. */
const ELEMENT: Readonly<Record<Shape, (text: string) => string>> = {
  chat: (text) => `{"index":0,"message":{"content":"${text}"}}`,
  messages: (text) => `{"type":"text","text":"${text}"}`,
  responses: (text) => `{"type":"message","content":[{"type":"output_text","text":"${text}"}]}`,
  gemini: (text) => `{"content":{"parts":[{"text":"${text}"}]}}`,
};

function around(shape: Shape, inner: Buffer, usage = USAGE[shape]): Buffer {
  return json(OPEN[shape], inner, usage === '' ? ']}' : `],${usage}}`);
}

/** An answer with one long string; what stands in it is repeated. */
function oneText(shape: Shape, piece: string, bytes: number, usage = USAGE[shape]): Buffer {
  const [open = '', close = ''] = ELEMENT[shape]('\0').split('\0');
  return around(shape, json(open, many(piece, bytes, ''), close), usage);
}

export const ANSWERS: Readonly<Record<string, (shape: Shape) => Buffer>> = {
  'many elements, 19 MB': (shape) => around(shape, many(ELEMENT[shape]('a'), 19_000_000)),
  'many elements without usage': (shape) => around(shape, many(ELEMENT[shape]('a b'), 19_000_000), ''),
  'many empty objects': (shape) => around(shape, many('{}', 8 * MIB)),
  'many keys beside the list': (shape) =>
    json('{"model":"m",', many('"a":1', 8 * MIB), `,${OPEN[shape].slice(1)}]}`),
  'many middling strings': (shape) => around(shape, many(ELEMENT[shape]('x'.repeat(9_000)), 40 * MIB)),
  blanks: (shape) => around(shape, many('  ', 32 * MIB, ' ')),
  deep: (shape) =>
    around(shape, json('', Buffer.concat([many('[', 8 * MIB, ''), many(']', 8 * MIB, '')]), '')),
  'one long text': (shape) => oneText(shape, 'word and word ', 40 * MIB),
  'one long text without usage': (shape) => oneText(shape, 'word and word ', 40 * MIB, ''),
  'one text of escapes': (shape) => oneText(shape, '\\"', 32 * MIB),
  'one text of escapes without usage': (shape) => oneText(shape, '\\u00e9\\n', 32 * MIB, ''),
  'one text of backslashes': (shape) => oneText(shape, '\\\\', 32 * MIB, ''),
  'one text in base64 without usage': (shape) => oneText(shape, 'QUJDREVG', 32 * MIB, ''),
  'one text in Chinese without usage': (shape) => oneText(shape, '世界，', 8 * MIB, ''),
  'one short text': (shape) => oneText(shape, 'word ', 20),
  'middling elements': (shape) => around(shape, many(ELEMENT[shape]('a'), 900_000)),
  'an error of a megabyte': () => json('{"error":{"message":"x","details":[', many('{}', 1_040_000), ']}}'),
};

/** What opens and closes one event of a stream, around an element. */
const EVENT: Readonly<Record<Shape, (inner: Buffer) => Buffer>> = {
  chat: (inner) =>
    json('data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[', inner, ']}\n\n'),
  messages: (inner) =>
    json(
      'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x","more":[',
      inner,
      ']}}\n\n',
    ),
  responses: (inner) =>
    json(
      'data: {"type":"response.completed","response":{"id":"resp_1","model":"m","status":"completed","output":[',
      inner,
      ']}}\n\n',
    ),
  gemini: (inner) => json('data: {"modelVersion":"m","candidates":[', inner, ']}\n\n'),
};

const START: Readonly<Record<Shape, string>> = {
  chat: 'data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n',
  messages:
    'data: {"type":"message_start","message":{"id":"m","model":"m","content":[],"usage":{"input_tokens":5,"output_tokens":1}}}\n\n' +
    'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n',
  responses:
    'data: {"type":"response.created","response":{"id":"resp_1","model":"m","status":"in_progress","output":[]}}\n\n',
  gemini: 'data: {"modelVersion":"m","candidates":[{"content":{"parts":[{"text":"a"}]}}]}\n\n',
};

const DELTA: Readonly<Record<Shape, (text: string) => string>> = {
  chat: (text) => `{"index":0,"delta":{"content":"${text}"}}`,
  messages: ELEMENT.messages,
  responses: ELEMENT.responses,
  gemini: ELEMENT.gemini,
};

function begun(shape: Shape, ...events: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from(START[shape]), ...events]);
}

function oneDelta(shape: Shape, piece: string, bytes: number): Buffer {
  const [open = '', close = ''] = DELTA[shape]('\0').split('\0');
  return begun(shape, EVENT[shape](json(open, many(piece, bytes, ''), close)));
}

export const STREAMS: Readonly<Record<string, (shape: Shape) => Buffer>> = {
  'many tiny events': (shape) =>
    begun(shape, many(String(EVENT[shape](Buffer.from(DELTA[shape]('a')))), 8 * MIB, '')),
  'one event of many elements': (shape) => begun(shape, EVENT[shape](many(DELTA[shape]('a'), 8 * MIB))),
  'one event of many empty objects': (shape) => begun(shape, EVENT[shape](many('{}', 8 * MIB))),
  'events of many elements': (shape) =>
    begun(shape, ...Array.from({ length: 4 }, () => EVENT[shape](many(DELTA[shape]('a'), 900_000)))),
  'one event of one text': (shape) => oneDelta(shape, 'word and word ', 23 * MIB),
  'one event of one text in base64': (shape) => oneDelta(shape, 'QUJDREVG', 23 * MIB),
  'one event of escapes': (shape) => oneDelta(shape, '\\n', 8 * MIB),
  'one event of blanks': (shape) => begun(shape, EVENT[shape](many('  ', 8 * MIB, ' '))),
  'one event of many lines': (shape) => begun(shape, json('', many('data: \n', 8 * MIB, ''), '\n')),
  'one event of many comments': (shape) => begun(shape, json('', many(':\r\n', 8 * MIB, ''), '\n')),
  'blank lines': (shape) => begun(shape, many('\n', 8 * MIB, '')),
  'a first event that is an error': () =>
    json('data: {"error":{"message":"x","more":[', many('{}', 1_040_000), ']}}\n\n'),
};

const REQUEST_OPEN: Readonly<Record<Shape, string>> = {
  chat: '{"model":"MODEL","messages":[',
  messages: '{"model":"MODEL","max_tokens":100,"messages":[',
  responses: '{"model":"MODEL","input":[',
  gemini: '{"contents":[',
};

const TURN: Readonly<Record<Shape, (text: string) => string>> = {
  chat: (text) => `{"role":"user","content":"${text}"}`,
  messages: (text) => `{"role":"user","content":"${text}"}`,
  responses: (text) => `{"role":"user","content":"${text}"}`,
  gemini: (text) => `{"role":"user","parts":[{"text":"${text}"}]}`,
};

const TOOL: Readonly<Record<Shape, string>> = {
  chat: '{"type":"function","function":{"name":"f","parameters":{}}}',
  messages: '{"name":"f","input_schema":{"type":"object"}}',
  responses: '{"type":"function","name":"f","parameters":{}}',
  gemini: '{"functionDeclarations":[{"name":"f"}]}',
};

function asked(shape: Shape, inner: Buffer, rest = ''): Buffer {
  return json(REQUEST_OPEN[shape], inner, `]${rest}}`);
}

function oneTurn(shape: Shape, piece: string, bytes: number): Buffer {
  const [open = '', close = ''] = TURN[shape]('\0').split('\0');
  return asked(shape, json(open, many(piece, bytes, ''), close));
}

export const REQUESTS: Readonly<Record<string, (shape: Shape) => Buffer>> = {
  'a short one': (shape) => asked(shape, Buffer.from(TURN[shape]('a'))),
  'a hundred thousand messages': (shape) => asked(shape, many(TURN[shape]('a'), 4_000_000)),
  'as many messages as are converted': (shape) => asked(shape, many(TURN[shape]('a'), 150_000)),
  'twenty thousand tools': (shape) =>
    json(`${REQUEST_OPEN[shape]}${TURN[shape]('a')}],"tools":[`, many(TOOL[shape], 1_000_000), ']}'),
  'many numbers': (shape) => asked(shape, many('1', 16 * MIB)),
  'many empty objects': (shape) => asked(shape, many('{}', 8 * MIB)),
  'many keys': (shape) =>
    json('{"x":{', many('"a":1', 8 * MIB), `},${REQUEST_OPEN[shape].slice(1)}${TURN[shape]('a')}]}`),
  'one message of many keys': (shape) =>
    asked(shape, json('{"id":"x","role":"user",', many('"a":1', 31 * MIB), '}')),
  'one long text': (shape) => oneTurn(shape, 'word and word ', 20 * MIB),
  'one text of escapes': (shape) => oneTurn(shape, '\\u00e9\\"', 20 * MIB),
  'one text in Chinese': (shape) => oneTurn(shape, '世界，', 20 * MIB),
};
