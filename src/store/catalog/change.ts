import type { StoredCatalog } from '../../catalog/document.ts';
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
import { type EntryJson, settingsJson } from '../../catalog/entry-json.ts';
import { assert } from '../../kernel/assert.ts';
import { masked } from '../../kernel/encoding/mask.ts';
import type { CatalogChanges, Changed, EntryRefusal } from '../../operations/admin-ports.ts';
import type { Actor } from '../../operations/contract.ts';
import type { Database } from '../database.ts';
import { type AuditContext, audited } from '../operations/audit.ts';
import { type ApplyOptions, announceCatalog, lockCatalog, writeDocument } from './catalog.ts';
import { readCatalog } from './read.ts';
import { isReferenced, outsideUsers } from './use.ts';

export interface CatalogAuditContext extends AuditContext {
  readonly options: ApplyOptions;
}

/** The catalogue entry by entry: the same rules and the same writes as a catalogue file. */
export function catalogChanges(audit: CatalogAuditContext): CatalogChanges {
  return {
    list: async (kind) => {
      const stored = await readCatalog(audit.database, audit.options);
      return listEntries(kind, stored).map(shown);
    },
    find: async (kind, key) => {
      const stored = await readCatalog(audit.database, audit.options);
      const found = find(kind, key, stored);
      return found === undefined ? undefined : shown(found);
    },
    create: (kind, value, actor) => create(audit, kind, { value, actor }),
    update: (kind, key, change) => update(audit, kind, { key, ...change }),
    remove: (kind, key, actor) => remove(audit, kind, { key, actor }),
    settings: async () => settingsJson(await readCatalog(audit.database, audit.options)),
    changeSettings: (value, actor) => changeSettings(audit, value, actor),
  };
}

const whole = ({ json, facts }: StoredEntry): EntryJson => ({ ...facts, ...json });

/** Shows only the last characters of a secret. The audit log masks secrets itself. */
function shown(entry: StoredEntry): EntryJson {
  return masked(whole(entry)) as EntryJson;
}

function find(kind: EntryKind, key: string, stored: StoredCatalog): StoredEntry | undefined {
  return listEntries(kind, stored).find((each) => each.key === key);
}

interface Writing {
  readonly transaction: Database;
  readonly stored: StoredCatalog;
}

const refused = (refusal: EntryRefusal) => ({ kind: 'refused', refusal }) as const;
const changed = (entry: EntryJson): Changed => ({ kind: 'changed', entry });

function create(
  audit: CatalogAuditContext,
  kind: EntryKind,
  { value, actor }: { readonly value: EntryJson; readonly actor: Actor },
): Promise<Changed | EntryRefusal> {
  return audited<Changed, EntryRefusal>(audit, actor, async (transaction) => {
    const stored = await lockCatalog(transaction, audit.options);
    const numbered = kind === 'policies' || kind === 'announcements';
    const wanted = numbered ? { id: freeNumber(kind, stored), ...value } : value;
    const full = kind === 'routes' ? { forward_model_id: value.model_id, ...wanted } : wanted;
    const identity = entryKey(kind, full);
    const isThere = listEntries(kind, stored).some((each) => entryKey(kind, whole(each)) === identity);
    if (isThere) return refused({ kind: 'exists' });
    const problem = await write(audit, readEntry(kind, full, stored), { transaction, stored });
    if (problem !== undefined) return refused(problem);
    const written = await readCatalog(transaction, audit.options);
    const made = listEntries(kind, written).find((each) => entryKey(kind, whole(each)) === identity);
    assert(made !== undefined, 'what was written can be read');
    const entry = { entity: kind, key: made.key, before: null, after: whole(made) };
    return { kind: 'done', result: changed(shown(made)), entry };
  });
}

function update(
  audit: CatalogAuditContext,
  kind: EntryKind,
  { key, value, actor }: { readonly key: string; readonly value: EntryJson; readonly actor: Actor },
): Promise<Changed | EntryRefusal> {
  return audited<Changed, EntryRefusal>(audit, actor, async (transaction) => {
    const stored = await lockCatalog(transaction, audit.options);
    const present = find(kind, key, stored);
    if (present === undefined) return refused({ kind: 'not-found' });
    // Absent fields stay as they are; null removes a value.
    const model = kind === 'routes' ? { model_id: present.facts.model_id } : {};
    const wanted = { ...present.json, ...model, ...value };
    const problem = await write(audit, readEntry(kind, wanted, stored), { transaction, stored });
    if (problem !== undefined) return refused(problem);
    const after = find(kind, key, await readCatalog(transaction, audit.options));
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
  audit: CatalogAuditContext,
  read: ReadEntry,
  { transaction, stored }: Writing,
): Promise<EntryRefusal | undefined> {
  if (read.kind === 'invalid') return { kind: 'invalid', problem: read.problem };
  await writeDocument(transaction, { document: read.document, stored }, audit.options);
  return undefined;
}

async function remove(
  audit: CatalogAuditContext,
  kind: EntryKind,
  { key, actor }: { readonly key: string; readonly actor: Actor },
): Promise<{ readonly kind: 'removed' } | EntryRefusal> {
  const work = audited<{ readonly kind: 'removed' }, EntryRefusal>(audit, actor, async (transaction) => {
    const stored = await lockCatalog(transaction, audit.options);
    const present = find(kind, key, stored);
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

const DELETIONS: Readonly<Record<EntryKind, string>> = {
  vendors: 'delete from vendors where code = $1',
  credentials: 'delete from credentials where id = $1 and owner_account_id is null',
  models: 'delete from models where model_id = $1',
  routes: 'delete from routes where id = $1',
  policies: 'delete from policies where id = $1',
  plans: 'delete from plans where code = $1',
  nodes: 'delete from nodes where name = $1',
  announcements: 'delete from announcements where id = $1',
};

function changeSettings(
  audit: CatalogAuditContext,
  value: EntryJson,
  actor: Actor,
): Promise<Changed | EntryRefusal> {
  return audited<Changed, EntryRefusal>(audit, actor, async (transaction) => {
    const stored = await lockCatalog(transaction, audit.options);
    const before = settingsJson(stored);
    const problem = await write(audit, readSettings(merge(before, value), stored), { transaction, stored });
    if (problem !== undefined) return refused(problem);
    const after = settingsJson(await readCatalog(transaction, audit.options));
    return {
      kind: 'done',
      result: changed(after),
      entry: { entity: 'settings', key: 'catalog', before, after },
    };
  });
}

/** Two levels deep: `defaults` and `verification_grants` have several values each. */
function merge(before: EntryJson, value: EntryJson): EntryJson {
  const merged: Record<string, unknown> = { ...before };
  for (const [name, given] of Object.entries(value)) {
    const old = before[name];
    const both = typeof given === 'object' && given !== null && typeof old === 'object' && old !== null;
    merged[name] = both ? { ...old, ...given } : given;
  }
  return merged;
}
