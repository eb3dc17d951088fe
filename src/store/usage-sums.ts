import type { ModelUsage, TimeRange, UsageSums } from '../ledger/log.ts';
import { STATS_MODELS_MAX } from '../platform/bounds.ts';
import { type Database, idNumber } from './database.ts';
import { daysAndGaps, hoursOfGaps } from './days-read.ts';
import { cutHoursOf, KEPT_FROM, rangeValues } from './log-stretches.ts';

/**
 * What an account used, from the roll-ups: closed days, and hours around them. Hours that the asked range or
 * a day of its time zone cuts are added up from the log, so that a day in India is exact too. Where the log
 * was dropped such an hour stays whole and counts where it begins, so that no call is lost.
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
] as const;

type SumRow = Readonly<Record<(typeof SUMS)[number], bigint>>;

const IS_WHOLE = `(hour <> all($4::timestamptz[]) or hour < ${KEPT_FROM})`;

const WHOLE = `
  select starts_at as at, model_id, ${SUMS.join(', ')} from day_rows
  union all
  select hour, model_id, ${SUMS.join(', ')} from ${hoursOfGaps(IS_WHOLE)}`;

const HOURS = `
  select hour as at, model_id, ${SUMS.join(', ')} from usage_hourly
  where account_id = $1 and hour >= $2 and hour < $3 and ${IS_WHOLE}`;

const CUT_HOURS = `
  select c.created_at, c.model_used, 1, (c.verdict not in ('complete', 'cut-by-client'))::int, c.input_fresh,
    c.cache_read, c.cache_write, c.output_text, c.output_reasoning, c.images, c.videos, c.amount_micro,
    coalesce(s.credits_micro, 0)
  from unnest($4::timestamptz[]) as cut
  join calls c on c.account_id = $1 and c.created_at >= cut and c.created_at < cut + interval '1 hour'
    and c.created_at >= $2 and c.created_at < $3 and cut >= ${KEPT_FROM}
  left join consumptions s on s.account_id = $1 and s.created_at = c.created_at and s.call_id = c.call_id`;

const ADDED = SUMS.map((name) => `sum(${name})::bigint as ${name}`).join(', ');

const SPAN = { from: '$2::timestamptz', to: '$3::timestamptz' };
const EDGES = '$5::timestamptz[]';

const bucketsText = (rows: string): string => `
  select width_bucket(at, ${EDGES}) as bucket, ${ADDED} from (${rows}) as rows group by 1`;
const modelsText = (rows: string): string => `
  with ${daysAndGaps(SPAN)}
  select model_id, ${ADDED} from (${rows}) as rows group by 1
  order by sum(amount_micro) desc, sum(calls) desc, 1 limit ${STATS_MODELS_MAX}`;

const WITH_DAYS = `with ${daysAndGaps({ ...SPAN, edges: EDGES })}`;

/** Without cut hours the log is not even planned, and without room for a day no days. */
const TEXTS = {
  days: {
    whole: WITH_DAYS + bucketsText(WHOLE),
    cut: WITH_DAYS + bucketsText(`${WHOLE} union all ${CUT_HOURS}`),
  },
  hours: { whole: bucketsText(HOURS), cut: bucketsText(`${HOURS} union all ${CUT_HOURS}`) },
  models: { whole: modelsText(WHOLE), cut: modelsText(`${WHOLE} union all ${CUT_HOURS}`) },
} as const;

/**
 * The usage between each edge and the next one, after a first element for what comes before the first edge.
 * Edges go up; all within the range.
 */
export async function usageBetween(
  database: Database,
  accountId: number,
  { range, edges }: { readonly range: TimeRange; readonly edges: readonly number[] },
): Promise<readonly UsageSums[]> {
  const cuts = cutHoursOf([range.fromMs, range.toMs, ...edges]);
  const rows = await database.query<SumRow & { readonly bucket: number }>(
    TEXTS[hasRoomForDays(range, edges) ? 'days' : 'hours'][cuts.length === 0 ? 'whole' : 'cut'],
    [accountId, ...rangeValues(range), cuts, edges.map((edge) => new Date(edge).toISOString())],
  );
  const found = new Map(rows.map((row) => [row.bucket, sumsFromRow(row)]));
  return Array.from({ length: edges.length + 1 }, (_, bucket) => found.get(bucket) ?? NOTHING);
}

const SHORTEST_DAY_MS = 23 * 3_600_000;

/** The points of an hourly trend have none; a shorter day, where the time zone was changed, is not missed. */
function hasRoomForDays(
  { fromMs = -Infinity, toMs = Infinity }: TimeRange,
  edges: readonly number[],
): boolean {
  const moments = [fromMs, ...edges, toMs];
  return moments.some((moment, at) => (moments[at + 1] ?? moment) - moment >= SHORTEST_DAY_MS);
}

/** The models with the largest amounts first; so many that nobody reads on, and no more. */
export async function usageOfModels(
  database: Database,
  accountId: number,
  range: TimeRange,
): Promise<readonly ModelUsage[]> {
  const cuts = cutHoursOf([range.fromMs, range.toMs]);
  const rows = await database.query<SumRow & { readonly model_id: string }>(
    TEXTS.models[cuts.length === 0 ? 'whole' : 'cut'],
    [accountId, ...rangeValues(range), cuts],
  );
  return rows.map((row) => ({ model: row.model_id, ...sumsFromRow(row) }));
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
  };
}
