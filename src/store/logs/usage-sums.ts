import type {
  GroupSeries,
  GroupUsage,
  TimeRange,
  UsageFilter,
  UsageGroup,
  UsageSums,
  WantedGroups,
} from '../../ledger/log.ts';
import { type Database, idNumber } from '../database.ts';
import { daysAndGaps, hoursOfGaps } from './daily-rollup-read.ts';
import {
  callsThatFit,
  filterValues,
  KEPT_FROM,
  listCutHours,
  rangeValues,
  rollupsThatFit,
} from './log-page-ranges.ts';

/**
 * The usage of an account, from the roll-ups: closed days, and hours around them. Hours that the range or
 * a day of its time zone cuts are summed from the log, so that a day in India is exact too. Where the log
 * was dropped, such an hour counts as a whole at its start, so that no call is lost.
 */
const SUMS = [
  'calls',
  'failed',
  'input_fresh',
  'cache_read',
  'cache_write',
  'output_text',
  'output_reasoning',
  'images',
  'videos',
  'amount_micro',
  'credits_micro',
  'ttft_calls',
  'ttft_ms',
] as const;

type SumRow = Readonly<Record<(typeof SUMS)[number], bigint>>;

const GROUPS = ['model_id', 'key_id', 'protocol', 'payer'] as const;
const COLUMNS = [...GROUPS, ...SUMS].join(', ');

/** Parameters after the account, the range and the cut hours: the edges, and then the filter. */
const FILTER = 6;
const IS_WHOLE = `(hour <> all($4::timestamptz[]) or hour < ${KEPT_FROM})`;
// Success is not a filter of roll-ups, because they do not separate its cost.
const FITS = `${rollupsThatFit(FILTER)} and $10::text is null`;

const WHOLE = `
  select starts_at as at, ${COLUMNS} from day_rows where ${FITS}
  union all
  select hour, ${COLUMNS} from ${hoursOfGaps(`${IS_WHOLE} and ${FITS}`)}`;

const HOURS = `
  select hour as at, ${COLUMNS} from usage_hourly
  where account_id = $1 and hour >= $2 and hour < $3 and ${IS_WHOLE} and ${FITS}`;

/**
 * Each hour on its own, and each charge by its key: the planner does not know how short the hours of a list
 * are.
 */
const CUT_HOURS = `
  select cut_rows.* from unnest($4::timestamptz[]) as cut cross join lateral (
    select c.created_at, c.model_used, c.key_id, c.protocol_in, c.payer,
      1, (c.verdict not in ('complete', 'cut-by-client'))::int, c.input_fresh,
      c.cache_read, c.cache_write, c.output_text, c.output_reasoning, c.images, c.videos, c.amount_micro,
      coalesce(s.credits_micro, 0), (c.stream and c.ttfb_ms is not null)::int,
      case when c.stream then coalesce(c.ttfb_ms, 0) else 0 end
    from (
      select * from calls
      where account_id = $1 and created_at >= cut and created_at < cut + interval '1 hour'
        and created_at >= $2 and created_at < $3 and ${callsThatFit('calls', FILTER)} offset 0) as c
    left join lateral (
      select credits_micro from consumptions
      where account_id = $1 and created_at = c.created_at and call_id = c.call_id offset 0) as s on true
    offset 0) as cut_rows
  where cut >= ${KEPT_FROM}`;

const ADDED = SUMS.map((name) => `sum(${name})::bigint as ${name}`).join(', ');

const SPAN = { from: '$2::timestamptz', to: '$3::timestamptz' };
const EDGES = '$5::timestamptz[]';
const WITH_DAYS = `with ${daysAndGaps({ ...SPAN, edges: EDGES })}`;

/** The log is read only with cut hours, and days only if the range may contain one. */
interface Sources {
  readonly days: boolean;
  readonly cuts: boolean;
}

const writeSource = ({ days, cuts }: Sources): string =>
  `${days ? WHOLE : HOURS}${cuts ? ` union all ${CUT_HOURS}` : ''}`;
const writeHead = ({ days }: Sources): string => (days ? WITH_DAYS : '');

const bucketsText = (reading: Sources): string => `${writeHead(reading)}
  select width_bucket(at, ${EDGES}) as bucket, ${ADDED} from (${writeSource(reading)}) as rows group by 1`;

const COLUMN_OF: Readonly<Record<UsageGroup, (typeof GROUPS)[number]>> = {
  model: 'model_id',
  key: 'key_id',
  protocol: 'protocol',
  payer: 'payer',
};

/** The limit comes after the filter. Edges that no group needs are empty. */
const groupsText = (by: UsageGroup, reading: Sources): string => `${writeHead(reading)}
  select ${COLUMN_OF[by]}::text as name, ${ADDED} from (${writeSource(reading)}) as rows group by 1
  order by sum(amount_micro) desc, sum(calls) desc, 1 limit $12`;

