import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLine } from './csv.ts';

test('cells are separated by commas and lines end as RFC 4180 says', () => {
  expect(csvLine(['a', 1, true, null, { figure: '-2.5' }])).toBe('a,1,true,,-2.5\r\n');
});

test('quotes, commas and line breaks are quoted', () => {
  expect(csvLine(['say "hi"', 'a,b', 'two\r\nlines', ' spaced '])).toBe(
    '"say ""hi""","a,b","two\r\nlines"," spaced "\r\n',
  );
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', ' =1', '\t=1', '\r=1', '\u00a0=1', '＝1'])(
  'a text that a spreadsheet would run is prefixed: %j',
  (text) => {
    const line = csvLine([text]);
    expect(line.replace(/^"/, '').startsWith("'")).toBe(true);
  },
);

/** The reader's side of RFC 4180. */
function readLine(line: string): readonly string[] {
  const cells: string[] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n$)/g;
  for (const [, quoted, plain] of line.matchAll(pattern)) {
    cells.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
  }
  return cells;
}

test('every text is unchanged, except for the apostrophe', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { minLength: 1, maxLength: 5 }),
      (texts) => {
        const cells = readLine(csvLine(texts));
        expect(
          cells.map((cell, place) => (texts[place]?.startsWith("'") ? cell : cell.replace(/^'/, ''))),
        ).toEqual(texts);
        for (const cell of cells) expect(cell).not.toMatch(/^\s*[=+\-@]/);
      },
    ),
  );
});
