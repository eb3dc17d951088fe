import { describe, expect, it } from 'vitest';
import { LongTexts } from './long-texts.ts';

describe('the texts of a stream', () => {
  it('are inserted wherever they occur, short or long, in order', () => {
    const texts = new LongTexts();
    const [short, long, other] = ['"short"\n', `→ ${'long\n'.repeat(1000)}`, 'other"'.repeat(1000)];
    const told = [short, long, other, long].map((text) => texts.keep(JSON.stringify(text)).text);
    const written = `{"all":[${told.join(',')}],"again":${told[1]}}`;
    expect(JSON.parse(texts.toBytes(written).toString())).toEqual({
      all: [short, long, other, long],
      again: long,
    });
    // What made the detour worth it: the long ones were not written out.
    expect(written.length).toBeLessThan(200);
  });

  it('may contain the character of the marks, which JSON escapes', () => {
    const texts = new LongTexts();
    const text = '\u00000\u0000'.repeat(1000);
    const written = `[${texts.keep(JSON.stringify(text)).text},${texts.keep(JSON.stringify('\u0000')).text}]`;
    expect(JSON.parse(texts.toBytes(written).toString())).toEqual([text, '\u0000']);
  });
});
