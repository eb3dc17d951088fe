import { type GroupSeries, USAGE_GROUPS, type UsageSums } from '../../ledger/log.ts';
import { findKeyNames } from '../../store/accounts/api-keys.ts';
import { usageBy, usageSeries } from '../../store/logs/usage-sums.ts';
import { SERIES_GROUPS_MAX } from '../bounds.ts';
import { type Context, ownAccount } from '../context.ts';
import type { Failure } from '../failure.ts';
import { nullable, TIME } from '../fields.ts';
import { csvLine } from '../logs/csv.ts';
import { CSV_FILE, FORMAT, toCsvFile } from '../logs/export.ts';
import { CONSUMPTION_FIELDS, readUsageFilter } from '../logs/log-filter.ts';
import { data, type Operation, operation } from '../operation.ts';
import { type Static, Type } from '../schema.ts';
import { GROUP, SUM_FIELDS, SUMS, SUMS_EXAMPLE, shownSums } from './stats.ts';
import { GRANULARITY, rangeBefore, type TrendRange, trendRange } from './trend-range.ts';

const SERIES_GROUPS = 7;
const NO_NAMES: ReadonlyMap<number, string> = new Map();

const QUERY = {
  ...CONSUMPTION_FIELDS,
  by: Type.Optional(
    Type.Union(
      USAGE_GROUPS.map((name) => Type.Literal(name)),
      { default: 'model' },
    ),
  ),
  granularity: GRANULARITY,
  groups: Type.Optional(
    Type.Integer({
      ...{ minimum: 1, maximum: SERIES_GROUPS_MAX, default: SERIES_GROUPS },
      description: 'Number of groups. All others are one group.',
    }),
  ),
};
const ASKED = Type.Object(QUERY);

const TIMED = {
  from: TIME,
  to: Type.String({ ...TIME, description: 'Exclusive, cut to a second.' }),
  times: Type.Array(TIME, { description: 'The start of each point.' }),
  total: SUMS,
  points: Type.Array(SUMS, { description: 'All groups together: one for each of `times`.' }),
};
const SERIES = Type.Object({
  ...TIMED,
  before: nullable(Type.Object(TIMED, { description: 'With `compare`: the same length directly before.' })),
  groups: Type.Array(
    Type.Object({
      group: nullable(
        Type.String({
          description: 'A model, the number of a key, a protocol or a payer; null for all others together.',
        }),
      ),
      name: nullable(Type.String({ description: 'The name of a key that still exists.' })),
      total: SUMS,
      before: nullable(Type.Object(SUM_FIELDS, { description: 'With `compare`: its sum before.' })),
      points: Type.Array(SUMS, { description: 'One for each of `times`.' }),
    }),
  ),
});

const TIMED_EXAMPLE = {
  ...{ from: '2026-11-15 00:00:00', to: '2026-11-15 09:05:00', times: ['2026-11-15 00:00:00'] },
  ...{ total: SUMS_EXAMPLE, points: [SUMS_EXAMPLE] },
};

interface Found {
  readonly range: TrendRange;
  readonly groups: readonly GroupSeries[];
}

interface Comparison {
  readonly now: Found;
  readonly before: Found | undefined;
}

const NOTHING: readonly UsageSums[] = [];

/** The largest groups over time, and if asked the same groups before. */
async function findUsage(
  query: Static<typeof ASKED>,
  context: Context,
  compare: 'before' | undefined,
): Promise<Comparison | Failure> {
  const { database, days } = context;
  const filter = readUsageFilter(query, context);
  if ('kind' in filter) return filter;
  const range = trendRange(query.granularity, filter, { nowMs: context.clock.now(), days });
  if ('kind' in range) return range;
  const accountId = ownAccount(context);
  const { by = 'model', groups: most = SERIES_GROUPS } = query;
  const within = ({ fromMs, toMs }: TrendRange) => ({ ...filter, fromMs, toMs });
  const largest = await usageBy(database, accountId, { by, most, range: within(range) });
  const names = largest.map(({ group }) => group);
  const find = async (each: TrendRange): Promise<Found> => {
    const wanted = { by, names, range: within(each), edges: each.edges };
    return { range: each, groups: await usageSeries(database, accountId, wanted) };
  };
  const [now, before] = await Promise.all([
    find(range),
    compare === undefined ? undefined : find(rangeBefore(query.granularity, range, days)),
  ]);
  return { now, before };
}

