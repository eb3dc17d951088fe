import { decode, encode } from 'gpt-tokenizer/encoding/o200k_base';
import { COUNT_CACHED_CHARACTERS_MAX, COUNT_CACHED_MAX, COUNT_EXACT_CHARACTERS_MAX } from '../bounds.ts';

const counted = new Map<string, number>();

/** Tokens of o200k_base, for all vendors: one documented rule is worth more here than three secret ones. */
export function countTokens(text: string): number {
  if (text === '') return 0;
  if (text.length > COUNT_EXACT_CHARACTERS_MAX || ENDLESS_WORD.test(text)) return Math.ceil(text.length / 4);
  if (text.length > COUNT_CACHED_CHARACTERS_MAX) return encode(text, ANY_TEXT).length;
  const known = counted.get(text);
  if (known !== undefined) return known;
  const count = encode(text, ANY_TEXT).length;
  if (counted.size >= COUNT_CACHED_MAX) counted.clear();
  counted.set(text, count);
  return count;
}

/** The text in pieces of one token each; joined again they are the text. */
export function splitTokens(text: string): readonly string[] {
  const pieces: string[] = [];
  let done = '';
  const tokens = encode(text, ANY_TEXT);
  for (let index = 1; index <= tokens.length; index++) {
    // A character may be spread over several tokens; decoding the whole prefix keeps such pieces together.
    const prefix =
      index === tokens.length ? text : decode(tokens.slice(0, index)).replace(/\uFFFD{1,4}$/, '');
    pieces.push(prefix.slice(done.length));
    done = prefix;
  }
  return pieces;
}

/** The tokenizer's time grows with the square of a word's length. */
const ENDLESS_WORD = /\S{2000}/;

/** `<|endoftext|>` in a prompt is text like any other. */
const ANY_TEXT = { disallowedSpecial: new Set<string>() };
