import { PROTOCOLS } from '../../api/protocols.ts';
export const FEATURES = ['text', 'image', 'audio', 'video'] as const;
export const SORTS = ['name', 'used', 'context', 'speed', 'first', 'cached', 'input', 'output'] as const;
/** Yuan for a million tokens of input, at most. */
export const PRICES = [1, 5, 20, 100] as const;

export interface ModelsSearch {
  readonly q?: string | undefined;
  readonly vendor?: string | undefined;
  readonly takes?: (typeof FEATURES)[number] | undefined;
  readonly speaks?: (typeof PROTOCOLS)[number] | undefined;
  readonly price?: (typeof PRICES)[number] | undefined;
  readonly callable?: true | undefined;
  /** The list price instead of the own one. */
  readonly list?: true | undefined;
  readonly sort?: (typeof SORTS)[number] | undefined;
  readonly dir?: 'up' | undefined;
  /** The open model. */
  readonly model?: string | undefined;
}

const TEXT_MAX = 200;

function text(value: unknown): string | undefined {
  const given = typeof value === 'number' ? String(value) : value;
  return typeof given === 'string' && given !== '' && given.length <= TEXT_MAX ? given : undefined;
}

function isTrue(value: unknown): true | undefined {
  return value === true || value === 'true' ? true : undefined;
}

/**
 * What makes no sense is dropped: an old or mistyped address still shows the list. Every field is there:
 * where one is missing the router keeps what it read itself.
 */
export function readModelsSearch(given: Record<string, unknown>): ModelsSearch {
  return {
    q: text(given.q),
    vendor: text(given.vendor),
    takes: FEATURES.find((each) => each === given.takes),
    speaks: PROTOCOLS.find((each) => each === given.speaks),
    price: PRICES.find((each) => each === Number(given.price)),
    callable: isTrue(given.callable),
    list: isTrue(given.list),
    sort: SORTS.find((each) => each === given.sort),
    dir: given.dir === 'up' ? ('up' as const) : undefined,
    model: text(given.model),
  };
}
