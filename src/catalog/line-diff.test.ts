import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TextBlock } from './file/catalog-text.ts';
import { diffBlocks } from './line-diff.ts';

const block = (where: string, ...lines: readonly string[]): TextBlock => ({ where, lines });

test('a comparison names the block, and each line by its number in both texts', () => {
  const before = [block('a', 'a:'), block('a / 1', '- one', '  x', '  y'), block('a / 2', '- two')];
  const after = [block('a', 'a:'), block('a / 0', '- none'), block('a / 1', '- one', '  x', '  z')];
  const shown = diffBlocks(before, after).map(({ where, lines }) => [
    where,
    ...lines.map(({ kind, before: old, after: fresh, text }) => `${kind} ${old} ${fresh} ${text}`),
  ]);
  expect(shown).toEqual([
    ['a / 0', 'added null 2 - none'],
    ['a / 1', 'same 2 3 - one', 'same 3 4   x', 'removed 4 null   y', 'added null 5   z'],
    ['a / 2', 'removed 5 null - two'],
  ]);
});

test('equal lines far from a change are left out', () => {
  const lines = Array.from({ length: 50 }, (_, at) => `line ${at}`);
  const [hunk] = diffBlocks([block('a', ...lines)], [block('a', ...lines.with(25, 'other'))]);
  expect(hunk?.lines.map(({ before }) => before)).toEqual([23, 24, 25, 26, null, 27, 28, 29]);
});

test('both texts can be made from what a comparison keeps', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 });
  const blocks = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 5 }), lines), {
    selector: ([where]) => where,
    maxLength: 6,
  });
  const inOrder = blocks.map((all) =>
    all.toSorted(([one], [other]) => one - other).map(([where, own]) => block(String(where), ...own)),
  );
  fc.assert(
    fc.property(inOrder, inOrder, (before, after) => {
      const [old, fresh] = [before.flatMap((each) => each.lines), after.flatMap((each) => each.lines)];
      const hunks = diffBlocks(before, after);
      for (const side of ['before', 'after'] as const) {
        const order = hunks.flatMap((hunk) => hunk.lines).flatMap((line) => line[side] ?? []);
        expect(order).toEqual(order.toSorted((one, other) => one - other));
      }
      for (const line of hunks.flatMap((hunk) => hunk.lines)) {
        if (line.before !== null) expect(old[line.before - 1]).toBe(line.text);
        if (line.after !== null) expect(fresh[line.after - 1]).toBe(line.text);
      }
      const gone = new Set(
        hunks.flatMap((hunk) => hunk.lines).flatMap((l) => (l.kind === 'removed' ? [l.before] : [])),
      );
      const came = new Set(
        hunks.flatMap((hunk) => hunk.lines).flatMap((l) => (l.kind === 'added' ? [l.after] : [])),
      );
      expect(old.filter((_line, at) => !gone.has(at + 1))).toEqual(
        fresh.filter((_line, at) => !came.has(at + 1)),
      );
    }),
  );
});
