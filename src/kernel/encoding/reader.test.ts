import { describe, expect, it } from 'vitest';
import {
  count,
  duration,
  flag,
  integer,
  listOf,
  Misfit,
  micro,
  objectWith,
  oneOf,
  orElse,
  orNull,
  orUnset,
  type Read,
  readOwn,
  text,
} from './reader.ts';

const readPage = objectWith<{ title: string; lines: readonly { words: number }[] }>({
  title: text,
  lines: listOf(objectWith<{ words: number }>({ words: count })),
});

describe('a reader', () => {
  it('returns the named fields and leaves out all others', () => {
    const page = { title: 'a', lines: [{ words: 1, more: 2 }], other: true };
    expect(readPage(page)).toEqual({ title: 'a', lines: [{ words: 1 }] });
  });

  it.each([
    [{ title: 'a', lines: [{ words: 1 }, { words: -1 }] }, 'lines[1].words', 'a whole number from 0'],
    [{ title: 'a', lines: {} }, 'lines', 'a list'],
    [{ lines: [] }, 'title', 'a text'],
    [{ title: 'a', lines: [null] }, 'lines[0]', 'an object'],
    [[], '', 'an object'],
  ])('names the place in %j and what belongs there', (value, path, wanted) => {
    expect(readPage(value)).toEqual(new Misfit(wanted, path));
  });

  it.each<[string, Read<unknown>, readonly unknown[], readonly unknown[]]>([
    ['text', text, ['', 'a'], [1, null, undefined]],
    ['flag', flag, [true, false], [0, 'true', null]],
    ['integer', integer, [-1, 0], [0.5, '1', Number.NaN, 2 ** 53]],
    ['count', count, [0, 7], [-1, 0.5, '7']],
    ['duration', duration, [0, 0.5], [-1, Number.POSITIVE_INFINITY, '1']],
    ['oneOf', oneOf('a', 'b'), ['a', 'b'], ['c', '', null]],
    ['orNull', orNull(text), [null, 'a'], [undefined, 1]],
  ])('%s takes its own values as they are, and nothing else', (_name, read, good, bad) => {
    expect(good.map(read)).toEqual(good);
    for (const value of bad) expect(read(value)).toBeInstanceOf(Misfit);
  });

  it('reads amounts from texts of digits', () => {
    expect(micro('12345678901234567890')).toBe(12_345_678_901_234_567_890n);
    for (const value of ['', '-1', '1.5', '1e3', 12, ' 1', '9'.repeat(31)]) {
      expect(micro(value)).toBeInstanceOf(Misfit);
    }
  });

  it('takes null and nothing for a value that is not set', () => {
    expect([undefined, null, 1].map(orUnset(count))).toEqual([undefined, undefined, 1]);
    expect(orUnset(count)('1')).toBeInstanceOf(Misfit);
  });

  it('has a fallback for what is absent, not for what is wrong', () => {
    expect(orElse(text, 'none')(undefined)).toBe('none');
    expect(orElse(text, 'none')(null)).toBeInstanceOf(Misfit);
  });
});

it('own data that does not fit is an error with its place', () => {
  expect(readOwn(readPage, { title: 'a', lines: [] }, 'a page')).toEqual({ title: 'a', lines: [] });
  expect(() => readOwn(readPage, { title: 'a', lines: [{}] }, 'a page')).toThrow(
    'lines[0].words of a page is not a whole number from 0',
  );
  expect(() => readOwn(readPage, null, 'a page')).toThrow('a page is not an object');
});
