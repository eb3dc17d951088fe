import { type CatalogChange, diffCatalog, type Entity } from './diff.ts';
import type { CatalogFile, ModelEntry, StoredCatalog, StoredModel, StoredRoute } from './document.ts';
import { routeKey } from './document.ts';
import { type EntryKind, listEntries } from './entries.ts';
import * as fields from './fields.ts';

/** A file is a `part` of the catalogue: what it leaves out stays. Or it is the `whole`: the rest goes. */
export type Extent = 'part' | 'whole';

/** An entry that the whole catalogue no longer has. */
export interface Removed {
  readonly kind: EntryKind;
  /** What the store finds it by. */
  readonly key: string;
  readonly change: CatalogChange;
}

/** What applying a file does. */
export interface CatalogEdit {
  readonly document: CatalogFile;
  readonly changes: readonly CatalogChange[];
  readonly removed: readonly Removed[];
  /** The catalogue that results. New credentials and routes have numbers that the store may not give them. */
  readonly after: StoredCatalog;
}

export function editCatalog(
  file: CatalogFile,
  stored: StoredCatalog,
  extent: Extent,
  existingEmails: ReadonlySet<string>,
): CatalogEdit {
  const kept = keepSecrets(file, stored);
  const document = extent === 'part' ? kept : { ...kept, models: kept.models.map(withRoutes) };
  const after = mergeCatalog(document, stored, extent);
  const changes = diffCatalog(document, stored, existingEmails);
  if (extent === 'part') return { document, changes, removed: [], after };
  const removed = listRemoved(stored, after);
  // A route that its model no longer lists is not only disabled.
  const others = changes.filter(({ kind }) => kind !== 'disabled');
  return { document, changes: [...others, ...removed.map(({ change }) => change)], removed, after };
}

const withRoutes = (model: ModelEntry): ModelEntry => ({ ...model, routes: model.routes ?? [] });

/** A credential without a secret keeps its own. */
function keepSecrets(document: CatalogFile, { credentials }: StoredCatalog): CatalogFile {
  const kept = document.credentials.map((each) =>
    each.secret === '' ? { ...each, secret: credentials.get(each.name)?.secret ?? '' } : each,
  );
  return { ...document, credentials: kept };
}

const ENTITIES: Readonly<Record<EntryKind, Entity>> = {
  ...{ vendors: 'vendor', credentials: 'credential', models: 'model', routes: 'route' },
  ...{ policies: 'policy', plans: 'plan', nodes: 'node', announcements: 'announcement' },
};

/** In the order in which they can be deleted: what refers to others goes first. */
const REMOVED_KINDS: readonly EntryKind[] = [
  ...(['routes', 'plans', 'models', 'credentials', 'vendors', 'policies', 'nodes', 'announcements'] as const),
];

function listRemoved(stored: StoredCatalog, after: StoredCatalog): readonly Removed[] {
  return REMOVED_KINDS.flatMap((kind) => {
    const left = new Set(listEntries(kind, after).map(({ key }) => key));
    return listEntries(kind, stored)
      .filter(({ key }) => !left.has(key))
      .map((entry): Removed => {
        const name = toEntryName(kind, entry.key, stored);
        return {
          ...{ kind, key: entry.key },
          change: { kind: 'removed', entity: ENTITIES[kind], key: name, fields: [] },
        };
      });
  });
}

/** The file has names for what the store numbers. */
function toEntryName(kind: EntryKind, key: string, { credentials, models }: StoredCatalog): string {
  if (kind === 'credentials')
    return [...credentials.values()].find(({ id }) => String(id) === key)?.name ?? key;
  if (kind !== 'routes') return key;
  for (const { modelId, routes } of models.values()) {
    const route = routes.find(({ id }) => String(id) === key);
    if (route !== undefined) return fields.ofRoute(modelId, route).key;
  }
  return key;
}

function mergeCatalog(document: CatalogFile, stored: StoredCatalog, extent: Extent): StoredCatalog {
  const merge = <Key, Entry>(
    before: ReadonlyMap<Key, Entry>,
    entries: readonly Entry[],
    getKey: (entry: Entry) => Key,
  ): ReadonlyMap<Key, Entry> =>
    new Map([
      ...(extent === 'part' ? before : []),
      ...entries.map((entry): [Key, Entry] => [getKey(entry), entry]),
    ]);
  const credentialIds = numbersAfter([...stored.credentials.values()]);
  const credentials = document.credentials.map((each) => ({
    ...each,
    id: stored.credentials.get(each.name)?.id ?? credentialIds(),
    ownerAccountId: undefined,
  }));
  const routeIds = numbersAfter([...stored.models.values()].flatMap(({ routes }) => routes));
  const models = document.models.map((model) =>
    mergeModel(model, { present: stored.models.get(model.modelId)?.routes ?? [], nextId: routeIds, extent }),
  );
  return {
    version: stored.version,
    systemRateMicro: document.systemRateMicro ?? stored.systemRateMicro,
    defaults: document.defaults ?? stored.defaults,
    verificationGrants: document.verificationGrants ?? stored.verificationGrants,
    vendors: merge(stored.vendors, document.vendors, ({ code }) => code),
    credentials: merge(stored.credentials, credentials, ({ name }) => name),
    models: merge(stored.models, models, ({ modelId }) => modelId),
    policies: merge(stored.policies, document.policies, ({ id }) => id),
    plans: merge(stored.plans, document.plans, ({ code }) => code),
    nodes: merge(stored.nodes, document.nodes, ({ name }) => name),
    announcements: merge(stored.announcements, document.announcements, ({ id }) => id),
  };
}

function numbersAfter(entries: readonly { readonly id: number }[]): () => number {
  let last = entries.reduce((most, { id }) => Math.max(most, id), 0);
  return () => ++last;
}

interface ModelMerge {
  readonly present: readonly StoredRoute[];
  readonly nextId: () => number;
  readonly extent: Extent;
}

function mergeModel(model: ModelEntry, { present, nextId, extent }: ModelMerge): StoredModel {
  if (model.routes === undefined) return { ...model, routes: present };
  const find = (key: string) => present.find((route) => routeKey(route) === key);
  const listed = model.routes.map((route) => ({ ...route, id: find(routeKey(route))?.id ?? nextId() }));
  if (extent === 'whole') return { ...model, routes: listed };
  const keys = new Set(listed.map(routeKey));
  const dropped = present.filter((route) => !keys.has(routeKey(route)));
  return {
    ...model,
    routes: [...listed, ...dropped.map((route) => ({ ...route, status: 'disabled' as const }))],
  };
}
