import type { StoredCatalog } from '../../catalog/document.ts';
import { editCatalog } from '../../catalog/edit.ts';
import {
  type EntryKind,
  entryKey,
  freeNumber,
  listEntries,
  listUsers,
  type ReadEntry,
  readEntry,
  readSettings,
  type StoredEntry,
} from '../../catalog/entries.ts';
import { type EntryJson, settingsJson, UNSET_SETTINGS } from '../../catalog/entry-json.ts';
import { type Freed, listFreed } from '../../catalog/freed.ts';
import { assert } from '../../kernel/assert.ts';
import { masked } from '../../kernel/encoding/mask.ts';
import type { Database } from '../database.ts';
import { type Actor, type AuditContext, audited } from '../operations/audit.ts';
import { announceCatalog, lockCatalog, writeEdit } from './catalog.ts';
import { readCatalog } from './read.ts';
import { isReferenced, outsideUsers } from './use.ts';

/*
 * The catalogue entry by entry: the same rules and the same writes as a catalogue file. No secret is
 * returned in clear text.
 */

export interface Changed {
  readonly kind: 'changed';
  readonly entry: EntryJson;
}

export type EntryRefusal =
  | { readonly kind: 'invalid'; readonly problem: string }
  | { readonly kind: 'freed'; readonly freed: readonly Freed[] }
  | { readonly kind: 'exists' }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'in-use'; readonly by: readonly string[] };

/** An entry of the catalogue by its kind and key. */
export interface EntryPlace {
  readonly kind: EntryKind;
  readonly key: string;
}

export async function listCatalogEntries(
  context: AuditContext,
  kind: EntryKind,
): Promise<readonly EntryJson[]> {
  return listEntries(kind, await readCatalog(context.database, context)).map(shown);
}

export async function findCatalogEntry(
  context: AuditContext,
  place: EntryPlace,
): Promise<EntryJson | undefined> {
  const found = find(place, await readCatalog(context.database, context));
  return found === undefined ? undefined : shown(found);
}

export async function findSettings(context: AuditContext): Promise<EntryJson> {
  return settingsJson(await readCatalog(context.database, context));
}

const whole = ({ json, facts }: StoredEntry): EntryJson => ({ ...facts, ...json });

/** Shows only the last characters of a secret. The audit log masks secrets itself. */
function shown(entry: StoredEntry): EntryJson {
  return masked(whole(entry)) as EntryJson;
}

function find({ kind, key }: EntryPlace, stored: StoredCatalog): StoredEntry | undefined {
  return listEntries(kind, stored).find((each) => each.key === key);
}

/** The explicit yes to a price that becomes 0 or is removed comes with an entry, and is no field of it. */
function readConfirmation({ confirm_free: isConfirmed, ...value }: EntryJson) {
  return { value, isFreeConfirmed: isConfirmed === true };
}

interface Writing {
  readonly transaction: Database;
  readonly stored: StoredCatalog;
  readonly isFreeConfirmed: boolean;
}

const refused = (refusal: EntryRefusal) => ({ kind: 'refused', refusal }) as const;
const changed = (entry: EntryJson): Changed => ({ kind: 'changed', entry });

export function createCatalogEntry(
  audit: AuditContext,
  kind: EntryKind,
  sent: EntryJson,
  actor: Actor,
): Promise<Changed | EntryRefusal> {
  const { value, isFreeConfirmed } = readConfirmation(sent);
  return audited<Changed, EntryRefusal>(audit, actor, async (transaction) => {
    const stored = await lockCatalog(transaction, audit);
    const numbered = kind === 'policies' || kind === 'announcements';
    const wanted = numbered ? { id: freeNumber(kind, stored), ...value } : value;
    const full = kind === 'routes' ? { forward_model_id: value.model_id, ...wanted } : wanted;
    const identity = entryKey(kind, full);
    const isThere = listEntries(kind, stored).some((each) => entryKey(kind, whole(each)) === identity);
    if (isThere) return refused({ kind: 'exists' });
    const writing = { transaction, stored, isFreeConfirmed };
    const problem = await write(audit, readEntry(kind, full, stored), writing);
    if (problem !== undefined) return refused(problem);
    const written = await readCatalog(transaction, audit);
    const made = listEntries(kind, written).find((each) => entryKey(kind, whole(each)) === identity);
    assert(made !== undefined, 'what was written can be read');
    const entry = { entity: kind, key: made.key, before: null, after: whole(made) };
    return { kind: 'done', result: changed(shown(made)), entry };
  });
}

