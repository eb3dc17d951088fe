import { describe, expect, test } from 'vitest';
import { CATALOG_TEXT, storedCatalog } from '../../test/support/catalog.ts';
import { formatChange } from './diff.ts';
import { editCatalog } from './edit.ts';
import { catalogBlocks, toText } from './file/catalog-text.ts';
import { parseCatalog } from './file/file.ts';

const stored = storedCatalog(CATALOG_TEXT);
const text = toText(catalogBlocks(stored));

function edit(yaml: string, extent: 'part' | 'whole') {
  const read = parseCatalog(yaml, {}, stored, extent);
  if (read.kind === 'invalid') return read.problems.map(({ line, message }) => `${line}: ${message}`);
  return editCatalog(read.document, stored, extent, new Set());
}

function lines(yaml: string, extent: 'part' | 'whole'): readonly string[] {
  const done = edit(yaml, extent);
  return 'changes' in done ? done.changes.map(formatChange) : done;
}

/** Without the lines that contain a word. */
const without = (...words: readonly string[]): string =>
  text
    .split('\n')
    .filter((line) => !words.some((word) => line.includes(word)))
    .join('\n');

describe('a file', () => {
  test('that is a part leaves alone what it does not mention', () => {
    expect(lines('system_rate: 80', 'part')).toEqual(['updated settings catalog: system_rate 90 → 80']);
  });

  test('that is the whole removes what it leaves out, also a route that is disabled', () => {
    expect(lines(without('credential: spare'), 'whole')).toEqual(['removed route gpt via spare as gpt-x']);
    expect(lines(without('credential: spare'), 'part')).toEqual(['disabled route gpt via spare as gpt-x']);
    expect(lines('', 'whole')).toEqual([
      'updated settings catalog: system_rate 90 → 100, defaults.policy 1 → none, defaults.user_rate 95 → 100, ' +
        'verification_grants.personal 10 → 0, verification_grants.enterprise 20.5 → 0',
      'removed route gpt via spare as gpt-x',
      'removed route gpt via main as gpt',
      ...['removed plan PRO', 'removed model gpt', 'removed model painter'],
      ...['removed credential main', 'removed credential spare'],
      ...['removed vendor openai', 'removed vendor google', 'removed policy 1', 'removed policy 2'],
      ...['removed node local', 'removed announcement 1'],
    ]);
  });

  test('that is the whole refers to nothing that it leaves out', () => {
    const orphaned = text.replace(/ {2}- name: spare\n(?: {4}.*\n)*/, '');
    expect(lines(orphaned, 'whole')).toEqual([expect.stringContaining('unknown credential "spare"')]);
    expect(lines(orphaned, 'part')).toEqual([]);
  });

  test('keeps the secret of a credential that it mentions without one, and needs that of a new one', () => {
    const done = edit(text.replace('limits: { rpm: 60 }', 'limits: { rpm: 61 }'), 'whole');
    if (!('after' in done)) throw new Error(done.join());
    expect(done.after.credentials.get('main')).toMatchObject({ secret: 'sk-first-secret-value' });
    expect(done.changes.map(formatChange)).toEqual(['updated credential main: limits.rpm 60 → 61']);
    const added = text.replace('credentials:', 'credentials:\n  - { name: more, vendor: openai }');
    expect(lines(added, 'whole')).toEqual([expect.stringMatching(/^\d+: is required$/)]);
  });
});
