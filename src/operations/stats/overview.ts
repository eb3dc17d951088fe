import type { EntryJson } from '../../catalog/entry-json.ts';
import { formatMicro } from '../../kernel/money.ts';
import { listCatalogEntries } from '../../store/catalog/change.ts';
import { loadLiveNodes } from '../../store/operations/heartbeats.ts';
import {
  countPlatform,
  findCredentialSales,
  findModelSales,
  findTraffic,
  findVendorSales,
  type Period,
  type Sales,
  type TrafficSums,
} from '../../store/operations/operator-stats.ts';
import type { Context, HealthReports } from '../context.ts';
import { type Failure, fail } from '../failure.ts';
import { ID, nullable, parseMoment, SHOWN_AMOUNT, STATUS, TIME } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { OPERATORS } from '../operator.ts';
import { Type } from '../schema.ts';
import { OVERVIEW_EXAMPLE, SALES_EXAMPLE } from './overview-examples.ts';

const GROUP = { ...OPERATORS, tag: 'Overview' } as const;

export const PERIOD_QUERY = Type.Object({
  from: Type.Optional(Type.String({ ...TIME, description: 'From this hour on. Default: a day ago.' })),
  to: Type.Optional(Type.String({ ...TIME, description: 'Up to this time. Default: now.' })),
});
const PERIOD = { from: TIME, to: TIME };

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Roll-ups of a year and a day are summed in well under a second. */
const PERIOD_MS_MAX = 366 * DAY_MS;

/** Whole hours: the first and the last hour are included if the period touches them. */
export function readPeriod(
  query: { readonly from?: string; readonly to?: string },
  context: Context,
): Period | Failure {
  const toMs = query.to === undefined ? context.clock.now() : parseMoment('to', query.to, context);
  if (typeof toMs !== 'number') return toMs;
  const fromMs = query.from === undefined ? toMs - DAY_MS : parseMoment('from', query.from, context);
  if (typeof fromMs !== 'number') return fromMs;
  if (fromMs >= toMs) return fail('badParameter', 'from must be before to');
  if (toMs - fromMs > PERIOD_MS_MAX) return fail('badParameter', 'from must be within a year before to');
  return { fromMs: Math.floor(fromMs / HOUR_MS) * HOUR_MS, toMs: Math.ceil(toMs / HOUR_MS) * HOUR_MS };
}

const COUNT = Type.Integer({ minimum: 0 });
export const SALES = {
  calls: COUNT,
  failed: COUNT,
  input_tokens: COUNT,
  output_tokens: COUNT,
  images: COUNT,
  amount: Type.String({ ...SHOWN_AMOUNT, description: 'At the prices of the platform, for all payers.' }),
  revenue: Type.String({ ...SHOWN_AMOUNT, description: 'Paid with Credits, in yuan.' }),
  cost: Type.String({
    ...SHOWN_AMOUNT,
    description: 'List price at the rates of route, vendor and credential.',
  }),
  margin: Type.String({
    ...SHOWN_AMOUNT,
    description: 'Revenue minus cost. Sales of plans are not included.',
  }),
};

export function shownSales(sales: Sales): EntryJson {
  return {
    calls: sales.calls,
    failed: sales.failed,
    input_tokens: sales.inputTokens,
    output_tokens: sales.outputTokens,
    images: sales.images,
    amount: formatMicro(sales.amountMicro),
    revenue: formatMicro(sales.revenueMicro),
    cost: formatMicro(sales.costMicro),
    margin: formatMicro(sales.revenueMicro - sales.costMicro),
  };
}

const NOTHING: Sales = {
  ...{ calls: 0, failed: 0, inputTokens: 0, outputTokens: 0, images: 0 },
  ...{ amountMicro: 0n, revenueMicro: 0n, costMicro: 0n },
};

export function total(all: readonly Sales[]): Sales {
  return all.reduce(
    (sum, each) => ({
      calls: sum.calls + each.calls,
      failed: sum.failed + each.failed,
      inputTokens: sum.inputTokens + each.inputTokens,
      outputTokens: sum.outputTokens + each.outputTokens,
      images: sum.images + each.images,
      amountMicro: sum.amountMicro + each.amountMicro,
      revenueMicro: sum.revenueMicro + each.revenueMicro,
      costMicro: sum.costMicro + each.costMicro,
    }),
    NOTHING,
  );
}

export const TRAFFIC = {
  calls: COUNT,
  failed: COUNT,
  byok_calls: COUNT,
  covered: Type.String({ ...SHOWN_AMOUNT, description: 'Covered by subscriptions, in yuan.' }),
};

export function shownTraffic({ calls, failed, byokCalls, coveredMicro }: TrafficSums): object {
  return { calls, failed, byok_calls: byokCalls, covered: formatMicro(coveredMicro) };
}

const OVERVIEW = Type.Object({
  ...PERIOD,
  traffic: Type.Object({ ...TRAFFIC, active_accounts: COUNT }),
  errors: Type.Array(Type.Object({ status: Type.Integer(), calls: COUNT })),
  sales: Type.Object(SALES),
  vendors: Type.Array(Type.Object({ vendor: Type.String(), ...SALES })),
  models: Type.Array(Type.Object({ model_id: Type.String(), ...SALES }), {
    description: 'The highest revenue first, at most 200.',
  }),
  accounts: Type.Object({ total: COUNT, new: COUNT }),
  waiting: Type.Object({ verifications: COUNT, feedback: COUNT }),
});

