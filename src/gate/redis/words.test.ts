import { expect, it } from 'vitest';
import { OPERATIONS, PRELUDE } from './script.ts';
import { createWriter, fillScript, readWords, TAKEN, TOLD, writeList } from './words.ts';

it('writes words by their names in the order in which a script takes them', () => {
  const write = createWriter(TAKEN.wallet);
  expect(write({ month: '2026-11', cap: 7n, exchange: true })).toBe('1 7 2026-11');
  expect(fillScript('--@ take wallet')).toBe(
    "local exchange, cap, month = take() == '1', take_amount(), take()",
  );
});

it('reads the words of an answer by the names under which a script tells them', () => {
  expect(readWords(TOLD.window, ['3', '0', '-'])).toEqual({ used: '3', held: '0', ends: '-' });
  expect(readWords(TOLD.window, ['3'])).toEqual({ used: '3', held: undefined, ends: undefined });
  expect(fillScript('--@ tell window')).toBe(
    "local function tell_window(words) return words.used .. ' ' .. words.held .. ' ' .. words.ends end",
  );
});

it('leaves no empty word for a list without items', () => {
  expect(writeList([])).toBe('0');
  expect(writeList(['a 1', 'b 2'])).toBe('2 a 1 b 2');
});

it('knows every list that a script names, and writes out all of them', () => {
  expect(() => fillScript('--@ take nothing')).toThrow('no list of words is called "nothing"');
  expect(fillScript('--@ bounds')).toBe('local LEASE_MS, KEEP_MS, SLOT_MS = 90000, 604800000, 600000');
  for (const text of [PRELUDE, OPERATIONS.text]) expect(text).not.toContain('--@ ');
});

it('gives a script the same text, and so the same hash, whenever it is made', () => {
  expect(fillScript('--@ take call')).toBe(fillScript('--@ take call'));
  expect(fillScript(OPERATIONS.text)).toBe(OPERATIONS.text);
});

it('takes no word in a script but by the name of a list', () => {
  const helpers = /local function take(_number|_amount)?\(\).*|take_(line|rules|funds|slots|back)\b/g;
  const own = OPERATIONS.text
    .replace(PRELUDE, '')
    .replace(/^ *local [a-z_, ]+ = take.*$/gm, '')
    .replace(helpers, '');
  // How many items a list has is the only word without a name.
  expect(own.replace(/= 1, take_number\(\) do/g, '')).not.toMatch(/\btake(_number|_amount)?\(/);
});
