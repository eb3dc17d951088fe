import type { CatalogSnapshot } from '../../catalog/contract.ts';
import { type CatalogChange, type Entity, formatChange } from '../../catalog/diff.ts';
import type { AccountEntry, CatalogFile, StoredCatalog } from '../../catalog/document.ts';
import { type CatalogEdit, editCatalog } from '../../catalog/edit.ts';
import * as fields from '../../catalog/fields.ts';
import { resolveCatalog } from '../../catalog/resolve.ts';
import { assert } from '../../kernel/assert.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { createAccount, findExistingEmails } from '../accounts/accounts.ts';
import { grantSubscription } from '../accounts/subscriptions.ts';
import { announce } from '../changes.ts';
import type { Database } from '../database.ts';
import { postOpening } from '../ledger/movement.ts';
import { type AuditEntry, record } from '../operations/audit.ts';
import { readCatalog, type Unsealing } from './read.ts';
import * as write from './write.ts';

interface WriteOptions extends Unsealing {
  readonly clock: Clock;
}

export interface ApplyOptions extends WriteOptions {
  /** accounts/password.ts: slow on purpose. */
  readonly hashPassword: (password: string) => Promise<string>;
}

const DAY_MS = 86_400_000;

/** The current catalogue, with secrets in clear text: for memory only. */
export async function loadCatalog(database: Database, unsealing: Unsealing): Promise<CatalogSnapshot> {
  return resolveCatalog(await readStored(database, unsealing));
}

/** The catalogue at one moment. */
export function readStored(database: Database, unsealing: Unsealing): Promise<StoredCatalog> {
  return database.transaction(async (transaction) => {
    // All statements see the same moment, so a route never misses a credential that came with it.
    await transaction.query('set transaction isolation level repeatable read, read only');
    return readCatalog(transaction, unsealing);
  });
}

/** A document, or the reading of one: what a file does not name is as it is stored when it is applied. */
export type CatalogSource = CatalogFile | ((stored: StoredCatalog) => CatalogFile);

/**
 * Applies the document in one transaction and returns the changes. Applying it again changes nothing. Running
 * servers are notified at the commit.
 */
export async function applyCatalog(
  database: Database,
  source: CatalogSource,
  options: ApplyOptions,
): Promise<readonly CatalogChange[]> {
  const read = typeof source === 'function' ? source : () => source;
  // Hashing is slow, so it is done before anything is locked.
  const first = read(await readStored(database, options));
  const passwordHashes = await hashNewPasswords(database, first, options);
  return database.transaction(async (transaction) => {
    const stored = await lockCatalog(transaction, options);
    const file = read(stored);
    const { document, changes } = editCatalog(file, stored, 'part', await existingEmails(transaction, file));
    await writeChanges({ transaction, document, stored, changes, options, passwordHashes });
    if (changes.length > 0) await record(transaction, START, fileEntry(changes));
    return changes;
  });
}

/** A starting server applies its file as the terminal would. */
const START = { accountId: undefined, address: 'terminal', action: 'apply' } as const;

/** A first file may have thousands of changes; the audit log has this many. */
const LINES_RECORDED_MAX = 500;

/** The lines contain no secrets. */
export function fileEntry(changes: readonly CatalogChange[]): AuditEntry {
  const lines = changes.slice(0, LINES_RECORDED_MAX).map(formatChange);
  return { entity: 'catalogue', key: 'file', before: null, after: { changes: changes.length, lines } };
}

/** One catalogue change by an operator, inside a transaction that has locked the settings. */
export async function writeEdit(
  transaction: Database,
  { edit: { document, changes }, stored }: { readonly edit: CatalogEdit; readonly stored: StoredCatalog },
  options: WriteOptions,
): Promise<void> {
  assert(document.accounts.length === 0, 'accounts are no part of the catalogue that operators change');
  await writeChanges({ transaction, document, stored, changes, options, passwordHashes: new Map() });
}

/** A concurrent change of the catalogue waits here, and then sees this one. */
export async function lockCatalog(transaction: Database, unsealing: Unsealing): Promise<StoredCatalog> {
  await transaction.query('select version from catalog_settings for update');
  return readCatalog(transaction, unsealing);
}

/** Running servers are notified at the commit. */
export async function announceCatalog(transaction: Database): Promise<void> {
  await transaction.query('update catalog_settings set version = version + 1');
  await announce(transaction, { kind: 'catalog' });
}

interface Writing {
  readonly transaction: Database;
  readonly document: CatalogFile;
  readonly stored: StoredCatalog;
  readonly changes: readonly CatalogChange[];
  readonly options: WriteOptions;
  readonly passwordHashes: ReadonlyMap<string, string>;
}

