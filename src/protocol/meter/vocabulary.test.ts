import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { NO_TOKEN, readVocabulary, Vocabulary } from './vocabulary.ts';

const load = createRequire(import.meta.url);
const file = readFileSync(load.resolve('gpt-tokenizer/data/o200k_base.tiktoken'));

describe('the vocabulary', () => {
  const vocabulary = readVocabulary();

  it('finds every token of the file by its bytes', () => {
    const unknown: string[] = [];
    for (const line of file.toString('latin1').trimEnd().split('\n')) {
      const [token = '', rank] = line.split(' ');
      const bytes = new Uint8Array(Buffer.from(token, 'base64'));
      if (vocabulary.findRank(bytes, 0, bytes.length) !== Number(rank)) unknown.push(line);
    }
    expect(unknown).toEqual([]);
  });

  it('finds a token in the middle of other bytes', () => {
    const bytes = new TextEncoder().encode('xx hello yy');
    expect(vocabulary.findRank(bytes, 2, 8)).toBeGreaterThan(0);
    expect(vocabulary.findRank(bytes, 2, 8)).toBe(
      vocabulary.findRank(new TextEncoder().encode(' hello'), 0, 6),
    );
  });

  it('contains all bytes, so that every text has tokens', () => {
    for (let byte = 0; byte < 256; byte++) {
      expect(vocabulary.findRank(Uint8Array.of(byte), 0, 1)).not.toBe(NO_TOKEN);
    }
  });

  it('does not find bytes that are no token', () => {
    const bytes = new TextEncoder().encode('Tollgate counts');
    expect(vocabulary.findRank(bytes, 0, bytes.length)).toBe(NO_TOKEN);
    expect(vocabulary.findRank(bytes, 0, 0)).toBe(NO_TOKEN);
  });
});

describe('a file that is not the vocabulary is refused', () => {
  const REFUSAL = 'o200k_base.tiktoken of gpt-tokenizer is damaged or another one';

  it('when it is cut short, longer or empty', () => {
    expect(() => new Vocabulary(file.subarray(0, -1))).toThrow(REFUSAL);
    expect(() => new Vocabulary(file.subarray(0, 100_000))).toThrow(REFUSAL);
    expect(() => new Vocabulary(Buffer.concat([file, Buffer.from('\n')]))).toThrow(REFUSAL);
    expect(() => new Vocabulary(Buffer.alloc(0))).toThrow(REFUSAL);
  });

  it('when one bit of it is different', () => {
    for (const at of [0, 5, 1_000_000, file.length - 1]) {
      const damaged = Buffer.from(file);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
      expect(() => new Vocabulary(damaged)).toThrow(REFUSAL);
    }
  });

  it('when it is another vocabulary', () => {
    const other = readFileSync(load.resolve('gpt-tokenizer/data/cl100k_base.tiktoken'));
    expect(() => new Vocabulary(other)).toThrow(REFUSAL);
  });
});
