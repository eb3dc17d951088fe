import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CATALOG_TEXT, catalogDocument, NOTHING_STORED } from '../../../test/support/catalog.ts';
import type { CatalogFile } from '../document.ts';
import { editCatalog } from '../edit.ts';
import { catalogBlocks, toText } from './catalog-text.ts';
import { parseCatalog } from './file.ts';

const storedOf = (document: CatalogFile) =>
  editCatalog({ ...document, accounts: [] }, NOTHING_STORED, 'part', new Set()).after;

describe('the text of a catalogue', () => {
  const stored = storedOf(catalogDocument(CATALOG_TEXT));
  const text = toText(catalogBlocks(stored));

  test('is read back as the same catalogue, as a part and as the whole', () => {
    for (const extent of ['part', 'whole'] as const) {
      const read = parseCatalog(text, {}, { ...stored, models: new Map() }, extent);
      if (read.kind !== 'catalog') throw new Error(JSON.stringify(read.problems));
      const { changes, after } = editCatalog(read.document, stored, extent, new Set());
      expect(changes).toEqual([]);
      expect(toText(catalogBlocks(after))).toBe(text);
    }
  });

  test('contains no secret, and nothing that is the default', () => {
    expect(text).not.toMatch(/secret|sk-first|sk-spare/);
    expect(text).not.toMatch(/client_visible: true|weight: 1\b|rate_multiplier: "1"/);
    expect(text).toContain('    prices: { input: "10", output: "30.123456", cache_input: "1" }');
    expect(text).toMatch(/ {4}routes:\n {6}- \{ vendor: openai, credential: main, /);
  });

  test('keeps every text exactly, also one that looks like YAML or like a variable', () => {
    const odd = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
      fc.constantFrom(
        'yes',
        'NULL',
        '1e5',
        '- a',
        '# b',
        'a: b',
        '{x}',
        "it's",
        '$' + '{HOME}',
        '$$' + '{',
        '~',
      ),
    );
    const isTitle = (title: string): boolean => !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(title) && title.trim() !== '';
    fc.assert(
      fc.property(odd.filter(isTitle), odd, (title, body) => {
        const announcement = {
          id: 1,
          title,
          body,
          startsAt: '2026-01-01 00:00:00',
          endsAt: '2026-02-01 00:00:00',
        };
        const one = storedOf({ ...catalogDocument(''), announcements: [announcement] });
        const read = parseCatalog(toText(catalogBlocks(one)), {});
        if (read.kind !== 'catalog') throw new Error(JSON.stringify(read.problems));
        expect(read.document.announcements).toEqual([announcement]);
      }),
    );
  });
});
