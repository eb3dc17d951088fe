import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/kernel/random.ts';
import { countTokens, splitTokens } from './tokens.ts';
import { drawTokens, VOCABULARIES } from './words.ts';

describe('words', () => {
  it('are one token each, bare and behind a space, so that the truth needs no tokenizer', () => {
    for (const word of [...VOCABULARIES.plain, ...VOCABULARIES.unicode]) {
      expect([word, encode(word).length, encode(` ${word}`).length]).toEqual([word, 1, 1]);
    }
  });

  it('stay one token each when they stand together', () => {
    for (const vocabulary of ['plain', 'unicode'] as const) {
      const text = drawTokens(seededRandom(7), 500, vocabulary).join('');
      expect(countTokens(text)).toBe(500);
    }
  });

  it('are the same for the same seed', () => {
    expect(drawTokens(seededRandom(3), 20, 'plain')).toEqual(drawTokens(seededRandom(3), 20, 'plain'));
    expect(drawTokens(seededRandom(3), 20, 'plain')).not.toEqual(drawTokens(seededRandom(4), 20, 'plain'));
  });
});

describe('tokens', () => {
  it('of a text put together again are the text', () => {
    for (const text of ['{"city":"Paris","days":3}', 'grüße 世界 😀 <|endoftext|>', '']) {
      const pieces = splitTokens(text);
      expect(pieces.join('')).toBe(text);
      expect(pieces.length).toBe(countTokens(text));
    }
  });
});