async function readGroupNames({ now }: Comparison, query: Static<typeof ASKED>, context: Context) {
  if (query.by !== 'key') return NO_NAMES;
  const ids = now.groups.flatMap(({ group }) => (group === undefined ? [] : [Number(group)]));
  return await findKeyNames(context.database, ownAccount(context), ids);
}

/** The element before the first point is empty: no range begins before its first edge. */
function shownTimes({ range, groups }: Found, { showTime }: Context) {
  return {
    from: showTime(range.fromMs),
    to: showTime(range.toMs),
    times: range.edges.map((edge) => showTime(edge)),
    total: shownSums(...groups.flatMap(({ points }) => points)),
    points: range.edges.map((_, at) => shownSums(...groups.map(({ points }) => points[at + 1]))),
  };
}

function listPoints(found: Found, wanted: string | undefined): readonly UsageSums[] {
  return found.groups.find(({ group }) => group === wanted)?.points ?? NOTHING;
}

const series = operation({
  ...GROUP,
  name: 'stats.series',
  id: 'getUsageOverTimeByGroup',
  path: '/stats/series',
  title: 'Get my usage over time by group',
  summary:
    'Usage over time by model, key, protocol or payer: the largest groups, all others as one, and the sums ' +
    'of all; also against the same length of time before.',
  query: Type.Object({
    ...QUERY,
    compare: Type.Optional(
      Type.Literal('before', { description: 'Also the sums of the same length of time before.' }),
    ),
  }),
  data: SERIES,
  example: {
    data: {
      ...TIMED_EXAMPLE,
      before: null,
      groups: [{ group: 'gpt-5', name: null, total: SUMS_EXAMPLE, before: null, points: [SUMS_EXAMPLE] }],
    },
  },
  handle: async ({ query }, context) => {
    const found = await findUsage(query, context, query.compare);
    if ('kind' in found) return found;
    const { now, before } = found;
    const names = await readGroupNames(found, query, context);
    // Groups of the period before that are not among the largest now count as others.
    const hasOthers = [now, before].some((each) => each?.groups.some(({ group }) => group === undefined));
    const shown = now.groups.map(({ group }) => group).filter((group) => group !== undefined);
    return data({
      ...shownTimes(now, context),
      before: before === undefined ? null : shownTimes(before, context),
      groups: [...shown, ...(hasOthers ? [undefined] : [])].map((group) => ({
        group: group ?? null,
        name: names.get(Number(group)) ?? null,
        total: shownSums(...listPoints(now, group)),
        before: before === undefined ? null : shownSums(...listPoints(before, group)),
        points: now.range.edges.map((_, at) => shownSums(listPoints(now, group)[at + 1])),
      })),
    });
  },
});

const COLUMNS = ['time', 'group', 'name', ...Object.keys(SUM_FIELDS)] as const;

const exportUsage = operation({
  ...CSV_FILE,
  tag: GROUP.tag,
  name: 'stats.export',
  id: 'exportUsage',
  path: '/stats/export',
  title: 'Export my usage',
  summary: 'Usage over time by group as CSV: a line for each point and group with calls.',
  query: Type.Object({ ...FORMAT, ...QUERY }),
  example: { data: csvLine(COLUMNS) },
  handle: async ({ query }, context) => {
    const found = await findUsage({ groups: SERIES_GROUPS_MAX, ...query }, context, undefined);
    if ('kind' in found) return found;
    const names = await readGroupNames(found, query, context);
    return toCsvFile('usage', usageLines(found.now, names, context), context);
  },
});

async function* usageLines(
  { range, groups }: Found,
  names: ReadonlyMap<number, string>,
  { showTime }: Context,
): AsyncGenerator<string, void, undefined> {
  yield csvLine(COLUMNS);
  for (const [at, edge] of range.edges.entries()) {
    const lines = groups.flatMap(({ group, points }) => {
      const point = points[at + 1];
      if (point === undefined || point.calls === 0) return [];
      const { amount, credits, ...counts } = shownSums(point);
      const figures = { ...counts, amount: { figure: String(amount) }, credits: { figure: String(credits) } };
      const sums = Object.keys(SUM_FIELDS).map((name) => figures[name as keyof typeof figures]);
      return [csvLine([showTime(edge), group ?? null, names.get(Number(group)) ?? null, ...sums])];
    });
    if (lines.length > 0) yield lines.join('');
  }
}

/** Usage over time, by model, key, protocol or payer. */
export const usageSeriesOperations: readonly Operation[] = [series, exportUsage];
