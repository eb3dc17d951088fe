import type { StoredCatalog } from '../../catalog/document.ts';
import { vendorCostMicro } from '../../catalog/price.ts';
import { createReprice } from '../../catalog/reprice.ts';
import { formatMicro } from '../../kernel/money.ts';
import { computeBill } from '../../ledger/end-record.ts';
import { previewEdit, readStoredCatalog } from '../../store/catalog/apply.ts';
import type { Database } from '../../store/database.ts';
import { type PricedCall, pricedCalls } from '../../store/logs/priced-calls.ts';
import { PERIOD_DAYS_MAX, WHAT_IF_CALLS_MAX, WHAT_IF_MS_MAX, WHAT_IF_PAGE_ROWS } from '../bounds.ts';
import type { Context } from '../context.ts';
import { type Failure, fail } from '../failure.ts';
import { nullable, parseMoment, SHOWN_AMOUNT, TIME } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { OPERATORS } from '../operator.ts';
import { Type } from '../schema.ts';
import { EXTENT, readFile, wrongFile, YAML } from './catalog-file.ts';

const COUNT = Type.Integer({ minimum: 0 });
const MONEY = Type.Object({
  revenue: Type.String({ ...SHOWN_AMOUNT, description: 'Charged in Credits, in yuan.' }),
  cost: SHOWN_AMOUNT,
  margin: SHOWN_AMOUNT,
});
const COMPARED = { calls: COUNT, was: MONEY, would_be: MONEY, difference: MONEY };

const ANSWER = Type.Object({
  ...{ from: TIME, to: TIME },
  truncated: Type.Boolean({ description: 'There are more calls than were priced: the newest were.' }),
  priced_from: nullable(Type.String({ ...TIME, description: 'The oldest call that was priced.' })),
  not_offered_calls: Type.Integer({
    minimum: 0,
    description: 'Calls of models that the file does not offer. They would bring and cost nothing.',
  }),
  rerouted_calls: Type.Integer({
    minimum: 0,
    description: 'Calls whose route the file does not have or use. They keep the rates of that route.',
  }),
  total: Type.Object(COMPARED),
  models: Type.Array(Type.Object({ model_id: Type.String(), ...COMPARED })),
  vendors: Type.Array(Type.Object({ vendor: Type.String(), ...COMPARED })),
});

const MONEY_EXAMPLE = { revenue: '6204.18', cost: '4902.77', margin: '1301.41' };
const COMPARED_EXAMPLE = {
  ...{
    calls: 182_404,
    was: MONEY_EXAMPLE,
    would_be: { ...MONEY_EXAMPLE, cost: '4941.3', margin: '1262.88' },
  },
  difference: { revenue: '0', cost: '38.53', margin: '-38.53' },
};

const whatIf = operation({
  ...OPERATORS,
  name: 'catalog.whatIf',
  id: 'pricePastCallsWithCatalogueFile',
  method: 'POST',
  path: '/catalog/what-if',
  tag: 'Catalogue',
  title: 'Price past calls with a catalogue file',
  summary:
    'What the calls of a period, by default yesterday, were charged and cost, and what they would be with a catalogue file.',
  body: Type.Object({
    yaml: YAML,
    extent: Type.Optional(EXTENT),
    from: Type.Optional(TIME),
    to: Type.Optional(TIME),
  }),
  data: ANSWER,
  fails: ['tooManyRequests'],
  example: {
    body: { yaml: 'system_rate: "100"\n' },
    data: {
      ...{ from: '2026-11-14 00:00:00', to: '2026-11-15 00:00:00', truncated: false },
      ...{ priced_from: '2026-11-14 00:00:03', not_offered_calls: 0, rerouted_calls: 0 },
      total: COMPARED_EXAMPLE,
      models: [{ model_id: 'claude-sonnet-5', ...COMPARED_EXAMPLE }],
      vendors: [{ vendor: 'anthropic', ...COMPARED_EXAMPLE }],
    },
  },
  handle: async ({ body: { yaml, extent = 'part', from, to } }, context) => {
    const period = readPeriod({ from, to }, context);
    if ('kind' in period) return period;
    const stored = await readStoredCatalog(context);
    const read = readFile(context, { yaml, extent, stored });
    if (read.kind === 'invalid') return wrongFile(read.problems);
    if (running.has(context.database)) {
      return fail('tooManyRequests', 'Another computation is running, please try again', BUSY_MS);
    }
    running.add(context.database);
    try {
      const { after } = await previewEdit(context, { document: read.document, extent }, stored);
      return data(await priceAnew(context, after, period));
    } finally {
      running.delete(context.database);
    }
  },
});

/** One at a time for each process: it reads a large part of the log. */
const running = new WeakSet<Database>();
const BUSY_MS = 1_000;
const DAY_MS = 86_400_000;

export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