export function updateCatalogEntry(
  audit: AuditContext,
  place: EntryPlace,
  sent: EntryJson,
  actor: Actor,
): Promise<Changed | EntryRefusal> {
  const { kind, key } = place;
  const { value, isFreeConfirmed } = readConfirmation(sent);
  return audited<Changed, EntryRefusal>(audit, actor, async (transaction) => {
    const stored = await lockCatalog(transaction, audit);
    const present = find(place, stored);
    if (present === undefined) return refused({ kind: 'not-found' });
    const model = kind === 'routes' ? { model_id: present.facts.model_id } : {};
    const wanted = { ...merge(present.json, value), ...model };
    const writing = { transaction, stored, isFreeConfirmed };
    const problem = await write(audit, readEntry(kind, wanted, stored), writing);
    if (problem !== undefined) return refused(problem);
    const after = find(place, await readCatalog(transaction, audit));
    assert(after !== undefined, 'an update leaves the key as it is');
    const replaced = value.secret === undefined ? {} : { secret_replaced: true };
    return {
      kind: 'done',
      result: changed(shown(after)),
      entry: { entity: kind, key, before: whole(present), after: { ...whole(after), ...replaced } },
    };
  });
}

async function write(
  audit: AuditContext,
  read: ReadEntry,
  { transaction, stored, isFreeConfirmed }: Writing,
): Promise<EntryRefusal | undefined> {
  if (read.kind === 'invalid') return { kind: 'invalid', problem: read.problem };
  const edit = editCatalog(read.document, stored, 'part', new Set());
  const freed = isFreeConfirmed ? [] : listFreed(stored, edit);
  if (freed.length > 0) return { kind: 'freed', freed };
  await writeEdit(transaction, { edit, stored }, audit);
  return undefined;
}

export async function deleteCatalogEntry(
  audit: AuditContext,
  place: EntryPlace,
  actor: Actor,
): Promise<{ readonly kind: 'removed' } | EntryRefusal> {
  const { kind, key } = place;
  const work = audited<{ readonly kind: 'removed' }, EntryRefusal>(audit, actor, async (transaction) => {
    const stored = await lockCatalog(transaction, audit);
    const present = find(place, stored);
    if (present === undefined) return refused({ kind: 'not-found' });
    const users = [...listUsers(kind, key, stored), ...(await outsideUsers(transaction, kind, key))];
    if (users.length > 0) return refused({ kind: 'in-use', by: users });
    await transaction.query(DELETIONS[kind], [key]);
    await announceCatalog(transaction);
    const entry = { entity: kind, key, before: whole(present), after: null };
    return { kind: 'done', result: { kind: 'removed' }, entry };
  });
  // It came into use after the check, and the database refused the deletion.
  return work.catch((error: unknown) => {
    if (isReferenced(error)) return { kind: 'in-use', by: ['something that came a moment ago'] };
    throw error;
  });
}

export const DELETIONS: Readonly<Record<EntryKind, string>> = {
  vendors: 'delete from vendors where code = $1',
  credentials: 'delete from credentials where id = $1 and owner_account_id is null',
  models: 'delete from models where model_id = $1',
  routes: 'delete from routes where id = $1',
  policies: 'delete from policies where id = $1',
  plans: 'delete from plans where code = $1',
  nodes: 'delete from nodes where name = $1',
  announcements: 'delete from announcements where id = $1',
};

export function changeSettings(
  audit: AuditContext,
  sent: EntryJson,
  actor: Actor,
): Promise<Changed | EntryRefusal> {
  const { value, isFreeConfirmed } = readConfirmation(sent);
  return audited<Changed, EntryRefusal>(audit, actor, async (transaction) => {
    const stored = await lockCatalog(transaction, audit);
    const before = settingsJson(stored);
    const writing = { transaction, stored, isFreeConfirmed };
    // Null takes a setting back to what it is without a value.
    const wanted = Object.entries(merge(before, value)).map(([name, each]) => [
      name,
      each ?? UNSET_SETTINGS[name],
    ]);
    const problem = await write(audit, readSettings(Object.fromEntries(wanted), stored), writing);
    if (problem !== undefined) return refused(problem);
    const after = settingsJson(await readCatalog(transaction, audit));
    return {
      kind: 'done',
      result: changed(after),
      entry: { entity: 'settings', key: 'catalog', before, after },
    };
  });
}

/** Rule I-83. Objects of entries hold values and lists only, so one level below the entry is enough. */
function merge(before: EntryJson, value: EntryJson): EntryJson {
  const merged: Record<string, unknown> = { ...before };
  for (const [name, given] of Object.entries(value)) {
    const old = before[name];
    merged[name] = isObject(old) && isObject(given) ? { ...old, ...given } : given;
  }
  return merged;
}

function isObject(value: unknown): value is EntryJson {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