const seriesText = (by: UsageGroup, reading: Sources): string => `${writeHead(reading)}
  select width_bucket(at, ${EDGES}) as bucket,
    case when ${COLUMN_OF[by]}::text = any($12::text[]) then ${COLUMN_OF[by]}::text end as name, ${ADDED}
  from (${writeSource(reading)}) as rows group by 1, 2`;

interface UsageQuery {
  readonly range: UsageFilter;
  /** Ascending, and all within the range. */
  readonly edges: readonly number[];
}

function chooseSources({ range, edges }: UsageQuery, cuts: readonly string[]): Sources {
  return { days: hasRoomForDays(range, edges), cuts: cuts.length > 0 };
}

function toValues(
  accountId: number,
  { range, edges }: UsageQuery,
  cuts: readonly string[],
): readonly unknown[] {
  const times = edges.map((edge) => new Date(edge).toISOString());
  return [accountId, ...rangeValues(range), cuts, times, ...filterValues(range)];
}

const findCutHours = ({ range, edges }: UsageQuery): readonly string[] =>
  listCutHours([range.fromMs, range.toMs, ...edges]);

/** The usage between each edge and the next one, after an element for what comes before the first edge. */
export async function usageBetween(
  database: Database,
  accountId: number,
  wanted: UsageQuery,
): Promise<readonly UsageSums[]> {
  const cuts = findCutHours(wanted);
  const rows = await database.query<SumRow & { readonly bucket: number }>(
    bucketsText(chooseSources(wanted, cuts)),
    toValues(accountId, wanted, cuts),
  );
  return inBuckets(rows, wanted.edges.length + 1);
}

function inBuckets(rows: readonly (SumRow & { readonly bucket: number })[], length: number) {
  const found = new Map(rows.map((row) => [row.bucket, sumsFromRow(row)]));
  return Array.from({ length }, (_, bucket) => found.get(bucket) ?? NOTHING);
}

/** The groups with the largest amounts first, a bounded number. */
export async function usageBy(
  database: Database,
  accountId: number,
  { by, range, most }: WantedGroups,
): Promise<readonly GroupUsage[]> {
  const wanted = { range, edges: [] };
  const cuts = findCutHours(wanted);
  const rows = await database.query<SumRow & { readonly name: string }>(
    groupsText(by, { days: true, cuts: cuts.length > 0 }),
    [...toValues(accountId, wanted, cuts), most],
  );
  return rows.map((row) => ({ group: row.name, ...sumsFromRow(row) }));
}

interface NamedGroups extends UsageQuery {
  readonly by: UsageGroup;
  readonly names: readonly string[];
}

/** These groups over time, and at the end all others together, if there are any. */
export async function usageSeries(
  database: Database,
  accountId: number,
  { by, names, ...wanted }: NamedGroups,
): Promise<readonly GroupSeries[]> {
  const cuts = findCutHours(wanted);
  const rows = await database.query<SumRow & { readonly bucket: number; readonly name: string | null }>(
    seriesText(by, chooseSources(wanted, cuts)),
    [...toValues(accountId, wanted, cuts), names],
  );
  const byName = Map.groupBy(rows, ({ name }) => name ?? undefined);
  return [...names, ...(byName.has(undefined) ? [undefined] : [])].map((group) => ({
    group,
    points: inBuckets(byName.get(group) ?? [], wanted.edges.length + 1),
  }));
}

const SHORTEST_DAY_MS = 23 * 3_600_000;

/** False for the short steps of an hourly trend. A short day after a change of the zone is read by hours. */
function hasRoomForDays(
  { fromMs = -Infinity, toMs = Infinity }: TimeRange,
  edges: readonly number[],
): boolean {
  const moments = [fromMs, ...edges, toMs];
  return moments.some((moment, at) => (moments[at + 1] ?? moment) - moment >= SHORTEST_DAY_MS);
}

const NOTHING: UsageSums = {
  calls: 0,
  failed: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  images: 0,
  videos: 0,
  amountMicro: 0n,
  creditsMicro: 0n,
  ttftCalls: 0,
  ttftMs: 0,
};

function sumsFromRow(row: SumRow): UsageSums {
  return {
    calls: idNumber(row.calls),
    failed: idNumber(row.failed),
    inputTokens: idNumber(row.input_fresh + row.cache_read + row.cache_write),
    outputTokens: idNumber(row.output_text + row.output_reasoning),
    cacheReadTokens: idNumber(row.cache_read),
    cacheWriteTokens: idNumber(row.cache_write),
    reasoningTokens: idNumber(row.output_reasoning),
    images: idNumber(row.images),
    videos: idNumber(row.videos),
    amountMicro: row.amount_micro,
    creditsMicro: row.credits_micro,
    ttftCalls: idNumber(row.ttft_calls),
    ttftMs: idNumber(row.ttft_ms),
  };
}