/** In the order of their references: policies before plans, vendors before credentials before routes. */
export async function writeChanges(writing: Writing): Promise<void> {
  const { transaction, document, stored, changes } = writing;
  const changed = changedKeys(changes);
  for (const each of document.policies) {
    if (changed('policy', each.id)) await write.writePolicy(transaction, each);
  }
  if (changed('settings', 'catalog')) await write.writeSettings(transaction, document, stored);
  for (const each of document.vendors)
    if (changed('vendor', each.code)) await write.writeVendor(transaction, each);
  for (const each of document.credentials)
    if (changed('credential', each.name)) await writeCredential(writing, each);
  await writeModels(writing);
  for (const each of document.plans) if (changed('plan', each.code)) await write.writePlan(transaction, each);
  for (const each of document.nodes) if (changed('node', each.name)) await write.writeNode(transaction, each);
  for (const each of document.announcements) {
    if (changed('announcement', each.id)) await write.writeAnnouncement(transaction, each);
  }
  for (const each of document.accounts) if (changed('account', each.email)) await writeAccount(writing, each);
  if (changes.some((change) => change.entity !== 'account')) await announceCatalog(transaction);
}

function changedKeys(changes: readonly CatalogChange[]): (entity: Entity, key: string | number) => boolean {
  const keys = new Set(changes.map((change) => `${change.entity} ${change.key}`));
  return (entity, key) => keys.has(`${entity} ${key}`);
}

async function writeCredential(writing: Writing, entry: CatalogFile['credentials'][number]): Promise<void> {
  const { transaction, stored, options } = writing;
  const credential = { ...entry, ownerAccountId: undefined };
  const id = stored.credentials.get(entry.name)?.id;
  if (id === undefined) await write.insertCredential(transaction, credential, options.sealer);
  else await write.updateCredential(transaction, id, credential, options.sealer);
}

async function writeModels({ transaction, document, stored, changes }: Writing): Promise<void> {
  const changed = changedKeys(changes);
  for (const model of document.models) {
    const { modelId, routes = [] } = model;
    if (changed('model', modelId)) await write.writeModel(transaction, model);
    const listed = new Map(routes.map((route) => [fields.ofRoute(modelId, route).key, route]));
    for (const [key, route] of listed) {
      if (changed('route', key)) await write.writeRoute(transaction, modelId, route);
    }
    for (const route of stored.models.get(modelId)?.routes ?? []) {
      const { key } = fields.ofRoute(modelId, route);
      if (listed.has(key) || !changed('route', key)) continue;
      await write.writeRoute(transaction, modelId, { ...route, status: 'disabled' });
    }
  }
}

async function writeAccount(writing: Writing, entry: AccountEntry): Promise<void> {
  const { transaction, document, stored, passwordHashes } = writing;
  const defaults = document.defaults ?? stored.defaults;
  const passwordHash = passwordHashes.get(entry.email);
  assert(passwordHash !== undefined, 'accounts are never deleted, so a new one was new before');
  const created = await createAccount(transaction, {
    email: entry.email,
    passwordHash,
    status: entry.status,
    role: entry.role,
    userType: entry.userType,
    userRateMicro: entry.userRateMicro ?? defaults.userRateMicro,
    apiBilling: entry.apiBilling ?? defaults.apiBilling,
    autoExchange: entry.autoExchange ?? defaults.autoExchange,
    extraApiQuotaMicro: entry.extraApiQuotaMicro,
    preference: { fallbackModel: entry.fallbackModel, byokFallback: entry.byokFallback },
  });
  // The address has just been registered: the account exists and is not changed.
  if (created.kind === 'created') await openAccount(writing, entry, created.accountId);
}

async function openAccount(writing: Writing, entry: AccountEntry, accountId: number): Promise<void> {
  const { transaction, document, stored, options } = writing;
  const { balanceMicro, creditsMicro, subscription } = entry;
  await postOpening(transaction, { accountId, balanceMicro, creditsMicro, ref: 'catalogue file' });
  if (subscription === undefined) return;
  const { planCode } = subscription;
  const plan = document.plans.find((each) => each.code === planCode) ?? stored.plans.get(planCode);
  assert(plan !== undefined, 'a checked file names plans that exist');
  const startsAtMs = options.clock.now();
  const endsAtMs = startsAtMs + (subscription.days ?? plan.days) * DAY_MS;
  await grantSubscription(transaction, { accountId, planCode, startsAtMs, endsAtMs });
}

export function existingEmails(database: Database, document: CatalogFile): Promise<ReadonlySet<string>> {
  return findExistingEmails(
    database,
    document.accounts.map((account) => account.email),
  );
}

export async function hashNewPasswords(
  database: Database,
  document: CatalogFile,
  { hashPassword }: Pick<ApplyOptions, 'hashPassword'>,
): Promise<ReadonlyMap<string, string>> {
  const existing = await existingEmails(database, document);
  const hashes = new Map<string, string>();
  for (const { email, password } of document.accounts) {
    if (!existing.has(email)) hashes.set(email, await hashPassword(password));
  }
  return hashes;
}
