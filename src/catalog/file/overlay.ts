import { routeKey, type StoredCatalog, type StoredModel } from '../document.ts';
import type { Extent } from '../edit.ts';
import type { EntryJson } from '../entry-json.ts';
import * as json from '../entry-json.ts';
import { jsonTree } from './json-tree.ts';
import { Problems } from './problems.ts';
import type { Tree, TreeMap } from './yaml-tree.ts';

/*
 * A file on top of the stored catalogue (rule I-83). The readers see complete entries: the fields that the
 * file names, and the stored values of the others.
 */

/** The sections of the file whose entries are stored, each with the key of its entries. */
const SECTIONS: readonly (readonly [string, string, (stored: StoredCatalog, key: string) => Found])[] = [
  ['vendors', 'code', ({ vendors }, key) => made(vendors.get(key), json.vendorJson)],
  ['credentials', 'name', ({ credentials }, key) => made(credentials.get(key), withoutSecret)],
  ['models', 'model_id', ({ models }, key) => made(models.get(key), json.modelJson)],
  ['policies', 'id', ({ policies }, key) => made(policies.get(Number(key)), json.policyJson)],
  ['plans', 'code', ({ plans }, key) => made(plans.get(key), json.planJson)],
  ['nodes', 'name', ({ nodes }, key) => made(nodes.get(key), json.nodeJson)],
  [
    ...(['announcements', 'id'] as const),
    ({ announcements }, key) => made(announcements.get(Number(key)), json.announcementJson),
  ],
];

type Found = EntryJson | undefined;

function made<Entry>(entry: Entry | undefined, toJson: (entry: Entry) => EntryJson): Found {
  return entry === undefined ? undefined : toJson(entry);
}

/** The secret is kept later, without a second check: the store may be unable to open it. */
function withoutSecret(credential: Parameters<typeof json.credentialJson>[0]): EntryJson {
  const { secret: _kept, ...rest } = json.credentialJson(credential);
  return rest;
}

export function overlayFile(root: TreeMap, stored: StoredCatalog, extent: Extent): TreeMap {
  const entries = new Map(root.entries);
  const settings = json.settingsJson(stored);
  for (const [name, unset] of Object.entries(json.UNSET_SETTINGS)) {
    const given = entries.get(name);
    if (given === undefined ? extent === 'whole' : isNull(given)) entries.set(name, treeOf(unset, root.line));
    else if (given !== undefined && extent === 'part') entries.set(name, overlay(settings[name], given));
  }
  if (extent === 'part') {
    for (const [section, key, find] of SECTIONS) {
      const list = entries.get(section);
      if (list?.kind !== 'list') continue;
      const items = list.items.map((item) => {
        const base = find(stored, scalarText(item, key));
        if (base === undefined) return item;
        const complete = overlay(base, item);
        return section === 'models' ? overlayRoutes(complete, stored) : complete;
      });
      entries.set(section, { ...list, items });
    }
  }
  return { ...root, entries };
}

/** `routes` is a list and replaced as a whole; a route in it that is stored keeps what it does not name. */
function overlayRoutes(model: Tree, stored: StoredCatalog): Tree {
  const known = stored.models.get(scalarText(model, 'model_id'));
  const routes = model.kind === 'map' ? model.entries.get('routes') : undefined;
  if (model.kind !== 'map' || routes?.kind !== 'list' || known === undefined) return model;
  const items = routes.items.map((item) => {
    const route = findRoute(known, item);
    return route === undefined ? item : overlay(json.routeJson(route), item);
  });
  return { ...model, entries: new Map([...model.entries, ['routes', { ...routes, items }]]) };
}

function findRoute({ modelId, routes }: StoredModel, item: Tree): StoredModel['routes'][number] | undefined {
  const forwardModelId = scalarText(item, 'forward_model_id') || modelId;
  const key = routeKey({ credentialName: scalarText(item, 'credential'), forwardModelId });
  return routes.find((route) => routeKey(route) === key);
}

function scalarText(tree: Tree, key: string): string {
  const value = tree.kind === 'map' ? tree.entries.get(key) : undefined;
  return value?.kind === 'scalar' ? value.text : '';
}

/** Members that the file names replace those of the base; an object merges, and null removes. */
function overlay(base: unknown, given: Tree): Tree {
  if (given.kind !== 'map' || !isObject(base)) return given;
  const stored = Object.entries(base).filter(([, value]) => value !== null);
  const entries = new Map(stored.map(([name, value]) => [name, treeOf(value, given.line)]));
  for (const [name, value] of given.entries) entries.set(name, overlay(base[name], value));
  return { ...given, entries };
}

function isObject(value: unknown): value is EntryJson {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNull(tree: Tree): boolean {
  return tree.kind === 'scalar' && tree.value === null;
}

/** A stored value has no line of its own: problems with it are reported at the entry. */
function treeOf(value: unknown, line: number): Tree {
  return { ...jsonTree(value, new Problems()), line };
}
