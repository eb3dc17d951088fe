import { formatMicro } from '../../kernel/money.ts';
import type { Days } from '../../kernel/time/days.ts';
import { findSeries, type TimedSales } from '../../store/operations/operator-series.ts';
import type { Period } from '../../store/operations/operator-stats.ts';
import { TREND_DAYS_MAX, TREND_HOURS_MAX } from '../bounds.ts';
import { type Failure, fail } from '../failure.ts';
import { nullable, TIME } from '../fields.ts';
import { data, type Operation, operation } from '../operation.ts';
import { OPERATORS } from '../operator.ts';
import { Type } from '../schema.ts';
import { PERIOD_QUERY, readPeriod, SALES, shownSales, TRAFFIC, total } from './overview.ts';
import { OVERVIEW_EXAMPLE, SALES_EXAMPLE } from './overview-examples.ts';

const POINT = Type.Object({
  ...SALES,
  ttft_ms: nullable(
    Type.Integer({ minimum: 0, description: 'Mean time to the first token of streamed calls.' }),
  ),
});
const SERIES = Type.Object({
  times: Type.Array(TIME, { description: 'The start of each point. Every list has one value for each.' }),
  traffic: Type.Array(TRAFFIC),
  sales: Type.Array(POINT),
  vendors: Type.Array(Type.Object({ vendor: Type.String(), points: Type.Array(POINT) })),
});
const POINT_EXAMPLE = { ...SALES_EXAMPLE, ttft_ms: 418 };

const HOUR_MS = 3_600_000;

/** Hours of UTC, or days of the time zone as far as they consist of whole hours. */
function edgesOf(
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

function shownPoint(sales: readonly TimedSales[]): object {
  const calls = sales.reduce((sum, { ttftCalls }) => sum + ttftCalls, 0);
  const timeMs = sales.reduce((sum, { ttftMs }) => sum + ttftMs, 0);
  return { ...shownSales(total(sales)), ttft_ms: calls === 0 ? null : Math.round(timeMs / calls) };
}

const series = operation({
  ...{ ...OPERATORS, tag: 'Overview' },
  name: 'overview.series',
  method: 'GET',
  path: '/overview/series',
  title: 'Get the overview over time',
  summary: 'Traffic, revenue, cost, margin and time to the first token over time, in total and by vendor.',
  query: Type.Object({
    ...PERIOD_QUERY.properties,
    granularity: Type.Optional(Type.Union([Type.Literal('hour'), Type.Literal('day')], { default: 'hour' })),
  }),
  data: SERIES,
  example: {
    data: {
      ...{ times: ['2026-11-15 09:00:00'], traffic: [OVERVIEW_EXAMPLE.traffic], sales: [POINT_EXAMPLE] },
      vendors: [{ vendor: 'openai', points: [POINT_EXAMPLE] }],
    },
  },
  handle: async ({ query }, context) => {
    const period = readPeriod(query, context);
    if ('kind' in period) return period;
    const edges = edgesOf(period, query.granularity ?? 'hour', context.days);
    if ('kind' in edges) return edges;
    const { traffic, vendors } = await findSeries(context.database, { ...period, edges });
    return data({
      times: edges.map((edge) => context.showTime(edge)),
      traffic: traffic.map((each) => ({
        ...{ calls: each.calls, failed: each.failed, active_accounts: each.activeAccounts },
        ...{ byok_calls: each.byokCalls, covered: formatMicro(each.coveredMicro) },
      })),
      sales: edges.map((_, at) => shownPoint(vendors.flatMap(({ points }) => points[at] ?? []))),
      vendors: vendors.map(({ vendor, points }) => ({
        vendor,
        points: points.map((each) => shownPoint([each])),
      })),
    });
  },
});

/** The overview over time. */
export const seriesOperations: readonly Operation[] = [series];