export function readPeriod(
  { from, to }: { readonly from: string | undefined; readonly to: string | undefined },
  context: Context,
): Period | Failure {
  const { clock, days } = context;
  const today = days.startOf(clock.now());
  const toMs = to === undefined ? (from === undefined ? today : clock.now()) : parseMoment('to', to, context);
  if (typeof toMs !== 'number') return toMs;
  const dayBefore = to === undefined ? days.startOf(today - 1) : toMs - DAY_MS;
  const fromMs = from === undefined ? dayBefore : parseMoment('from', from, context);
  if (typeof fromMs !== 'number') return fromMs;
  if (fromMs >= toMs) return fail('badParameter', 'from must be before to');
  if (toMs - fromMs > PERIOD_DAYS_MAX * DAY_MS) {
    return fail('badParameter', `from must be at most ${PERIOD_DAYS_MAX} days before to`);
  }
  return { fromMs, toMs };
}

interface Sum {
  calls: number;
  wasRevenueMicro: bigint;
  wasCostMicro: bigint;
  revenueMicro: bigint;
  costMicro: bigint;
}

const newSum = (): Sum => ({
  calls: 0,
  wasRevenueMicro: 0n,
  wasCostMicro: 0n,
  revenueMicro: 0n,
  costMicro: 0n,
});

/** Every call by itself, with the function that charges calls: amounts are cut call by call. */
async function priceAnew(context: Context, catalog: StoredCatalog, period: Period): Promise<object> {
  const { clock, database, showTime } = context;
  const { creditsPerYuan } = context.config;
  const reprice = createReprice(catalog);
  const [all, models, vendors] = [newSum(), new Map<string, Sum>(), new Map<string, Sum>()];
  const untilMs = clock.monotonic() + WHAT_IF_MS_MAX;
  let [notOffered, rerouted, oldestMs] = [0, 0, 0];
  let isTruncated = false;
  for await (const page of pricedCalls(database, { ...period, pageRows: WHAT_IF_PAGE_ROWS })) {
    for (const call of page) {
      const made = reprice(call);
      if (made.kind === 'not-offered') notOffered++;
      else if (!made.isRouteOpen) rerouted++;
      const price = made.kind === 'not-offered' ? undefined : made.price;
      const money = compare(call, price, creditsPerYuan);
      for (const sum of [all, findOrCreateSum(models, call.model), findOrCreateSum(vendors, call.vendor)])
        add(sum, money);
      oldestMs = call.createdAtMs;
    }
    if (all.calls < WHAT_IF_CALLS_MAX && clock.monotonic() < untilMs) continue;
    isTruncated = page.length === WHAT_IF_PAGE_ROWS;
    break;
  }
  return {
    ...{ from: showTime(period.fromMs), to: showTime(period.toMs), truncated: isTruncated },
    ...{ priced_from: all.calls === 0 ? null : showTime(oldestMs) },
    ...{ not_offered_calls: notOffered, rerouted_calls: rerouted, total: shownSum(all) },
    models: inOrder(models).map(([model, sum]) => ({ model_id: model, ...shownSum(sum) })),
    vendors: inOrder(vendors).map(([vendor, sum]) => ({ vendor, ...shownSum(sum) })),
  };
}

type Money = Omit<Sum, 'calls'>;

/** A call with a credential of the account is paid elsewhere, before and after. */
function compare(call: PricedCall, price: PricedCall['price'] | undefined, creditsPerYuan: number): Money {
  const { payer, usage, amountMicro, chargeMicro } = call;
  const isOwn = payer === 'byok';
  const bill =
    isOwn || price === undefined ? undefined : computeBill({ price, payer }, usage, creditsPerYuan);
  return {
    wasRevenueMicro: chargeMicro > 0n ? amountMicro : 0n,
    wasCostMicro: isOwn ? 0n : vendorCostMicro(usage, call.price),
    revenueMicro: bill !== undefined && bill.chargeMicro > 0n ? bill.amountMicro : 0n,
    costMicro: isOwn || price === undefined ? 0n : vendorCostMicro(usage, price),
  };
}

function findOrCreateSum(sums: Map<string, Sum>, key: string): Sum {
  const sum = sums.get(key) ?? newSum();
  sums.set(key, sum);
  return sum;
}

function add(sum: Sum, money: Money): void {
  sum.calls += 1;
  sum.wasRevenueMicro += money.wasRevenueMicro;
  sum.wasCostMicro += money.wasCostMicro;
  sum.revenueMicro += money.revenueMicro;
  sum.costMicro += money.costMicro;
}

/** Those that bring most come first. */
function inOrder(sums: ReadonlyMap<string, Sum>): readonly [string, Sum][] {
  return [...sums].toSorted(([, one], [, other]) => Number(other.revenueMicro - one.revenueMicro));
}

function shownSum(sum: Sum): object {
  const { calls, wasRevenueMicro, wasCostMicro, revenueMicro, costMicro } = sum;
  return {
    calls,
    was: shownMoney(wasRevenueMicro, wasCostMicro),
    would_be: shownMoney(revenueMicro, costMicro),
    difference: shownMoney(revenueMicro - wasRevenueMicro, costMicro - wasCostMicro),
  };
}

function shownMoney(revenueMicro: bigint, costMicro: bigint): object {
  return {
    revenue: formatMicro(revenueMicro),
    cost: formatMicro(costMicro),
    margin: formatMicro(revenueMicro - costMicro),
  };
}

/** Past calls with the prices of a catalogue that is not applied yet. */
export const whatIfOperations: readonly Operation[] = [whatIf];
