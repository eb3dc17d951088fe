import { isJsonObject } from '../../kernel/encoding/json.ts';
import { formatDecimal, parseDecimal } from '../../kernel/money.ts';
import type { ListPrices } from '../presets/preset.ts';
import type { PriceName } from '../price-fields.ts';
import type { Figure } from './figure.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** The fields of LiteLLM's public price map: dollars for one token. */
const COSTS: Readonly<Partial<Record<PriceName, string>>> = {
  input: 'input_cost_per_token',
  output: 'output_cost_per_token',
  cache_input: 'cache_read_input_token_cost',
  cache_write: 'cache_creation_input_token_cost',
};
/** What is sold by the token. */
const MODES: readonly unknown[] = ['chat', 'responses', 'embedding'];
const TIER = /^input_cost_per_token_above_/;

/** The entries with a price for tokens. A price of 0 mostly means that nobody knew it: it counts as none. */
export function readPriceMap(map: JsonObject): readonly Figure[] {
  const figures = new Map<string, Figure>();
  for (const [key, entry] of Object.entries(map)) {
    const figure = isJsonObject(entry) ? readEntry(key, entry) : undefined;
    if (figure === undefined) continue;
    const name = `${figure.provider} ${figure.model}`;
    // Some models have an entry with the provider before the name and one without.
    if (!figures.has(name)) figures.set(name, figure);
  }
  return [...figures.values()];
}

function readEntry(key: string, entry: JsonObject): Figure | undefined {
  const { litellm_provider: provider, mode } = entry;
  if (typeof provider !== 'string' || provider === '' || !MODES.includes(mode)) return undefined;
  const [tier] = Array.isArray(entry.tiered_pricing) ? entry.tiered_pricing : [];
  const isInTiers = entry.input_cost_per_token === undefined && isJsonObject(tier);
  const amounts = readAmounts(isInTiers ? tier : entry);
  if (amounts === undefined) return undefined;
  return {
    ...{ provider, currency: 'USD', amounts },
    model: key.startsWith(`${provider}/`) ? key.slice(provider.length + 1) : key,
    isTiered: isInTiers || Object.keys(entry).some((name) => TIER.test(name)),
  };
}

function readAmounts(costs: JsonObject): ListPrices['amounts'] | undefined {
  const entries = Object.entries(COSTS).flatMap(([name, field]): [string, string][] => {
    const amount = perMillion(costs[field]);
    return amount === undefined || (amount === '0' && name !== 'output') ? [] : [[name, amount]];
  });
  const amounts: ListPrices['amounts'] = Object.fromEntries(entries);
  return amounts.input === undefined || amounts.output === undefined ? undefined : amounts;
}

const MILLION_DECIMALS = 6;

/** `4.35e-7` → `"0.435"`: the digits stay, the point moves. */
export function perMillion(cost: unknown): string | undefined {
  if (typeof cost !== 'number') return undefined;
  const decimal = parseDecimal(String(cost));
  return decimal && formatDecimal({ ...decimal, scale: decimal.scale - MILLION_DECIMALS });
}
