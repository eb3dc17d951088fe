import { createHash } from 'node:crypto';
import { content, type Frame, type Framing } from '../answer/frame.ts';
import { newHexId } from '../answer/id.ts';
import type { Plan } from '../answer/plan.ts';
import type { Dialect, VendorRequest } from '../dialect.ts';
import { findOpenai } from '../models.ts';
import { readBody } from '../openai/body.ts';
import { describe, openaiError, openaiFailure, openaiHeaders } from '../openai/error.ts';
import { type Ask, type Reply, wordlessAsk } from '../request/ask.ts';
import { check } from '../request/check.ts';
import { string } from '../request/json.ts';
import { number, oneOf, type Shape, struct, text } from '../request/shape.ts';

const CHARACTERS_MAX = 4_096;
/** Pieces of the sound, and the bytes of each. */
const PIECES = 24;
const PIECE_BYTES = 512;

const REQUEST: Shape = struct({
  'model!': text(),
  'input!': text({ max: CHARACTERS_MAX }),
  'voice!': text(),
  instructions: text(),
  response_format: oneOf('mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'),
  speed: number(0.25, 4),
  stream_format: oneOf('audio', 'sse'),
});

/** The bytes of a sound that is never heard: the same for the same text. */
const SOUND: Framing = { contentType: 'audio/mpeg', lineEnd: '', write: ({ data }) => data, tail: '' };

export const openaiSpeech: Dialect = {
  vendor: 'openai',
  examine,
  newAnswerId: () => `speech_${newHexId(24)}`,
  plain: ({ ask }) => soundOf(ask.text),
  frames,
  framing: () => SOUND,
  headers: openaiHeaders,
  failure: openaiFailure,
  failureFrame: (message) => content({ data: message, output: 0 }),
};

function examine(request: VendorRequest): Ask | Reply {
  const body = readBody(request.body);
  if ('kind' in body) return body;
  const [problem] = check(REQUEST, body.value);
  if (problem !== undefined) return describe(problem);
  const name = String(body.value.model);
  const model = findOpenai(name);
  if (model?.kind !== 'speech') {
    return openaiError(404, { message: `The model '${name}' does not exist`, code: 'model_not_found' });
  }
  const words = string(body.value.input);
  // The vendor bills characters.
  const asked = { model, body: body.value, key: request.key, inputTokens: [...words].length, text: words };
  return { ...wordlessAsk(asked), stream: 'stream' };
}

function pieceOf(words: string, index: number): string {
  const seed = createHash('sha256').update(`${index} ${words}`).digest('hex');
  return seed.repeat(Math.ceil(PIECE_BYTES / seed.length)).slice(0, PIECE_BYTES);
}

export function soundOf(words: string): string {
  return Array.from({ length: PIECES }, (_, index) => pieceOf(words, index)).join('');
}

function* frames({ ask }: Plan): Iterable<Frame> {
  for (let index = 0; index < PIECES; index++) yield content({ data: pieceOf(ask.text, index), output: 0 });
}
