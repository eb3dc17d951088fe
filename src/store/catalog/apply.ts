import type { CatalogFile, StoredCatalog } from '../../catalog/document.ts';
import { type CatalogEdit, type Extent, editCatalog, type Removed } from '../../catalog/edit.ts';
import { listUsers } from '../../catalog/entries.ts';
import type { Database } from '../database.ts';
import { type Actor, type AuditContext, audited } from '../operations/audit.ts';
import {
  type ApplyOptions,
  existingEmails,
  fileEntry,
  hashNewPasswords,
  lockCatalog,
  writeChanges,
} from './catalog.ts';
import { DELETIONS } from './change.ts';
import { readCatalog } from './read.ts';
import { outsideUsers } from './use.ts';

/* A catalogue file as an operator applies it: against a version, as a part or as the whole. */

export interface ApplyContext extends AuditContext, Pick<ApplyOptions, 'hashPassword'> {}

export interface WantedCatalog {
  readonly document: CatalogFile;
  readonly extent: Extent;
  /** Undefined: whatever the version is. */
  readonly baseVersion: number | undefined;
}

export type ApplyRefusal =
  /** The catalogue has changed since the version on which the file is based. */
  | { readonly kind: 'stale'; readonly version: number }
  | { readonly kind: 'in-use'; readonly uses: readonly string[] };

export interface Applied extends CatalogEdit {
  readonly kind: 'applied';
  readonly version: number;
}

/** The catalogue at one moment. */
export function readStoredCatalog(context: AuditContext): Promise<StoredCatalog> {
  return context.database.transaction(async (transaction) => {
    await transaction.query('set transaction isolation level repeatable read, read only');
    return readCatalog(transaction, context);
  });
}

export interface PreviewedEdit extends CatalogEdit {
  /** Entries that cannot go, because something uses them. */
  readonly uses: readonly string[];
}

/** What applying would do to the catalogue as it was read. */
export async function previewEdit(
  { database }: AuditContext,
  { document, extent }: Pick<WantedCatalog, 'document' | 'extent'>,
  stored: StoredCatalog,
): Promise<PreviewedEdit> {
  const edit = editCatalog(document, stored, extent, await existingEmails(database, document));
  return { ...edit, uses: await usesOfRemoved(database, edit) };
}

/** In one transaction, with its line in the audit log. A file that changes nothing leaves none. */
export async function applyAudited(
  context: ApplyContext,
  { document: wanted, extent, baseVersion }: WantedCatalog,
  actor: Actor,
): Promise<Applied | ApplyRefusal> {
  // Hashing is slow, so it is done before anything is locked.
  const passwordHashes = await hashNewPasswords(context.database, wanted, context);
  return audited<Applied, ApplyRefusal>(context, actor, async (transaction) => {
    const stored = await lockCatalog(transaction, context);
    if (baseVersion !== undefined && stored.version !== baseVersion) {
      return { kind: 'refused', refusal: { kind: 'stale', version: stored.version } };
    }
    const edit = editCatalog(wanted, stored, extent, await existingEmails(transaction, wanted));
    const { document, changes, removed } = edit;
    const uses = await usesOfRemoved(transaction, edit);
    if (uses.length > 0) return { kind: 'refused', refusal: { kind: 'in-use', uses } };
    await writeChanges({ transaction, document, stored, changes, options: context, passwordHashes });
    for (const { kind, key } of removed) await transaction.query(DELETIONS[kind], [key]);
    const { version } = await readCatalog(transaction, context);
    const entry = changes.length === 0 ? [] : fileEntry(changes);
    return { kind: 'done', result: { kind: 'applied', ...edit, version }, entry };
  });
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
