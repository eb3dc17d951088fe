/**
 * The doctor's queries about roll-ups: the sums of the kept calls, minus what was added when they were
 * settled. Any difference is a finding. Hours before the kept logs cannot be checked, and late calls to them
 * are not their sum. Days are compared with the hours, which are kept.
 */
const KEPT = '(select kept_from from log_retention)';
// A date compared with a time means midnight in the time zone of the server.
const KEPT_DAY = "(select (kept_from at time zone 'UTC')::date from log_retention)";
const HOUR = "date_trunc('hour', c.created_at, 'UTC')";
const FAILED = "(c.verdict not in ('complete', 'cut-by-client'))::int";
const TAKEN = 'coalesce(s.credits_micro, 0)';
const LOGGED = `calls c left join consumptions s on s.created_at = c.created_at and s.call_id = c.call_id
  where c.created_at >= ${KEPT}`;
const FIRST_TOKEN = '(c.stream and c.ttfb_ms is not null)';
const OUTPUT = 'c.output_text + c.output_reasoning';

/** A column of the roll-up, and its expression for a single call of the log. */
type Columns = Readonly<Record<string, string>>;

const USAGE_KEY: Columns = {
  account_id: 'c.account_id',
  hour: HOUR,
  model_id: 'c.model_used',
  key_id: 'c.key_id',
  protocol: 'c.protocol_in',
  status: 'c.status',
  payer: 'c.payer',
  credential: "case when c.payer = 'byok' then coalesce(c.attempts -> -1 ->> 'credential', '') else '' end",
};

const USAGE_SUMS: Columns = {
  calls: '1',
  failed: FAILED,
  consumed: '(c.price is not null)::int',
  input_fresh: 'c.input_fresh',
  cache_read: 'c.cache_read',
  cache_write: 'c.cache_write',
  output_text: 'c.output_text',
  output_reasoning: 'c.output_reasoning',
  images: 'c.images',
  videos: 'c.videos',
  amount_micro: 'c.amount_micro',
  credits_micro: TAKEN,
  ttft_calls: `${FIRST_TOKEN}::int`,
  ttft_ms: `case when ${FIRST_TOKEN} then c.ttfb_ms else 0 end`,
};

const MODEL_KEY: Columns = {
  hour: HOUR,
  model_id: 'c.model_used',
  vendor: 'c.vendor',
  credential: "case when c.payer = 'byok' then '' else coalesce(c.attempts -> -1 ->> 'credential', '') end",
};
const TIMED = `coalesce(c.stream and c.verdict = 'complete' and not c.estimated
  and c.duration_ms > c.ttfb_ms and ${OUTPUT} > 0, false)`;

/** The cost is left out: it follows from the price snapshot, which is recomputed call by call. */
const MODEL_SUMS: Columns = {
  calls: '1',
  failed: FAILED,
  input_tokens: 'c.input_fresh + c.cache_read + c.cache_write',
  output_tokens: OUTPUT,
  images: 'c.images',
  amount_micro: 'c.amount_micro',
  credits_micro: TAKEN,
  spent_micro: 'coalesce(s.spent_micro, 0)',
  ttft_calls: `${FIRST_TOKEN}::int`,
  ttft_ms: `case when ${FIRST_TOKEN} then c.ttfb_ms else 0 end`,
  speed_calls: `${TIMED}::int`,
  speed_tokens: `case when ${TIMED} then ${OUTPUT} else 0 end`,
  speed_ms: `case when ${TIMED} then c.duration_ms - c.ttfb_ms else 0 end`,
};

const REACHED = 'c.price is not null and c.vendor is not null';

const { account_id: _account, hour: _hour, ...DAY_COLUMNS } = USAGE_KEY;
const DAY_KEY = Object.keys(DAY_COLUMNS).join(', ');
const DAY_SUMS = Object.keys(USAGE_SUMS);
const signed = (sign: '' | '-'): string => DAY_SUMS.map((name) => `${sign}${name}`).join(', ');

/**
 * An hour belongs to the last day that began before it and has not ended. Sorting all hours and days together
 * finds it without a look-up for each hour.
 */
const HOURS_WITH_DAYS = `
  select *, max(day_start) over so_far as starts_at, max(day_end) over so_far as ends_at
  from (select account_id, hour as at, null::timestamptz as day_start, null::timestamptz as day_end, ${DAY_KEY},
          ${signed('')} from usage_hourly
        union all
        select distinct account_id, starts_at, starts_at, ends_at, null, null::bigint, null, null::int, null, null,
          ${DAY_SUMS.map(() => 'null::bigint').join(', ')} from usage_daily) as in_order
  window so_far as (partition by account_id order by at, day_start nulls last rows unbounded preceding)`;

