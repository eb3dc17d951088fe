import { TOKENIZE_BYTES_MAX } from '../../bounds.ts';
import { TokenCounter } from './bpe.ts';
import { readVocabulary } from './vocabulary.ts';

/**
 * The tokenizer for usage that no vendor reported: OpenAI's o200k, which is within a few percent of the
 * others for ordinary text. It is loaded on first use (some 50 milliseconds), or by `loadTokenizer` at a
 * quiet time.
 */
let counter: TokenCounter | undefined;
/** Longer text is sampled at this many places. */
const SAMPLES = 8;

export function loadTokenizer(): void {
  loaded();
}

/** The tokens of a text. A text longer than TOKENIZE_BYTES_MAX characters is sampled and scaled. */
export function countTokens(text: string): number {
  if (text === '') return 0;
  const tokenizer = loaded();
  if (text.length <= TOKENIZE_BYTES_MAX) return tokenizer.count(text);
  const length = TOKENIZE_BYTES_MAX / SAMPLES;
  const step = (text.length - length) / (SAMPLES - 1);
  let tokens = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const start = Math.floor(sample * step);
    tokens += tokenizer.count(text.slice(start, start + length));
  }
  return Math.ceil((tokens * text.length) / TOKENIZE_BYTES_MAX);
}

function loaded(): TokenCounter {
  counter ??= new TokenCounter(readVocabulary());
  return counter;
}