const overview = operation({
  ...GROUP,
  name: 'overview.get',
  id: 'getOverview',
  method: 'GET',
  path: '/overview',
  title: 'Get the overview',
  summary: 'Traffic, errors, revenue, cost and margin by vendor and model, and open tasks.',
  query: PERIOD_QUERY,
  data: OVERVIEW,
  example: { data: OVERVIEW_EXAMPLE },
  handle: async ({ query }, context) => {
    const period = readPeriod(query, context);
    if ('kind' in period) return period;
    const { database, showTime } = context;
    const [traffic, vendors, models, counts] = await Promise.all([
      findTraffic(database, period),
      findVendorSales(database, period),
      findModelSales(database, period),
      countPlatform(database, period),
    ]);
    return data({
      ...{ from: showTime(period.fromMs), to: showTime(period.toMs) },
      traffic: { ...shownTraffic(traffic), active_accounts: traffic.activeAccounts },
      errors: traffic.errors,
      sales: shownSales(total(vendors)),
      vendors: vendors.map((each) => ({ vendor: each.vendor, ...shownSales(each) })),
      models: models.map((each) => ({ model_id: each.model, ...shownSales(each) })),
      accounts: { total: counts.accounts, new: counts.newAccounts },
      waiting: { verifications: counts.pendingVerifications, feedback: counts.openFeedback },
    });
  },
});

const BREAKER = Type.Object({
  route_id: ID,
  state: Type.String(),
  failures: COUNT,
  ejections: COUNT,
  cooling_ms: Type.Number({ minimum: 0 }),
});
const CREDENTIAL = Type.Object({
  id: ID,
  name: Type.String(),
  vendor: Type.String(),
  status: STATUS,
  ...SALES,
  health: Type.Object({
    active: COUNT,
    suspect: Type.Boolean({ description: 'The vendor refused it recently.' }),
    refusals: Type.Integer({
      minimum: 0,
      description: 'Answers 401 and 403 since the start of this process.',
    }),
    routes: Type.Array(BREAKER),
  }),
});

const credentials = operation({
  ...GROUP,
  name: 'overview.credentials',
  id: 'getOverviewByCredential',
  method: 'GET',
  path: '/overview/credentials',
  title: 'Get the overview by credential',
  summary: 'The credentials of the platform: calls, revenue, cost, and health on this node.',
  query: PERIOD_QUERY,
  data: Type.Object({ ...PERIOD, credentials: Type.Array(CREDENTIAL) }),
  example: {
    data: {
      ...{ from: OVERVIEW_EXAMPLE.from, to: OVERVIEW_EXAMPLE.to },
      credentials: [
        {
          ...{ id: 3, name: 'openai-main', vendor: 'openai', status: 'enabled', ...SALES_EXAMPLE },
          health: { active: 1, suspect: false, refusals: 0, routes: [] },
        },
      ],
    },
  },
  handle: async ({ query }, context) => {
    const period = readPeriod(query, context);
    if ('kind' in period) return period;
    const { database, health, showTime } = context;
    const sales = await findCredentialSales(database, period);
    const sold = new Map(sales.map((each) => [each.credential, each]));
    const entries = await listCatalogEntries(context, 'credentials');
    const shown = entries.map((entry) => ({
      ...{ id: entry.id, name: entry.name, vendor: entry.vendor, status: entry.status },
      ...shownSales(sold.get(String(entry.name)) ?? NOTHING),
      health: shownHealth(Number(entry.id), health),
    }));
    return data({ from: showTime(period.fromMs), to: showTime(period.toMs), credentials: shown });
  },
});

function shownHealth(credentialId: number, health: HealthReports): object {
  const report = health.credentialReports().find((each) => each.credentialId === credentialId);
  const routes = health.routeReports().filter((each) => each.credentialId === credentialId);
  return {
    active: report?.active ?? 0,
    suspect: report?.suspect ?? false,
    refusals: report?.refusals ?? 0,
    routes: routes.map(shownRoute),
  };
}

export function shownRoute(report: ReturnType<HealthReports['routeReports']>[number]): object {
  const { routeId, breaker, failures, ejections, coolingMs } = report;
  return { route_id: routeId, state: breaker, failures, ejections, cooling_ms: coolingMs };
}

const NODE = Type.Object({
  name: Type.String(),
  base_url: Type.String(),
  region: Type.String(),
  rate: SHOWN_AMOUNT,
  alive: Type.Boolean(),
  processes: COUNT,
  active_calls: COUNT,
  last_seen_at: nullable(TIME),
});

const nodes = operation({
  ...GROUP,
  name: 'overview.nodes',
  id: 'getOverviewByNode',
  method: 'GET',
  path: '/overview/nodes',
  title: 'Get the overview by node',
  summary: 'The nodes of the catalogue and whether they are alive.',
  data: Type.Object({ nodes: Type.Array(NODE) }),
  example: {
    data: {
      nodes: [
        {
          ...{ name: 'local', base_url: 'http://127.0.0.1:8080', region: 'default', rate: '100' },
          ...{ alive: true, processes: 1, active_calls: 0, last_seen_at: '2026-11-15 09:05:00' },
        },
      ],
    },
  },
  handle: async (_input, context) => data({ nodes: await shownNodes(context) }),
});

export async function shownNodes({
  database,
  showTime,
}: Pick<Context, 'database' | 'showTime'>): Promise<readonly object[]> {
  const live = await loadLiveNodes(database);
  return live.map((node) => ({
    ...{ name: node.name, base_url: node.baseUrl, region: node.region, rate: formatMicro(node.rateMicro) },
    ...{ alive: node.alive, processes: node.workers, active_calls: node.activeCalls },
    last_seen_at: node.lastSeenAtMs === undefined ? null : showTime(node.lastSeenAtMs),
  }));
}

/** The state of the platform: sales, cost, and the health of credentials and nodes. */
export const overviewOperations: readonly Operation[] = [overview, credentials, nodes];
