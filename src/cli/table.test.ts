import { expect, test } from 'vitest';
import { facts, pageLine, table } from './table.ts';

test('columns are as wide as their widest cell, without trailing blanks', () => {
  const rows = [
    ['1', 'a long name', 'x'],
    ['1000', 'b', ''],
  ];
  expect(table(['ID', 'NAME', 'C'], rows)).toEqual([
    'ID    NAME         C',
    '1     a long name  x',
    '1000  b',
  ]);
});

test('a name cannot move the cursor, colour the terminal or turn the text around', () => {
  const evil = 'a\u001b[31mb\nc\u202ed\u2028e';
  expect(table(['NAME'], [[evil]])).toEqual(['NAME', 'a·[31mb·c·d·e']);
  expect(facts([['name', evil]])).toEqual(['name  a·[31mb·c·d·e']);
});

test('a page shows its range, unless it is everything', () => {
  expect(pageLine(3, 0, 3)).toEqual([]);
  expect(pageLine(20, 40, 99)).toEqual(['41 to 60 of 99']);
  expect(pageLine(0, 100, 99)).toEqual(['no entries on this page, 99 in total']);
});
