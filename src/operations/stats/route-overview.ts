import { readStoredCatalog } from '../../store/catalog/apply.ts';
import { findRouteTraffic, type RouteTraffic } from '../../store/operations/route-traffic.ts';
import { ROUTE_TRAFFIC_CALLS_MAX } from '../bounds.ts';
import { ID, nullable, STATUS, TIME } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { OPERATORS } from '../operator.ts';
import { Type } from '../schema.ts';
import { PERCENTILES, shownPercentiles } from './series.ts';

const COUNT = Type.Integer({ minimum: 0 });
const TEXT = Type.String();
const HOUR_MS = 3_600_000;

const ROUTE = Type.Object({
  ...{ route_id: ID, model_id: TEXT, vendor: TEXT, credential: TEXT, forward_model_id: TEXT },
  ...{ priority: Type.Integer(), weight: COUNT, status: STATUS, calls: COUNT },
  share: nullable(Type.Number({ minimum: 0, maximum: 1, description: 'Of the calls of the model.' })),
  attempts: COUNT,
  failures: Type.Integer({ minimum: 0, description: 'Attempts that did not succeed.' }),
  ttft_ms: nullable(Type.Integer({ minimum: 0, description: 'Mean time to the first token of streams.' })),
  ...PERCENTILES,
  state: nullable(
    Type.String({ description: 'Of the breaker on this node. Null: not used since the start.' }),
  ),
  cooling_ms: Type.Number({ minimum: 0 }),
});

const routes = operation({
  ...OPERATORS,
  name: 'overview.routes',
  id: 'getOverviewByRoute',
  method: 'GET',
  path: '/overview/routes',
  tag: 'Overview',
  title: 'Get the overview by route',
  summary:
    'Where the calls of the last hour went: calls, share, failures and time to the first token by route.',
  query: Type.Object({
    model_id: Type.Optional(Type.String({ maxLength: 256, description: 'Only routes of this model.' })),
  }),
  data: Type.Object({
    from: TIME,
    truncated: Type.Boolean({ description: 'The hour has more calls than were counted: the newest were.' }),
    routes: Type.Array(ROUTE),
  }),
  example: {
    data: {
      ...{ from: '2026-11-15 08:05:00', truncated: false },
      routes: [
        {
          ...{ route_id: 7, model_id: 'gpt-5', vendor: 'openai', credential: 'openai-main' },
          ...{ forward_model_id: 'gpt-5-2026-08-01', priority: 100, weight: 1, status: 'enabled' },
          ...{ calls: 610, share: 0.61, attempts: 622, failures: 12 },
          ...{ ttft_ms: 702, ttft_p50_ms: 640, ttft_p95_ms: 1710 },
          ...{ state: 'closed', cooling_ms: 0 },
        },
      ],
    },
  },
  handle: async ({ query }, context) => {
    const sinceMs = context.clock.now() - HOUR_MS;
    const traffic = await findRouteTraffic(context.database, sinceMs);
    const { models } = await readStoredCatalog(context);
    const reports = new Map(context.health.routeReports().map((each) => [each.routeId, each]));
    const shown = [...models.values()]
      .filter(({ modelId }) => query.model_id === undefined || modelId === query.model_id)
      .flatMap(({ modelId, routes: own }) => {
        const calls = own.reduce((sum, { id }) => sum + (traffic.get(id)?.calls ?? 0), 0);
        return own.map((route) => ({
          ...{ route_id: route.id, model_id: modelId, vendor: route.vendorCode },
          ...{ credential: route.credentialName, forward_model_id: route.forwardModelId },
          ...{ priority: route.priority, weight: route.weight, status: route.status },
          ...shownTraffic(traffic.get(route.id), calls),
          state: reports.get(route.id)?.breaker ?? null,
          cooling_ms: reports.get(route.id)?.coolingMs ?? 0,
        }));
      });
    const counted = [...traffic.values()].reduce((sum, { calls }) => sum + calls, 0);
    const isTruncated = counted >= ROUTE_TRAFFIC_CALLS_MAX;
    return data({ from: context.showTime(sinceMs), truncated: isTruncated, routes: shown });
  },
});

const SHARE_UNITS = 10_000;

function shownTraffic(traffic: RouteTraffic | undefined, callsOfModel: number): object {
  const { calls = 0, attempts = 0, failedAttempts = 0, ttftCalls = 0, ttftMs = 0 } = traffic ?? {};
  return {
    calls,
    share: callsOfModel === 0 ? null : Math.round((calls * SHARE_UNITS) / callsOfModel) / SHARE_UNITS,
    ...{ attempts, failures: failedAttempts },
    ttft_ms: ttftCalls === 0 ? null : Math.round(ttftMs / ttftCalls),
    ...shownPercentiles(traffic?.firstToken),
  };
}

/** The state of the routes. */
export const routeOverviewOperations: readonly Operation[] = [routes];
