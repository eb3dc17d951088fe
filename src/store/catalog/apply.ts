import type { CatalogFile, CatalogFileResult, Problem, StoredCatalog } from '../../catalog/document.ts';
import { type CatalogEdit, type Extent, editCatalog, type Removed } from '../../catalog/edit.ts';
import { listUsers } from '../../catalog/entries.ts';
import { type Freed, listFreed } from '../../catalog/freed.ts';
import type { Database } from '../database.ts';
import { type Actor, type AuditContext, audited } from '../operations/audit.ts';
import {
  type ApplyOptions,
  existingEmails,
  fileEntry,
  hashNewPasswords,
  lockCatalog,
  readStored,
  writeChanges,
} from './catalog.ts';
import { DELETIONS } from './change.ts';
import { readCatalog } from './read.ts';
import { outsideUsers } from './use.ts';

/* A catalogue file as an operator applies it: against a version, as a part or as the whole. */

export interface ApplyContext extends AuditContext, Pick<ApplyOptions, 'hashPassword'> {}

export interface WantedCatalog {
  /** Fields that the file does not name have the values of the catalogue that it is read with. */
  readonly read: (stored: StoredCatalog) => CatalogFileResult;
  readonly extent: Extent;
  /** Undefined: whatever the version is. */
  readonly baseVersion: number | undefined;
  /** The explicit yes to a price that becomes 0 or is removed. */
  readonly isFreeConfirmed: boolean;
}

export type ApplyRefusal =
  /** The catalogue has changed since the version on which the file is based. */
  | { readonly kind: 'stale'; readonly version: number }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] }
  | { readonly kind: 'freed'; readonly freed: readonly Freed[] }
  | { readonly kind: 'in-use'; readonly uses: readonly string[] };

export interface Applied extends CatalogEdit {
  readonly kind: 'applied';
  readonly version: number;
}

export function readStoredCatalog(context: AuditContext): Promise<StoredCatalog> {
  return readStored(context.database, context);
}

export interface PreviewedEdit extends CatalogEdit {
  /** Entries that cannot go, because something uses them. */
  readonly uses: readonly string[];
}

/** What applying would do to the catalogue as it was read. */
export async function previewEdit(
  { database }: AuditContext,
  { document, extent }: { readonly document: CatalogFile; readonly extent: Extent },
  stored: StoredCatalog,
): Promise<PreviewedEdit> {
  const edit = editCatalog(document, stored, extent, await existingEmails(database, document));
  return { ...edit, uses: await usesOfRemoved(database, edit) };
}

/** In one transaction, with its line in the audit log. A file that changes nothing leaves none. */
export async function applyAudited(
  context: ApplyContext,
  wanted: WantedCatalog,
  actor: Actor,
): Promise<Applied | ApplyRefusal> {
  const known = readWanted(await readStoredCatalog(context), wanted);
  if (known.kind !== 'catalog') return known;
  // Hashing is slow, so it is done before anything is locked.
  const passwordHashes = await hashNewPasswords(context.database, known.document, context);
  return audited<Applied, ApplyRefusal>(context, actor, async (transaction) => {
    const stored = await lockCatalog(transaction, context);
    const read = readWanted(stored, wanted);
    if (read.kind !== 'catalog') return refused(read);
    const emails = await existingEmails(transaction, read.document);
    const edit = editCatalog(read.document, stored, wanted.extent, emails);
    const { document, changes, removed } = edit;
    const uses = await usesOfRemoved(transaction, edit);
    if (uses.length > 0) return refused({ kind: 'in-use', uses });
    const freed = wanted.isFreeConfirmed ? [] : listFreed(stored, edit);
    if (freed.length > 0) return refused({ kind: 'freed', freed });
    await writeChanges({ transaction, document, stored, changes, options: context, passwordHashes });
    for (const { kind, key } of removed) await transaction.query(DELETIONS[kind], [key]);
    const { version } = await readCatalog(transaction, context);
    const entry = changes.length === 0 ? [] : fileEntry(changes);
    return { kind: 'done', result: { kind: 'applied', ...edit, version }, entry };
  });
}

const refused = (refusal: ApplyRefusal) => ({ kind: 'refused', refusal }) as const;

/** The version comes first: a problem of a stale file may be none in the catalogue that it began with. */
function readWanted(
  stored: StoredCatalog,
  { read, baseVersion }: WantedCatalog,
): CatalogFileResult | Extract<ApplyRefusal, { kind: 'stale' }> {
  const { version } = stored;
  return baseVersion === undefined || baseVersion === version ? read(stored) : { kind: 'stale', version };
}

async function usesOfRemoved(
  database: Database,
  { removed, after }: Pick<CatalogEdit, 'removed' | 'after'>,
): Promise<readonly string[]> {
  const uses: string[] = [];
  for (const one of removed) {
    const users = [
      ...listUsers(one.kind, one.key, after),
      ...(await outsideUsers(database, one.kind, one.key)),
    ];
    if (users.length > 0) uses.push(`${named(one)} is in use by ${users.join(', ')}`);
  }
  return uses;
}

const named = ({ change: { entity, key } }: Removed): string => `${entity} ${key}`;
