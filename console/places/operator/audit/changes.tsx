import type { Row } from '../../../api/api.ts';
import { Diff, type DiffLine } from '../../../parts/figures/diff.tsx';
import { Empty } from '../../../parts/page/empty.tsx';
import { useTexts } from '../../../texts/language.ts';
import { en } from './texts.en.ts';
import { zh } from './texts.zh.ts';
import { words as wordsEn } from './words.en.ts';
import { words as wordsZh } from './words.zh.ts';

export type Entry = Row<'listAuditEntries'>;
export type Words = typeof wordsEn;

export function useWords(): Words {
  return useTexts({ en: wordsEn, zh: wordsZh });
}

function fieldOf(name: string, { fields }: Words): string {
  return Object.hasOwn(fields, name) ? fields[name as keyof typeof fields] : name.replaceAll('_', ' ');
}

/** `input: 1, output: 2`, without the marks of JSON. */
export function written(value: unknown, words: Words): string {
  if (typeof value === 'string') {
    return Object.hasOwn(words.values, value) ? words.values[value as keyof typeof words.values] : value;
  }
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (value === null || value === undefined) return words.nothing;
  if (Array.isArray(value)) return value.map((each) => written(each, words)).join('; ') || words.nothing;
  if (typeof value !== 'object') return String(value);
  const parts = Object.entries(value).map(([name, each]) =>
    words.named(fieldOf(name, words), written(each, words)),
  );
  return parts.join(', ') || words.nothing;
}

interface TwoLists {
  readonly old: readonly unknown[];
  readonly now: readonly unknown[];
}

/** A list has a line for each of its entries. */
function listLines(field: string, { old, now }: TwoLists, words: Words): readonly DiffLine[] {
  const [before, after] = [old, now].map((list) => list.map((each) => written(each, words)));
  const line = (kind: DiffLine['kind']) => (text: string) => ({ kind, text: `  ${text}` });
  return [
    { kind: 'same', text: words.named(field, '') },
    ...(before ?? []).filter((each) => !after?.includes(each)).map(line('removed')),
    ...(after ?? []).map((each) => line(before?.includes(each) ? 'same' : 'added')(each)),
  ];
}

type Sides = Pick<Entry, 'before' | 'after'>;

/** What differs comes first. A field that is absent is not written. */
export function linesOf({ before, after }: Sides, words: Words): readonly DiffLine[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const all = names.map((name): readonly DiffLine[] => {
    const field = fieldOf(name, words);
    const lists = [before?.[name] ?? [], after?.[name] ?? []];
    const [old = [], now = []] = lists.filter((each) => Array.isArray(each));
    if (lists.every((each) => Array.isArray(each)) && old.length + now.length > 0) {
      return listLines(field, { old, now }, words);
    }
    const [was, is] = [before, after]
      .map((side) => side?.[name])
      .map((value) => (value === undefined ? undefined : words.named(field, written(value, words))));
    if (was === is && was !== undefined) return [{ kind: 'same', text: was }];
    return [
      ...(was === undefined ? [] : [{ kind: 'removed' as const, text: was }]),
      ...(is === undefined ? [] : [{ kind: 'added' as const, text: is }]),
    ];
  });
  const isSame = (lines: readonly DiffLine[]) => lines.every(({ kind }) => kind === 'same');
  return [...all.filter((lines) => !isSame(lines)), ...all.filter(isSame)].flat();
}

const FIELDS_MAX = 3;

/** The first fields that differ, in one line. */
export function summaryOf({ before, after }: Sides, words: Words): string {
  const text = (value: unknown) => written(value, words);
  const fields = Object.keys({ ...before, ...after }).filter(
    (field) => JSON.stringify(before?.[field]) !== JSON.stringify(after?.[field]),
  );
  return fields
    .slice(0, FIELDS_MAX)
    .map((name) => {
      const [field, old, now] = [fieldOf(name, words), before?.[name], after?.[name]];
      if (now === undefined || old === undefined) return words.is(field, text(now ?? old));
      return words.changed(field, text(old), text(now));
    })
    .join(', ');
}

export function Changes({ entry }: { readonly entry: Sides }) {
  const t = useTexts({ en, zh });
  const lines = linesOf(entry, useWords());
  return lines.length === 0 ? <Empty plain title={t.noValues} /> : <Diff lines={lines} />;
}

/** In words. Commands of the terminal have their own names, which are words. */
export function Action({ entry: { action } }: { readonly entry: Pick<Entry, 'action'> }) {
  const { verbs } = useWords();
  const name = action.slice(action.lastIndexOf('.') + 1);
  return Object.hasOwn(verbs, name) ? verbs[name as keyof typeof verbs] : action;
}
