import { PROTOCOLS } from '../../api/protocols.ts';
import { type PeriodSearch, readPeriod, type Step } from './period.ts';

export const MEASURES = ['spend', 'calls', 'tokens', 'failed', 'firstToken'] as const;
export type Measure = (typeof MEASURES)[number];
export const GROUPINGS = ['model', 'key', 'protocol', 'payer'] as const;
export type Grouping = (typeof GROUPINGS)[number];
export const PAYERS = ['credits', 'subscription', 'byok', 'none'] as const;
export const SORTS = [
  ...(['name', 'calls', 'input', 'cached', 'output', 'failed', 'firstToken'] as const),
  ...(['spend', 'before', 'change'] as const),
];
export type SortKey = (typeof SORTS)[number];

/** Filters, by the names of the API. */
export interface UsageFilters {
  readonly model?: string | undefined;
  readonly key_id?: number | undefined;
  readonly protocol?: (typeof PROTOCOLS)[number] | undefined;
  readonly payer?: (typeof PAYERS)[number] | undefined;
}
export type FilterName = keyof UsageFilters;
export const FILTERS: readonly FilterName[] = ['model', 'key_id', 'protocol', 'payer'];

/** What the address of the usage page holds. */
export interface UsageSearch extends PeriodSearch, UsageFilters {
  readonly by?: Grouping | undefined;
  readonly measure?: Measure | undefined;
  readonly step?: Step | undefined;
  readonly compare?: 'off' | undefined;
  /** The start of the column that is looked at. */
  readonly at?: string | undefined;
  readonly sort?: SortKey | undefined;
  readonly up?: 1 | undefined;
}

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const MODEL_CHARS_MAX = 500;

function one<Value extends string>(value: unknown, all: readonly Value[]): Value | undefined {
  return all.find((each) => each === value);
}

export function readGrouping<Value extends Grouping>(
  value: unknown,
  offered: readonly Value[],
): Value | undefined {
  const found = one(value, offered);
  return found === offered[0] ? undefined : found;
}

function readModel(value: unknown): string | undefined {
  const name = typeof value === 'number' ? String(value) : value;
  return typeof name === 'string' && name !== '' && name.length <= MODEL_CHARS_MAX ? name : undefined;
}

function readId(value: unknown): number | undefined {
  const id = Number(value);
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

/** What makes no sense is dropped, and what is usual is left out. */
export function readUsageSearch(raw: Readonly<Record<string, unknown>>): UsageSearch {
  const measure = one(raw.measure, MEASURES);
  const sort = one(raw.sort, SORTS);
  return {
    ...readPeriod(raw),
    by: readGrouping(raw.by, GROUPINGS),
    measure: measure === 'spend' ? undefined : measure,
    step: one(raw.step, ['hour', 'day', 'week'] as const),
    compare: one(raw.compare, ['off'] as const),
    at: typeof raw.at === 'string' && TIME.test(raw.at) ? raw.at : undefined,
    sort,
    up: Number(raw.up) === 1 ? (1 as const) : undefined,
    model: readModel(raw.model),
    key_id: readId(raw.key_id),
    protocol: one(raw.protocol, PROTOCOLS),
    payer: one(raw.payer, PAYERS),
  };
}

export function withoutUndefined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

export function filtersOf({ model, key_id, protocol, payer }: UsageFilters) {
  return withoutUndefined({ model, key_id, protocol, payer });
}