/** What operators read of a day: its sums, and those of its hours. */
const TRAFFIC_SUMS = ['calls', 'failed', 'amount_micro', 'credits_micro', 'hour_calls', 'hour_failed'];
const TRAFFIC_OF_DAYS = `
  select day.account_id, day.starts_at, each.calls, each.failed, each.amount_micro, each.credits_micro,
    each.calls as hour_calls, each.failed as hour_failed
  from traffic_daily as day join usage_hourly as each
    on each.account_id = day.account_id and each.hour >= day.starts_at and each.hour < day.ends_at
  union all
  select account_id, starts_at, -calls, -failed, -amount_micro, -credits_micro,
    -(select sum(each) from unnest(hour_calls) as each), -(select sum(each) from unnest(hour_failed) as each)
  from traffic_daily`;

const TRAFFIC_HOUR_SUMS = ['calls', 'failed', 'byok_calls', 'covered_micro'];

export const ROLLUP_QUESTIONS = {
  'usage-rollup': differences({
    table: 'usage_hourly',
    key: USAGE_KEY,
    sums: USAGE_SUMS,
    from: LOGGED,
    subject: "'account ' || account_id",
  }),
  'usage-days': `
    select 'account ' || account_id as subject, 'day from ' || (starts_at at time zone 'UTC') || ' UTC of ' || model_id
      || ', the hours less the day:' || concat(${printNonZeroSums(DAY_SUMS)}) as detail
    from (select account_id, starts_at, ends_at, ${DAY_KEY}, ${signed('')}
          from (${HOURS_WITH_DAYS}) as placed where day_start is null and at < ends_at
          union all
          select account_id, starts_at, ends_at, ${DAY_KEY}, ${signed('-')} from usage_daily) both_sides
    group by account_id, starts_at, ends_at, ${DAY_KEY}
    having ${DAY_SUMS.map((name) => `sum(${name}) <> 0`).join(' or ')}
    union all
    select 'account ' || id, 'a day ends at ' || (max(ends_at) at time zone 'UTC')
      || ', its days are closed to ' || (days_closed_to at time zone 'UTC')
    from accounts join usage_daily on account_id = id group by id having max(ends_at) > days_closed_to
    union all
    select 'account ' || account_id, 'day from ' || (starts_at at time zone 'UTC')
      || ' UTC of all models, the hours less the day:' || concat(${printNonZeroSums(TRAFFIC_SUMS)})
    from (${TRAFFIC_OF_DAYS}) both_sides
    group by account_id, starts_at having ${TRAFFIC_SUMS.map((name) => `sum(${name}) <> 0`).join(' or ')}
    order by 1, 2 limit $1`,
  'traffic-rollup': `
    select 'hour ' || (hour at time zone 'UTC') as subject, 'status ' || status
      || ', the accounts less the roll-up:' || concat(${printNonZeroSums(TRAFFIC_HOUR_SUMS)}) as detail
    from (select hour, status, calls, failed, case when payer = 'byok' then calls else 0 end as byok_calls,
            case when payer = 'subscription' then amount_micro else 0 end as covered_micro from usage_hourly
          union all
          select hour, status, -calls, -failed, -byok_calls, -covered_micro from traffic_hourly) both_sides
    group by hour, status having ${TRAFFIC_HOUR_SUMS.map((name) => `sum(${name}) <> 0`).join(' or ')}
    order by 1, 2 limit $1`,
  'model-rollup': differences({
    table: 'model_hourly',
    key: MODEL_KEY,
    sums: MODEL_SUMS,
    from: `${LOGGED} and ${REACHED}`,
    subject: "'model ' || model_id",
  }),
  'model-users': `
    select 'model ' || model_id as subject, 'account ' || account_id || ' on ' || day
      || case when sum(side) > 0 then ' is missing' else ' has no call' end as detail
    from (select distinct (c.created_at at time zone 'UTC')::date as day, c.model_used as model_id, c.account_id,
            1 as side from calls c where c.created_at >= ${KEPT} and ${REACHED}
          union all
          select day, model_id, account_id, -1 from model_users_daily where day >= ${KEPT_DAY}) both_sides
    group by day, model_id, account_id having sum(side) <> 0 order by 1, 2 limit $1`,
};

interface Rollup {
  readonly table: string;
  readonly key: Columns;
  readonly sums: Columns;
  readonly from: string;
  readonly subject: string;
}

function differences({ table, key, sums, from, subject }: Rollup): string {
  const keys = Object.keys(key).join(', ');
  const columns = Object.entries({ ...key, ...sums }).map(([name, value]) => `${value} as ${name}`);
  const names = Object.keys(sums);
  return `
    select ${subject} as subject, 'hour ' || (hour at time zone 'UTC') || ' of ' || model_id
      || ', the calls less the roll-up:' || concat(${printNonZeroSums(names)}) as detail
    from (select ${columns.join(', ')} from ${from}
          union all
          select ${keys}, ${names.map((name) => `-${name}`).join(', ')} from ${table}
          where hour >= ${KEPT}) both_sides
    group by ${keys} having ${names.map((name) => `sum(${name}) <> 0`).join(' or ')}
    order by 1, 2 limit $1`;
}

/** The columns that do not add up, with the difference. */
function printNonZeroSums(names: readonly string[]): string {
  return names.map((name) => `case when sum(${name}) <> 0 then ' ${name} ' || sum(${name}) end`).join(', ');
}
