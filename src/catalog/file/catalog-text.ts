import type { StoredCatalog, StoredModel } from '../document.ts';
import { type EntryKind, listEntries } from '../entries.ts';
import * as json from '../entry-json.ts';
import { type EntryJson, modelJson, routeJson, settingsJson } from '../entry-json.ts';
import { jsonTree } from './json-tree.ts';
import { Problems } from './problems.ts';
import { catalogShape } from './shape.ts';

/** One entry of the file, or one of its keys: the unit in which two files are compared. */
export interface TextBlock {
  /** `models / gpt-5` */
  readonly where: string;
  readonly lines: readonly string[];
}

/**
 * The catalogue as a file that `apply` takes: in a fixed order, without values that are the default, and
 * without secrets, so that a credential keeps its own. Equal catalogues have equal texts.
 */
export function catalogBlocks(stored: StoredCatalog): readonly TextBlock[] {
  const settings = Object.entries(settingsJson(stored)).map(([key, value]) => ({
    where: key,
    lines: [`${key}: ${flow(value)}`],
  }));
  return [...settings, ...SECTIONS.flatMap((kind) => sectionBlocks(kind, stored))];
}

/** One list of a file, with the fields of its entries as they are given. */
export function listText(section: Section, entries: readonly EntryJson[]): string {
  if (entries.length === 0) return `${section}: []\n`;
  return `${[`${section}:`, ...entries.flatMap(itemLines)].join('\n')}\n`;
}

export function toText(blocks: readonly TextBlock[]): string {
  return `${blocks.flatMap(({ lines }) => lines).join('\n')}\n`;
}

type Section = Exclude<EntryKind, 'routes'>;

const SECTIONS: readonly Section[] = [
  ...(['vendors', 'credentials', 'models', 'policies', 'plans', 'nodes', 'announcements'] as const),
];

/** Written even if they have the default: without them an entry is not valid. The first names the entry. */
const REQUIRED: Readonly<Record<EntryKind, readonly [string, ...string[]]>> = {
  vendors: ['code', 'protocols', 'base_url'],
  credentials: ['name', 'vendor'],
  models: ['model_id'],
  routes: ['vendor', 'credential'],
  policies: ['id', 'name'],
  plans: ['code', 'level'],
  nodes: ['name', 'base_url'],
  announcements: ['id', 'title', 'starts_at', 'ends_at'],
};

function sectionBlocks(kind: Section, stored: StoredCatalog): readonly TextBlock[] {
  const key = REQUIRED[kind][0];
  const entries = listEntries(kind, stored)
    .map(({ json: entry }) => entry)
    .toSorted((one, other) => compare(one[key], other[key]));
  if (entries.length === 0) return [{ where: kind, lines: [`${kind}: []`] }];
  return [
    { where: kind, lines: [`${kind}:`] },
    ...entries.map((entry) => ({
      where: `${kind} / ${String(entry[key])}`,
      lines: entryLines(kind, entry, stored),
    })),
  ];
}

function compare(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  const [left, right] = [String(one), String(other)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function entryLines(kind: Section, entry: EntryJson, stored: StoredCatalog): readonly string[] {
  const { secret: _never, ...shown } = entry;
  const brief = withoutDefaults(kind, shown);
  const model = kind === 'models' ? stored.models.get(String(entry.model_id)) : undefined;
  const fields = model === undefined ? brief : { ...brief, routes: toRouteEntries(model) };
  return itemLines(fields);
}

function itemLines(fields: EntryJson): readonly string[] {
  const lines = Object.entries(fields).flatMap(([name, value]) => fieldLines(name, value));
  return lines.map((line, place) => (place === 0 ? `  - ${line}` : `    ${line}`));
}

/** The order in which they are tried. */
function toRouteEntries({ modelId, routes }: StoredModel): readonly EntryJson[] {
  return routes
    .toSorted((one, other) => one.priority - other.priority || one.id - other.id)
    .map((route) => withoutDefaults('routes', routeJson(route), modelId));
}

/** A list of objects has a line for each. */
function fieldLines(name: string, value: unknown): readonly string[] {
  const isLong = Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'object');
  return isLong ? [`${name}:`, ...value.map((each) => `  - ${flow(each)}`)] : [`${name}: ${flow(value)}`];
}

/** What the readers of the file make of an entry that has only the required fields. */
const DEFAULTS: Readonly<Record<EntryKind, (bare: EntryJson, modelId: string) => EntryJson>> = {
  vendors: (bare) => first(read({ vendors: [bare] }).vendors, json.vendorJson),
  credentials: (bare) => first(read({ credentials: [bare] }).credentials, json.credentialJson),
  models: (bare) => first(read({ models: [bare] }).models, modelJson),
  routes: (bare, modelId) =>
    first(read({ models: [{ model_id: modelId, routes: [bare] }] }).models[0]?.routes ?? [], routeJson),
  policies: (bare) => first(read({ policies: [bare] }).policies, json.policyJson),
  plans: (bare) => first(read({ plans: [bare] }).plans, json.planJson),
  nodes: (bare) => first(read({ nodes: [bare] }).nodes, json.nodeJson),
  announcements: (bare) => first(read({ announcements: [bare] }).announcements, json.announcementJson),
};

function read(value: EntryJson) {
  const problems = new Problems();
  return catalogShape({ tree: jsonTree(value, problems), path: '', problems });
}

function first<Entry>(entries: readonly Entry[], toJson: (entry: Entry) => EntryJson): EntryJson {
  const [entry] = entries;
  return entry === undefined ? {} : toJson(entry);
}

function withoutDefaults(kind: EntryKind, entry: EntryJson, modelId = ''): EntryJson {
  const required = REQUIRED[kind];
  const bare = Object.fromEntries(required.map((name) => [name, entry[name]]));
  const defaults = DEFAULTS[kind](bare, modelId);
  const priced = kind === 'models' ? DEFAULTS.models({ ...bare, prices: entry.prices }, '') : defaults;
  const kept = Object.entries(entry).flatMap(([name, value]): [string, unknown][] => {
    if (required.includes(name)) return [[name, value]];
    // Billing modes follow from the prices.
    const usual = name === 'billing_modes' ? priced[name] : defaults[name];
    if (flow(value) === flow(usual) || value === null) return [];
    return [[name, name === 'prices' ? changedOnly(value as EntryJson, usual as EntryJson) : value]];
  });
  // The name of an entry comes first.
  return Object.fromEntries(kept);
}

function changedOnly(value: EntryJson, usual: EntryJson): EntryJson {
  return Object.fromEntries(Object.entries(value).filter(([name, each]) => each !== usual[name]));
}

/** Words that YAML takes for something else than a text. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
const PLAIN = /^[A-Za-z][A-Za-z0-9._/-]*(?: [A-Za-z0-9._/-]+)*$/;

/** A value in one line. Amounts are in quotes, so that no reader makes floats of them. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const said = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
    return said.length === 0
      ? '{}'
      : `{ ${said.map(([name, each]) => `${name}: ${flow(each)}`).join(', ')} }`;
  }
  if (typeof value !== 'string') return String(value ?? 'null');
  if (PLAIN.test(value) && !RESERVED.test(value)) return value;
  // A text that looks like a variable of the environment is not one.
  return JSON.stringify(value.replaceAll('${', () => '$${'));
}
