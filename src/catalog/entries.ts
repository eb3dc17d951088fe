import type { CatalogSnapshot } from './contract.ts';
import type { CatalogFile, StoredCatalog } from './document.ts';
import type { EntryJson } from './entry-json.ts';
import * as json from './entry-json.ts';
import { jsonTree } from './file/json-tree.ts';
import { Problems } from './file/problems.ts';
import { catalogShape } from './file/shape.ts';
import { checkReferences } from './references.ts';
import { resolveCatalog } from './resolve.ts';

/** The catalogue entry by entry, as operators change it: every list of the file, and the routes of models. */
export const ENTRY_KINDS = [
  'vendors',
  'credentials',
  'models',
  'routes',
  'policies',
  'plans',
  'nodes',
  'announcements',
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** One entry of what is stored. */
export interface StoredEntry {
  /** What it is found by: code, name, model_id or id. */
  readonly key: string;
  /** As in the file, secrets in clear. */
  readonly json: EntryJson;
  /** What the file does not know of it: its number, the model of a route. */
  readonly facts: EntryJson;
}

const entry = (key: string | number, value: EntryJson, facts: EntryJson = {}): StoredEntry => ({
  key: String(key),
  json: value,
  facts,
});

const LISTS: Readonly<Record<EntryKind, (stored: StoredCatalog) => readonly StoredEntry[]>> = {
  vendors: ({ vendors }) => [...vendors.values()].map((each) => entry(each.code, json.vendorJson(each))),
  credentials: ({ credentials }) =>
    [...credentials.values()].map((each) => entry(each.id, json.credentialJson(each), { id: each.id })),
  models: ({ models }) => [...models.values()].map((each) => entry(each.modelId, json.modelJson(each))),
  routes: ({ models }) =>
    [...models.values()].flatMap(({ modelId, routes }) =>
      routes.map((each) => entry(each.id, json.routeJson(each), { id: each.id, model_id: modelId })),
    ),
  policies: ({ policies }) => [...policies.values()].map((each) => entry(each.id, json.policyJson(each))),
  plans: ({ plans }) => [...plans.values()].map((each) => entry(each.code, json.planJson(each))),
  nodes: ({ nodes }) => [...nodes.values()].map((each) => entry(each.name, json.nodeJson(each))),
  announcements: ({ announcements }) =>
    [...announcements.values()].map((each) => entry(each.id, json.announcementJson(each))),
};

export function listEntries(kind: EntryKind, stored: StoredCatalog): readonly StoredEntry[] {
  return LISTS[kind](stored);
}

/** What makes two entries of a kind the same; a new one must differ from all others in it. */
const IDENTITY: Readonly<Record<EntryKind, readonly string[]>> = {
  vendors: ['code'],
  credentials: ['name'],
  models: ['model_id'],
  routes: ['model_id', 'credential', 'forward_model_id'],
  policies: ['id'],
  plans: ['code'],
  nodes: ['name'],
  announcements: ['id'],
};

export function entryKey(kind: EntryKind, value: EntryJson): string {
  return JSON.stringify(IDENTITY[kind].map((field) => value[field] ?? null));
}

/** A number that no entry has; operators need not think one up. */
export function freeNumber(kind: 'policies' | 'announcements', stored: StoredCatalog): number {
  return Math.max(0, ...stored[kind].keys()) + 1;
}

export type ReadEntry =
  | { readonly kind: 'document'; readonly document: CatalogFile }
  /** The first problem, named by the path inside the entry. */
  | { readonly kind: 'invalid'; readonly problem: string };

/** The document that applying would make of the stored catalogue the one with this entry. Same rules. */
export function readEntry(kind: EntryKind, value: EntryJson, stored: StoredCatalog): ReadEntry {
  if (kind === 'routes') return readRoute(value, stored);
  return readDocument({ [kind]: [value] }, `${kind}[0]`, stored);
}

export function readSettings(value: EntryJson, stored: StoredCatalog): ReadEntry {
  return readDocument(value, '', stored);
}

/** A route is written with its model and all other routes of the model, as in a file. */
function readRoute({ model_id: modelId, ...route }: EntryJson, stored: StoredCatalog): ReadEntry {
  const model = typeof modelId === 'string' ? stored.models.get(modelId) : undefined;
  if (model === undefined) return { kind: 'invalid', problem: 'model_id: there is no such model' };
  // A vendor with the same name for its model needs no second one.
  const named = { ...route, forward_model_id: route.forward_model_id ?? modelId };
  const identity = entryKey('routes', { ...named, model_id: modelId });
  const others = model.routes
    .map(json.routeJson)
    .filter((each) => entryKey('routes', { ...each, model_id: modelId }) !== identity);
  const routes = [...others, named];
  const document = { models: [{ ...json.modelJson(model), routes }] };
  return readDocument(document, `models[0].routes[${routes.length - 1}]`, stored);
}

function readDocument(value: EntryJson, prefix: string, stored: StoredCatalog): ReadEntry {
  const problems = new Problems();
  const tree = jsonTree(value, problems);
  const document = catalogShape({ tree, path: '', problems });
  const known: CatalogSnapshot = resolveCatalog(stored);
  checkReferences({ document, tree, known, problems });
  const [first] = problems.list();
  if (first === undefined) return { kind: 'document', document };
  const path = first.path.startsWith(prefix)
    ? first.path.slice(prefix.length).replace(/^\./, '')
    : first.path;
  return { kind: 'invalid', problem: path === '' ? first.message : `${path}: ${first.message}` };
}

/** What else in the catalogue needs this entry, in words; empty if nothing does. */
export function listUsers(kind: EntryKind, key: string, stored: StoredCatalog): readonly string[] {
  const routes = listEntries('routes', stored);
  const routesWith = (field: string, value: unknown): string[] =>
    routes
      .filter((route) => ({ ...route.json, ...route.facts })[field] === value)
      .map((route) => `route ${route.key} of ${String(route.facts.model_id)}`);
  switch (kind) {
    case 'vendors':
      return [...stored.credentials.values()]
        .filter((each) => each.vendorCode === key)
        .map((each) => `credential ${each.name}`);
    case 'credentials': {
      const name = [...stored.credentials.values()].find((each) => String(each.id) === key)?.name;
      return routesWith('credential', name);
    }
    case 'models':
      return [
        ...routesWith('model_id', key),
        ...[...stored.plans.values()]
          .filter(({ coversModels }) => coversModels !== '*' && coversModels.includes(key))
          .map(({ code }) => `plan ${code}`),
      ];
    case 'policies':
      return [
        ...(String(stored.defaults.policyId) === key ? ['the default for accounts'] : []),
        ...[...stored.plans.values()]
          .filter(({ policyId }) => String(policyId) === key)
          .map(({ code }) => `plan ${code}`),
      ];
    default:
      return [];
  }
}
