import type { Days } from '../../kernel/time/days.ts';
import { type FirstToken, findFirstTokens } from '../../store/operations/first-token.ts';
import { findSeries, type TimedSales } from '../../store/operations/operator-series.ts';
import type { Period } from '../../store/operations/operator-stats.ts';
import { TREND_DAYS_MAX, TREND_HOURS_MAX } from '../bounds.ts';
import { type Failure, fail } from '../failure.ts';
import { nullable, TIME } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { OPERATORS } from '../operator.ts';
import { Type } from '../schema.ts';
import { PERIOD_QUERY, readPeriod, SALES, shownSales, shownTraffic, TRAFFIC, total } from './overview.ts';
import { SALES_EXAMPLE, TRAFFIC_EXAMPLE } from './overview-examples.ts';

/** Calls are looked at in pieces of the period, so that a busy period costs no more than a quiet one. */
export const PERCENTILES = {
  ttft_p50_ms: nullable(
    Type.Integer({ minimum: 0, description: 'Median time to the first token of streamed calls.' }),
  ),
  ttft_p95_ms: nullable(Type.Integer({ minimum: 0, description: 'Of 20 streams, 19 were faster.' })),
};
const SAMPLED =
  'Percentiles are exact in quiet times; of busy ones they are those of an even sample of the calls.';
const POINT = Type.Object({
  ...SALES,
  ...PERCENTILES,
  ttft_ms: nullable(
    Type.Integer({ minimum: 0, description: 'Mean time to the first token of streamed calls.' }),
  ),
});
const SERIES = Type.Object({
  times: Type.Array(TIME, { description: 'The start of each point. Every list has one value for each.' }),
  traffic: Type.Array(Type.Object(TRAFFIC)),
  sales: Type.Array(POINT),
  errors: Type.Array(
    Type.Object({
      status: Type.Integer(),
      points: Type.Array(Type.Integer({ minimum: 0 })),
    }),
    { description: 'Answers that are not a success by HTTP status, the most first.' },
  ),
  ...PERCENTILES,
  vendors: Type.Array(Type.Object({ vendor: Type.String(), ...PERCENTILES, points: Type.Array(POINT) })),
});
const TTFT_EXAMPLE = { ttft_p50_ms: 402, ttft_p95_ms: 1180 };
const POINT_EXAMPLE = { ...SALES_EXAMPLE, ...TTFT_EXAMPLE, ttft_ms: 418 };

const HOUR_MS = 3_600_000;

/** Hours of UTC, or days of the time zone as far as they consist of whole hours. */
function listEdges(
  { fromMs, toMs }: Period,
  granularity: 'hour' | 'day',
  days: Days,
): readonly number[] | Failure {
  const most = granularity === 'hour' ? TREND_HOURS_MAX : TREND_DAYS_MAX;
  const edges: number[] = [];
  let edge = granularity === 'hour' ? fromMs : days.startOf(fromMs);
  while (edge < toMs) {
    if (edges.length === most)
      return fail('badParameter', `from must be at most ${most} ${granularity}s before to`);
    edges.push(edge);
    edge = granularity === 'hour' ? edge + HOUR_MS : days.after(edge);
  }
  return edges;
}

export function shownPercentiles(found: FirstToken | undefined): object {
  return { ttft_p50_ms: found?.p50Ms ?? null, ttft_p95_ms: found?.p95Ms ?? null };
}

function shownPoint(sales: readonly TimedSales[], found: FirstToken | undefined): object {
  const calls = sales.reduce((sum, { ttftCalls }) => sum + ttftCalls, 0);
  const timeMs = sales.reduce((sum, { ttftMs }) => sum + ttftMs, 0);
  const ttft = { ttft_ms: calls === 0 ? null : Math.round(timeMs / calls), ...shownPercentiles(found) };
  return { ...shownSales(total(sales)), ...ttft };
}

const series = operation({
  ...{ ...OPERATORS, tag: 'Overview' },
  name: 'overview.series',
  id: 'getOverviewOverTime',
  method: 'GET',
  path: '/overview/series',
  title: 'Get the overview over time',
  summary:
    'Traffic, errors, revenue, cost, margin and time to the first token over time, in total and by vendor. ' +
    SAMPLED,
  query: Type.Object({
    ...PERIOD_QUERY.properties,
    granularity: Type.Optional(Type.Union([Type.Literal('hour'), Type.Literal('day')], { default: 'hour' })),
  }),
  data: SERIES,
  example: {
    data: {
      ...{ times: ['2026-11-15 09:00:00'], traffic: [TRAFFIC_EXAMPLE], sales: [POINT_EXAMPLE] },
      ...{ errors: [{ status: 429, points: [3] }], ...TTFT_EXAMPLE },
      vendors: [{ vendor: 'openai', ...TTFT_EXAMPLE, points: [POINT_EXAMPLE] }],
    },
  },
  handle: async ({ query }, context) => {
    const period = readPeriod(query, context);
    if ('kind' in period) return period;
    const edges = listEdges(period, query.granularity ?? 'hour', context.days);
    if ('kind' in edges) return edges;
    const { traffic, errors, vendors } = await findSeries(context.database, { ...period, edges });
    const ttft = await findFirstTokens(context.database, { edges, toMs: period.toMs });
    return data({
      times: edges.map((edge) => context.showTime(edge)),
      traffic: traffic.map(shownTraffic),
      errors,
      ...shownPercentiles(ttft.find({})),
      sales: edges.map((_, at) => {
        const sold = vendors.flatMap(({ points }) => points[at] ?? []);
        return shownPoint(sold, ttft.find({ point: at }));
      }),
      vendors: vendors.map(({ vendor, points }) => ({
        vendor,
        ...shownPercentiles(ttft.find({ vendor })),
        points: points.map((each, at) => shownPoint([each], ttft.find({ point: at, vendor }))),
      })),
    });
  },
});

/** The overview over time. */
export const seriesOperations: readonly Operation[] = [series];
