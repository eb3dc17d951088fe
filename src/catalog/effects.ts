import { formatMicro } from '../kernel/money.ts';
import type { CatalogChange } from './diff.ts';
import type { StoredCatalog, StoredModel } from './document.ts';
import { effectivePrices, mapPriceFields } from './price-fields.ts';

/** What a change of the catalogue means for calls, as figures before and after it. */
export interface Effects {
  readonly shares: readonly ShareEffect[];
  readonly prices: readonly PriceEffect[];
  readonly rates: readonly RateEffect[];
  readonly limits: readonly LimitEffect[];
}

/** The routes of a model that serve calls, in the order in which they are tried. */
export interface ShareEffect {
  readonly modelId: string;
  readonly before: readonly RouteShare[];
  readonly after: readonly RouteShare[];
}

export interface RouteShare {
  readonly credential: string;
  readonly forwardModelId: string;
  readonly priority: number;
  /** Of the calls that reach its priority, in ten-thousandths. */
  readonly share: number;
}

export interface PriceEffect {
  readonly modelId: string;
  readonly price: string;
  /** What a call is charged by. Null: there is no such model. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface RateEffect {
  readonly entity: string;
  readonly key: string;
  readonly rate: string;
  readonly before: string | null;
  readonly after: string;
}

export interface LimitEffect {
  readonly policyId: number;
  readonly name: string;
  /** `concurrency`, or a dimension. */
  readonly limit: string;
  /** Of the window. Null for concurrency. */
  readonly seconds: number | null;
  /** Null: no limit. */
  readonly before: string | null;
  readonly after: string | null;
}

export function findEffects(
  before: StoredCatalog,
  after: StoredCatalog,
  changes: readonly CatalogChange[],
): Effects {
  const models = [...new Set([...before.models.keys(), ...after.models.keys()])];
  return {
    shares: models.flatMap((modelId) => shareEffect(modelId, before, after)),
    prices: models.flatMap((modelId) => priceEffects(modelId, before, after)),
    rates: changes.flatMap(rateEffects),
    limits: [...new Set([...before.policies.keys(), ...after.policies.keys()])].flatMap((policyId) =>
      limitEffects(policyId, before, after),
    ),
  };
}

function shareEffect(modelId: string, before: StoredCatalog, after: StoredCatalog): readonly ShareEffect[] {
  // With these, what is measured or charged decides, and not the weights.
  const routing = after.models.get(modelId)?.routing;
  if (routing === 'latency' || routing === 'cost') return [];
  const [old, fresh] = [listShares(before, modelId), listShares(after, modelId)];
  return JSON.stringify(old) === JSON.stringify(fresh) ? [] : [{ modelId, before: old, after: fresh }];
}

const SHARES = 10_000;

function listShares({ models, credentials }: StoredCatalog, modelId: string): readonly RouteShare[] {
  const model = models.get(modelId);
  if (model === undefined || model.status === 'disabled') return [];
  const isOpen = ({ status, credentialName }: StoredModel['routes'][number]): boolean =>
    status === 'enabled' && credentials.get(credentialName)?.status === 'enabled';
  const open = model.routes
    .filter(isOpen)
    .toSorted((one, other) => one.priority - other.priority || one.id - other.id);
  const weights = new Map<number, number>();
  for (const { priority, weight } of open) weights.set(priority, (weights.get(priority) ?? 0) + weight);
  return open.map(({ credentialName, forwardModelId, priority, weight }) => ({
    ...{ credential: credentialName, forwardModelId, priority },
    share: Math.round((weight * SHARES) / (weights.get(priority) ?? weight)),
  }));
}

function priceEffects(modelId: string, before: StoredCatalog, after: StoredCatalog): readonly PriceEffect[] {
  const findPrices = ({ models }: StoredCatalog) => {
    const model = models.get(modelId);
    return model && effectivePrices(model.prices);
  };
  const [old, fresh] = [findPrices(before), findPrices(after)];
  const effects = mapPriceFields(({ field, name }): PriceEffect[] => {
    const [one, other] = [old?.[field], fresh?.[field]];
    // A model that comes or goes is told by the prices that it has.
    if (one === other || ((one ?? 0n) === 0n && (other ?? 0n) === 0n)) return [];
    return [{ modelId, price: name, before: shown(one), after: shown(other) }];
  });
  return Object.values(effects).flat();
}

const shown = (micro: bigint | undefined): string | null => (micro === undefined ? null : formatMicro(micro));

const RATES: ReadonlySet<string> = new Set(['rate', 'system_rate', 'rate_multiplier', 'defaults.user_rate']);

function rateEffects({ kind, entity, key, fields }: CatalogChange): readonly RateEffect[] {
  if (kind !== 'updated') return [];
  return fields.flatMap(({ name, values }) =>
    RATES.has(name) && values !== undefined
      ? [{ entity, key, rate: name, before: values.before, after: values.after }]
      : [],
  );
}

function limitEffects(policyId: number, before: StoredCatalog, after: StoredCatalog): readonly LimitEffect[] {
  const [old, fresh] = [collectLimits(before, policyId), collectLimits(after, policyId)];
  const name = (after.policies.get(policyId) ?? before.policies.get(policyId))?.name ?? '';
  return [...new Set([...old.keys(), ...fresh.keys()])].flatMap((key) => {
    const [one, other] = [old.get(key) ?? null, fresh.get(key) ?? null];
    if (one === other) return [];
    const [limit = '', seconds] = key.split(' ');
    const window = seconds === undefined ? null : Number(seconds);
    return [{ policyId, name, limit, seconds: window, before: one, after: other }];
  });
}

function collectLimits({ policies }: StoredCatalog, policyId: number): ReadonlyMap<string, string> {
  const policy = policies.get(policyId);
  const limits = new Map<string, string>();
  if (policy?.concurrency !== undefined) limits.set('concurrency', String(policy.concurrency));
  for (const { dimension, seconds, limit } of policy?.windows ?? []) {
    limits.set(`${dimension} ${seconds}`, dimension === 'amount' ? formatMicro(limit) : String(limit));
  }
  return limits;
}
