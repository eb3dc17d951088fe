import { createStore } from '../../../../app/store.ts';
import {
  type Document,
  type Entry,
  entriesOf,
  findEntry,
  isSame,
  KINDS,
  type Kind,
  keyOf,
} from './document.ts';

/** One entry, or one of the settings, that differs from the catalogue. Null: it is not there. */
export interface Edit {
  readonly kind: Kind | 'settings';
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** What is changed but not applied. It survives a reload of the page, without secrets. */
export type Draft = readonly Edit[];

const KEPT = 'tollgate.catalogue-draft';
const SECRETS = new Set(['secret', 'password']);

function restore(): Draft {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEPT) ?? '[]');
    return Array.isArray(kept) ? (kept as Draft) : [];
  } catch {
    return [];
  }
}

export function withoutSecrets(draft: Draft): string {
  return JSON.stringify(draft, (name, value: unknown) => (SECRETS.has(name) ? undefined : value));
}

export const draft = createStore<Draft>(typeof sessionStorage === 'undefined' ? [] : restore());

export function setDraft(edits: Draft): void {
  if (edits.length === 0) sessionStorage.removeItem(KEPT);
  else sessionStorage.setItem(KEPT, withoutSecrets(edits));
  draft.write(edits);
}

/** The text that is typed on the page of the file. Undefined: the page shows the draft. */
export const typedFile = createStore<string | undefined>(undefined);

export function discardDraft(): void {
  typedFile.write(undefined);
  setDraft([]);
}

function current(document: Document, kind: Edit['kind'], key: string): unknown {
  return (kind === 'settings' ? document[key] : findEntry(document, kind, key)) ?? null;
}

/** One more edit. An entry that is again as it was is no edit. */
export function putEdit(base: Document, edits: Draft, edit: Omit<Edit, 'before'>): Draft {
  const { kind, key, after } = edit;
  const isIt = (each: Edit) => each.kind === kind && each.key === key;
  const known = edits.find(isIt);
  const before = known === undefined ? current(base, kind, key) : known.before;
  if (isSame(before, after)) return edits.filter((each) => !isIt(each));
  const made: Edit = { kind, key, before, after };
  return known === undefined ? [...edits, made] : edits.map((each) => (isIt(each) ? made : each));
}

/** The catalogue as it would be. */
export function withEdits(base: Document, edits: Draft): Document {
  const made: Record<string, unknown> = { ...base };
  for (const { kind, key, after } of edits) {
    if (kind === 'settings') {
      if (after === null) delete made[key];
      else made[key] = after;
      continue;
    }
    const list = entriesOf(made, kind);
    const at = list.findIndex((entry) => keyOf(kind, entry) === key);
    if (after === null) made[kind] = list.filter((_, place) => place !== at);
    else made[kind] = at < 0 ? [...list, after as Entry] : list.with(at, after as Entry);
  }
  return made;
}

/** What turns one catalogue into another. */
export function editsBetween(base: Document, other: Document): Draft {
  const names = new Set([...Object.keys(base), ...Object.keys(other)]);
  const settings = [...names].filter((name) => !(KINDS as readonly string[]).includes(name));
  const made: Edit[] = settings.map((key) => ({
    ...{ kind: 'settings', key, before: base[key] ?? null, after: other[key] ?? null },
  }));
  for (const kind of KINDS) {
    const keys = new Set(
      [...entriesOf(base, kind), ...entriesOf(other, kind)].map((each) => keyOf(kind, each)),
    );
    for (const key of keys) {
      made.push({ kind, key, before: current(base, kind, key), after: current(other, kind, key) });
    }
  }
  return made.filter(({ before, after }) => !isSame(before, after));
}

/**
 * Places edits on a newer catalogue. What it has already is dropped. An entry that somebody else changed,
 * too, is a conflict: it stays as it is until the reader decides.
 */
export function rebase(base: Document, edits: Draft): { readonly edits: Draft; readonly conflicts: Draft } {
  const open = edits.filter(({ kind, key, after }) => !isSame(current(base, kind, key), after));
  const conflicts = open.filter(({ kind, key, before }) => !isSame(current(base, kind, key), before));
  return { edits: open.length === edits.length ? edits : open, conflicts };
}

/** Decides a conflict: the edit counts against what is there now. */
export function keepMine(base: Document, edits: Draft, conflict: Edit): Draft {
  const { kind, key } = conflict;
  return edits.map((each) => (each === conflict ? { ...each, before: current(base, kind, key) } : each));
}

/** The draft that a typed file makes. The server leaves secrets out of its answer; they are taken over. */
export function draftOf(base: Document, answered: Document, typed: Document): Draft {
  const credentials = entriesOf(answered, 'credentials').map((entry) => {
    const secret = findEntry(typed, 'credentials', keyOf('credentials', entry))?.secret;
    return secret === undefined ? entry : { ...entry, secret };
  });
  const { accounts } = typed;
  return editsBetween(base, { ...answered, credentials, ...(accounts !== undefined && { accounts }) });
}
