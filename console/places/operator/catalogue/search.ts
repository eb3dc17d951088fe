/** What the address holds. */
export const SECTIONS = [
  ...(['vendors', 'credentials', 'models', 'policies', 'plans', 'announcements', 'yaml'] as const),
];
export type Section = (typeof SECTIONS)[number];
export const TABS = ['routes', 'prices', 'admission', 'features', 'traffic'] as const;
export type Tab = (typeof TABS)[number];
export const PERIODS = ['yesterday', '24h', '7d', '30d'] as const;
export type Period = (typeof PERIODS)[number];

export interface CatalogueSearch {
  /** The model that is open. */
  readonly model?: string | undefined;
  readonly tab?: Tab | undefined;
  readonly view?: 'yaml' | undefined;
  /** The key of the entry whose drawer is open. */
  readonly edit?: string | undefined;
  /** The drawer of a new entry is open. */
  readonly add?: 'yes' | undefined;
  /** The drawer of the changes is open. */
  readonly changes?: 'open' | undefined;
  /** The drawer in which a file of prices is read. */
  readonly prices?: 'import' | undefined;
  readonly q?: string | undefined;
  /** Whose calls are priced anew. */
  readonly period?: Period | undefined;
  readonly calls?: 'all' | undefined;
}

const TEXT_MAX = 256;

function text(value: unknown): string | undefined {
  const read = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  return typeof read === 'string' && read !== '' && read.length <= TEXT_MAX ? read : undefined;
}

function one<Value extends string>(value: unknown, all: readonly Value[]): Value | undefined {
  return all.find((each) => each === value);
}

/** What makes no sense is dropped. */
export function readCatalogueSearch(raw: Readonly<Record<string, unknown>>): CatalogueSearch {
  const read: CatalogueSearch = {
    model: text(raw.model),
    tab: one(raw.tab, TABS),
    view: one(raw.view, ['yaml'] as const),
    edit: text(raw.edit),
    add: one(raw.add, ['yes'] as const),
    changes: one(raw.changes, ['open'] as const),
    prices: one(raw.prices, ['import'] as const),
    q: text(raw.q),
    period: one(raw.period, PERIODS),
    calls: one(raw.calls, ['all'] as const),
  };
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
}

export function readSection(section: string): Section {
  return one(section, SECTIONS) ?? 'models';
}
