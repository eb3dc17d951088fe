import { createRequire } from 'node:module';
import { TOKENIZE_BYTES_MAX } from '../bounds.ts';

/**
 * The tokenizer for what no vendor reported: OpenAI's o200k, which is within some percent of the others for
 * ordinary text. It is loaded at its first use (a quarter of a second) or by `loadTokenizer` at a quiet time.
 */
interface Encoding {
  countTokens(text: string, options: { readonly disallowedSpecial: ReadonlySet<string> }): number;
}

const load = createRequire(import.meta.url);
let encoding: Encoding | undefined;
/** `<|endoftext|>` in a text is text; by default the tokenizer throws at it. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };
/**
 * The tokenizer is quadratic in a run without a boundary: 64 KiB of Chinese take five seconds at once and
 * seven milliseconds in pieces of this length. A cut costs at most one token.
 */
const PIECE_LENGTH = 256;
/** Text over the bound is sampled at this many places. */
const SAMPLES = 8;

export function loadTokenizer(): void {
  encoding ??= load('gpt-tokenizer/encoding/o200k_base') as Encoding;
}

/** Tokens of a text; of a text longer than TOKENIZE_BYTES_MAX characters a scaled sample. */
export function countTokens(text: string): number {
  if (text.length <= TOKENIZE_BYTES_MAX) return countPieces(text);
  const length = TOKENIZE_BYTES_MAX / SAMPLES;
  const step = (text.length - length) / (SAMPLES - 1);
  let tokens = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const start = Math.floor(sample * step);
    tokens += countPieces(text.slice(start, start + length));
  }
  return Math.ceil((tokens * text.length) / TOKENIZE_BYTES_MAX);
}

function countPieces(text: string): number {
  if (text === '') return 0;
  loadTokenizer();
  let tokens = 0;
  let start = 0;
  while (start < text.length) {
    const end = pieceEnd(text, start);
    tokens += encoding?.countTokens(text.slice(start, end), AS_TEXT) ?? 0;
    start = end;
  }
  return tokens;
}

/** Cut before a space where there is one: tokens begin with their space, so nothing is lost there. */
function pieceEnd(text: string, start: number): number {
  const end = start + PIECE_LENGTH;
  if (end >= text.length) return text.length;
  const space = text.lastIndexOf(' ', end);
  return space > start ? space : end;
}
