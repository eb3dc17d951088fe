import type { CatalogFile, ModelEntry, StoredCatalog } from './document.ts';
import { routeKey } from './document.ts';
import type { FieldTexts } from './fields.ts';
import * as fields from './fields.ts';

export type Entity =
  | 'settings'
  | 'policy'
  | 'vendor'
  | 'credential'
  | 'model'
  | 'route'
  | 'plan'
  | 'node'
  | 'announcement'
  | 'account';

/** One line of what `apply` did or would do. */
export interface CatalogChange {
  readonly kind: 'created' | 'updated' | 'disabled' | 'removed';
  readonly entity: Entity;
  /** The natural key: code, name, model_id, id or email. */
  readonly key: string;
  /** Named as in the file: what an update changed, and what a new entry has. */
  readonly fields: readonly FieldChange[];
}

export interface FieldChange {
  readonly name: string;
  /** Undefined for a secret: only the change is reported. */
  readonly values: { readonly before: string | null; readonly after: string } | undefined;
}

/**
 * What the file would change. Nothing is ever deleted: what the file does not mention stays, and a route that
 * its model no longer lists is disabled, because the logs still speak of it.
 */
export function diffCatalog(
  document: CatalogFile,
  stored: StoredCatalog,
  existingEmails: ReadonlySet<string>,
): readonly CatalogChange[] {
  return [
    ...diffList(
      'policy',
      fields.ofPolicy,
      pairs(document.policies, (each) => stored.policies.get(each.id)),
    ),
    ...diffSettings(document, stored),
    ...diffList(
      'vendor',
      fields.ofVendor,
      pairs(document.vendors, (each) => stored.vendors.get(each.code)),
    ),
    ...diffList(
      'credential',
      fields.ofCredential,
      pairs(document.credentials, (each) => stored.credentials.get(each.name)),
    ),
    ...diffList(
      'model',
      fields.ofModel,
      pairs(document.models, (each) => stored.models.get(each.modelId)),
    ),
    ...document.models.flatMap((model) => diffRoutes(model, stored)),
    ...diffList(
      'plan',
      fields.ofPlan,
      pairs(document.plans, (each) => stored.plans.get(each.code)),
    ),
    ...diffList(
      'node',
      fields.ofNode,
      pairs(document.nodes, (each) => stored.nodes.get(each.name)),
    ),
    ...diffList(
      'announcement',
      fields.ofAnnouncement,
      pairs(document.announcements, (each) => stored.announcements.get(each.id)),
    ),
    ...document.accounts
      .filter((account) => !existingEmails.has(account.email))
      .map((account): CatalogChange => created('account', account.email)),
  ];
}

export function formatChange(change: CatalogChange): string {
  const head = `${change.kind} ${change.entity} ${change.key}${isNewAndFree(change) ? ' (free of charge)' : ''}`;
  const told = change.kind === 'updated' ? change.fields : [];
  const details = told.map(({ name, values }) =>
    values === undefined ? `${name} changed` : `${name} ${values.before} → ${values.after}`,
  );
  return details.length === 0 ? head : `${head}: ${details.join(', ')}`;
}

/** Whether a new model has no price above 0. */
function isNewAndFree({ kind, entity, fields: given }: CatalogChange): boolean {
  const prices = given.filter(({ name }) => name.startsWith('prices.'));
  return kind === 'created' && entity === 'model' && prices.every(({ values }) => values?.after === '0');
}

interface Pair<T> {
  readonly wanted: T;
  readonly present: T | undefined;
}

function pairs<T>(wanted: readonly T[], find: (entry: T) => T | undefined): readonly Pair<T>[] {
  return wanted.map((entry) => ({ wanted: entry, present: find(entry) }));
}

function diffList<T>(
  entity: Entity,
  describe: (entry: T) => FieldTexts,
  list: readonly Pair<T>[],
): readonly CatalogChange[] {
  return list.flatMap(({ wanted, present }) => {
    const after = describe(wanted);
    if (present === undefined) return [{ ...created(entity, after.key), fields: newFields(after) }];
    return updated(entity, describe(present), after);
  });
}

function diffSettings(document: CatalogFile, stored: StoredCatalog): readonly CatalogChange[] {
  const wanted = {
    systemRateMicro: document.systemRateMicro ?? stored.systemRateMicro,
    defaults: document.defaults ?? stored.defaults,
    verificationGrants: document.verificationGrants ?? stored.verificationGrants,
  };
  return updated('settings', fields.ofSettings(stored), fields.ofSettings(wanted));
}

function diffRoutes(model: ModelEntry, stored: StoredCatalog): readonly CatalogChange[] {
  const { modelId, routes } = model;
  if (routes === undefined) return [];
  const present = stored.models.get(modelId)?.routes ?? [];
  const wanted = new Set(routes.map(routeKey));
  const dropped = present.filter((route) => route.status === 'enabled' && !wanted.has(routeKey(route)));
  const describe = (route: (typeof routes)[number]): FieldTexts => fields.ofRoute(modelId, route);
  const find = (key: string) => present.find((route) => routeKey(route) === key);
  return [
    ...diffList(
      'route',
      describe,
      pairs(routes, (route) => find(routeKey(route))),
    ),
    ...dropped.map(
      (route): CatalogChange => ({ ...created('route', describe(route).key), kind: 'disabled' }),
    ),
  ];
}

function newFields({ fields: texts, secrets }: FieldTexts): readonly FieldChange[] {
  return Object.entries(texts)
    .filter(([, text]) => text !== 'none' && text !== 'unset')
    .map(([name, text]) => ({
      name,
      values: secrets.includes(name) ? undefined : { before: null, after: text },
    }));
}

function created(entity: Entity, key: string): CatalogChange {
  return { kind: 'created', entity, key, fields: [] };
}

function updated(entity: Entity, before: FieldTexts, after: FieldTexts): readonly CatalogChange[] {
  const changes: FieldChange[] = [];
  for (const [name, text] of Object.entries(after.fields)) {
    const old = before.fields[name];
    if (old === text) continue;
    const isSecret = after.secrets.includes(name);
    changes.push({ name, values: isSecret ? undefined : { before: old ?? '', after: text } });
  }
  return changes.length === 0 ? [] : [{ kind: 'updated', entity, key: after.key, fields: changes }];
}
