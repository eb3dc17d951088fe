import fc from 'fast-check';
import { countTokens as countByLibrary } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { PIECE_BYTES_MAX, TokenCounter } from './bpe.ts';
import { readVocabulary } from './vocabulary.ts';

const counter = new TokenCounter(readVocabulary());
const RUNS = 400;
/** The library strips it from what it looks up, so that it never finds a token that begins with it. */
const BYTE_ORDER_MARK = '\uFEFF';

/** By default the library throws at `<|endoftext|>`. */
function expected(text: string): number {
  return countByLibrary(text, { disallowedSpecial: new Set() });
}

const TEXTS: Readonly<Record<string, string>> = {
  English:
    "The quick brown fox jumps over the lazy dog; it's a well-known pangram, isn't it? Antidisestablishment.",
  shouting: 'READ THIS NOW! HTTPServer XMLHttpRequest iPhone McDonald ABCdefGHI ǅungla ǅ',
  code: 'export const f = async <T>(x: T[]): Promise<void> => {\n\tfor (let i = 0; i < 10; i++) {\r\n    g(x[i]);\n};//\n',
  JSON: JSON.stringify({
    id: 'chatcmpl-9x',
    list: [1, 2.5, -3e10, null, true],
    text: 'a\n"b"\\',
    deep: { a: {} },
  }),
  Chinese: '这是一个测试文本，用于计算令牌的数量。機器學習與人工智慧。',
  Japanese: 'これはテストです。東京タワーは高い！ｶﾀｶﾅとひらがな、漢字。',
  Korean: '안녕하세요, 세계! 이것은 토큰을 세는 시험입니다.',
  Arabic: 'مرحبا بالعالم! هذا اختبارٌ لعدِّ الرموز ١٢٣٤٥.',
  Hindi: 'नमस्ते दुनिया! यह टोकन गिनने का परीक्षण है। १२३४',
  Thai: 'สวัสดีชาวโลก นี่คือการทดสอบ',
  Russian: 'Съешь ещё этих мягких французских булок, да выпей же чаю. ПРИВЕТ Мир',
  Hebrew: 'שָׁלוֹם עוֹלָם',
  emoji: '😀👩‍👩‍👧‍👦🏳️‍🌈👍🏽🇩🇪 ok 🫠🫠🫠 1️⃣',
  numbers: '1 12 123 1234 12345678901234567890 3.14159 1,000,000 ½ ² Ⅷ ١٢٣٤ 0x7fFF',
  blanks: 'a  b   c \t d\n\n\n e \r\n\r\n  f\n \n  \n\u00A0\u2003\u3000g   ',
  contractions:
    "I'm you're he's we'll they've I'd don't DON'T I'M YOU'RE WE'LL 'tis rock'n'roll x'ſ y'K 's 'll",
  accents: 'café cafe\u0301 Z\u0351\u036B\u0343a\u0308lgo \u0301\u0301A naïve Ångström A\u030A \u0301Abc',
  controls: '\u0000\u0001\u0007\b\u001B[31mred\u007F\u0085\u2028\u2029\u200B\u00ADx',
  marks: 'hello <|endoftext|> <|fim_prefix|><|im_start|>user<|im_end|><|endofprompt|>',
  signs: '!!! ??? ---===>>> //// /* */ #!/bin/sh $$ ((a)) "quoted" ... \n/\n//\r\n',
  'private use': '\uE000\uFFFD\uFFFF\u{10FFFF}\u{F0000}',
};

describe('a text has as many tokens as the library counts', () => {
  it.each(Object.entries(TEXTS))('%s', (_name, text) => {
    expect(counter.count(text)).toBe(expected(text));
    expect(counter.count(text.repeat(7))).toBe(expected(text.repeat(7)));
    for (let at = 1; at < text.length; at++) {
      // Cuts fall into characters too, which leaves half of a surrogate pair on both sides.
      expect(counter.count(text.slice(at))).toBe(expected(text.slice(at)));
      expect(counter.count(text.slice(0, at))).toBe(expected(text.slice(0, at)));
    }
  });

  it('when it is empty', () => {
    expect(counter.count('')).toBe(0);
  });

  it('with lone surrogates', () => {
    for (const text of [
      '\uD83D',
      '\uDE00',
      'a\uD83D b',
      '\uDE00\uD83D',
      'x\uD83D\uD83D\uDE00y',
      "\uD83D's",
    ]) {
      expect(counter.count(text)).toBe(expected(text));
    }
  });

  it('in runs without a boundary, below the cut', () => {
    for (const unit of ['a', 'A', ' ', '\n', '-', 'é', 'xyzzy', '这是一个测试文本用于计算', '😀', '\u0301']) {
      const text = unit.repeat(Math.floor(PIECE_BYTES_MAX / 4 / Buffer.byteLength(unit)));
      expect(counter.count(text)).toBe(expected(text));
    }
  });

  it('with any characters', () => {
    const letter = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 });
    const text = fc.string({ unit: 'binary', maxLength: 200 });
    check(
      fc.oneof(
        text,
        fc.tuple(letter, fc.nat(40)).map(([one, times]) => one.repeat(times)),
      ),
    );
  });

  it('with any units of UTF-16, halves of surrogate pairs too', () => {
    const unit = fc.oneof(fc.nat(0xffff), fc.integer({ min: 0xd800, max: 0xdfff }), fc.nat(0x7f));
    check(fc.array(unit, { maxLength: 80 }).map((units) => String.fromCharCode(...units)));
  });

  it('in any mix of scripts, signs, numbers and blanks', () => {
    const words = Object.values(TEXTS).flatMap((text) => [...text.split(/\b/), ...text.split(' ')]);
    const blank = fc.constantFrom('', '', ' ', '  ', '\n', '\r\n', '\t', "'", '/', '.', '\u0301');
    const part = fc.oneof(
      fc.constantFrom(...words),
      blank,
      fc.string({ maxLength: 5 }),
      fc.nat().map(String),
    );
    check(fc.array(part, { maxLength: 60 }).map((parts) => parts.join('')));
  });

  function check(texts: fc.Arbitrary<string>): void {
    fc.assert(
      fc.property(texts, (drawn) => {
        const text = drawn.replaceAll(BYTE_ORDER_MARK, '');
        expect(counter.count(text)).toBe(expected(text));
      }),
      { numRuns: runs(RUNS) },
    );
  }
});

describe('the tokenizer, without the library', () => {
  it('counts a byte order mark as the token of the vocabulary, alone and with a word', () => {
    expect(counter.count(BYTE_ORDER_MARK)).toBe(1);
    expect(counter.count(`${BYTE_ORDER_MARK}using`)).toBe(1);
    expect(counter.count(`${BYTE_ORDER_MARK}using System;`)).toBe(1 + expected(' System;'));
  });

  it('counts a token or two more at a cut in a very long run', () => {
    const unit = '这是一个测试文本用于计算';
    const text = unit.repeat(2_000);
    const cuts = Buffer.byteLength(text) / PIECE_BYTES_MAX;
    const exact = (counter.count(unit.repeat(200)) - counter.count(unit.repeat(100))) * 20;
    expect(Math.abs(counter.count(text) - exact)).toBeLessThan(4 * cuts);
  });

  it('keeps no state between texts', () => {
    const before = counter.count(TEXTS.English ?? '');
    counter.count('😀'.repeat(50_000));
    expect(counter.count(TEXTS.English ?? '')).toBe(before);
  });
});
