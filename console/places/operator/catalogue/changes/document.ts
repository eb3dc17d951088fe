import { parse } from 'yaml';

/** An entry as the catalogue file writes it: without values that are the default, amounts as texts. */
export type Entry = Readonly<Record<string, unknown>>;
/** The catalogue file: settings, and a list for each kind of entry. */
export type Document = Readonly<Record<string, unknown>>;

/** The field that names an entry of a kind. */
export const KEYS = {
  vendors: 'code',
  credentials: 'name',
  models: 'model_id',
  policies: 'id',
  plans: 'code',
  nodes: 'name',
  announcements: 'id',
  accounts: 'email',
} as const;
export type Kind = keyof typeof KEYS;
export const KINDS = Object.keys(KEYS) as readonly Kind[];

/** In the file `$${` stands for `${`: a text is never taken for a variable of the environment. */
export function readDocument(text: string): Document {
  const read = parse(text, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('$${', () => '${') : value,
  ) as unknown;
  return typeof read === 'object' && read !== null ? (read as Document) : {};
}

/** JSON is YAML, and keeps every text as it is. */
export function writeDocument(document: Document): string {
  return JSON.stringify(document, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('${', () => '$${') : value,
  );
}

export function entriesOf(document: Document, kind: Kind): readonly Entry[] {
  const list = document[kind];
  return Array.isArray(list) ? (list as readonly Entry[]) : [];
}

export function keyOf(kind: Kind, entry: Entry): string {
  return String(entry[KEYS[kind]] ?? '');
}

export function findEntry(document: Document, kind: Kind, key: string): Entry | undefined {
  return entriesOf(document, kind).find((entry) => keyOf(kind, entry) === key);
}

/** The next free id of a kind whose entries have numbers. */
export function nextId(document: Document, kind: 'policies' | 'announcements'): number {
  return Math.max(0, ...entriesOf(document, kind).map(({ id }) => Number(id) || 0)) + 1;
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, each]) => [name, inOrder(each)]),
  );
}

/** Whether two values say the same; the order of their fields does not matter. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(inOrder(one)) === JSON.stringify(inOrder(other));
}

/** An entry with one field set. What is the default is left out, as the file has it. */
export function withField(entry: Entry, name: string, value: unknown, usual?: unknown): Entry {
  const { [name]: _old, ...rest } = entry;
  if (value === undefined || value === null || isSame(value, usual)) return rest;
  return Object.hasOwn(entry, name) ? { ...entry, [name]: value } : { ...rest, [name]: value };
}

/** A whole number as one; anything else stays the text that was typed, for the server to judge. */
export function toWhole(typed: string): number | string | undefined {
  const text = typed.replaceAll(',', '').trim();
  if (text === '') return undefined;
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

export function toAmount(typed: string): string | undefined {
  const text = typed.replaceAll(',', '').trim();
  return text === '' ? undefined : text;
}

/** The lines of one entry in the text of the server: from, and behind the last. */
export function blockOf(
  lines: readonly string[],
  kind: Kind,
  key: string,
): readonly [number, number] | undefined {
  const head = lines.indexOf(`${kind}:`);
  if (head < 0) return undefined;
  for (let at = head + 1; at < lines.length && lines[at]?.startsWith('  ') === true; at++) {
    if (lines[at]?.startsWith('  - ') !== true) continue;
    let end = at + 1;
    while (end < lines.length && lines[end]?.startsWith('    ') === true) end++;
    const first = readDocument((lines[at] ?? '').slice(4));
    if (keyOf(kind, first) === key) return [at, end];
  }
  return undefined;
}

/** One entry as text, without the indentation of the list. */
export function entryText(text: string, kind: Kind, key: string): string | undefined {
  const lines = text.split('\n');
  const block = blockOf(lines, kind, key);
  return (
    block &&
    lines
      .slice(...block)
      .map((line) => line.slice(4))
      .join('\n')
  );
}

/** The text with one entry replaced, and how many lines stand before that entry. */
export function withEntryText(
  text: string,
  { kind, key, typed }: { readonly kind: Kind; readonly key: string; readonly typed: string },
): { readonly text: string; readonly before: number } | undefined {
  const lines = text.split('\n');
  const block = blockOf(lines, kind, key);
  if (block === undefined) return undefined;
  const written = typed
    .trimEnd()
    .split('\n')
    .map((line, at) => (at === 0 ? `  - ${line}` : `    ${line}`));
  return { text: lines.toSpliced(block[0], block[1] - block[0], ...written).join('\n'), before: block[0] };
}
