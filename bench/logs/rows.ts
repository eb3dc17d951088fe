/**
 * The calls that a database is filled with, as PostgreSQL makes them: $1 rows, $2 accounts, from $3 to $4
 * (ms).
 */

/** Every account alike, or as a platform has them: one large account, several ways to call, rare failures. */
export type RowsLike = 'even' | 'platform';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_DIGITS = 10;

/** `req_…` as the gateway makes it (src/kernel/id.ts): its first ten digits are the time. */
const CALL_ID = `'req_' || ${Array.from(
  { length: TIME_DIGITS },
  (_, digit) => `substr('${DIGITS}', ((ms >> ${5 * (TIME_DIGITS - 1 - digit)}) & 31)::int + 1, 1)`,
).join(' || ')} || substr(md5(i::text), 1, 16)`;

/** `offset 0` keeps the steps apart: what one has computed is not computed again in every use of it. */
const MOMENTS = `
  select i, $3::bigint + i * ($4::bigint - $3::bigint) / $1::bigint as ms
  from generate_series(0, $1::bigint - 1) as i offset 0`;

/**
 * Row i is of account i modulo the accounts. Of its calls every third is of another model, every fiftieth
 * failed.
 */
const EVEN = `
  select ${CALL_ID} as call_id, to_timestamp(ms / 1000.0) as at, account, account as key, seq,
    'model-' || (seq - 1) % 3 as model, 'chat' as protocol, 'credits' as payer,
    case when seq % 50 = 0 then 400 else 200 end as status, null::int as error_code,
    case when seq % 50 = 0 then 'failed' else 'complete' end as verdict
  from (select i, ms, 1 + i % $2::bigint as account, 1 + i / $2::bigint as seq from (${MOMENTS}) as moments offset 0)
    as each`;

/**
 * How many of a million calls ended otherwise than well. The first are so rare that a page never has
 * enough.
 */
const ENDS = [
  { of: 10, status: 504, code: 50401, verdict: 'failed' },
  { of: 20, status: 200, code: 50001, verdict: 'cut-by-gateway' },
  { of: 1_000, status: 502, code: 50201, verdict: 'failed' },
  { of: 1_000, status: 200, code: 50202, verdict: 'cut-by-upstream' },
  { of: 5_000, status: 499, code: 'null', verdict: 'cut-by-client' },
  { of: 10_000, status: 429, code: 42901, verdict: 'refused' },
  { of: 8_000, status: 400, code: 'null', verdict: 'failed' },
] as const;

function endsBy(field: 'status' | 'code' | 'verdict', usual: string): string {
  let below = 0;
  const cases = ENDS.map((each) => {
    below += each.of;
    const value = field === 'verdict' ? `'${each.verdict}'` : each[field];
    return `when chance < ${below} then ${value}`;
  });
  return `case ${cases.join(' ')} else ${usual} end`;
}

/**
 * A tenth is of the first account, which uses twelve models by three keys; the rest is of the others, which
 * use two models by one key each.
 */
const PLATFORM = `
  select ${CALL_ID} as call_id, to_timestamp(ms / 1000.0) as at, account,
    10 * account + case when account = 1 then seq % 3 else 0 end as key, seq, 'model-' || model as model,
    case when model = 11 then 'images' else (array['chat', 'responses', 'messages', 'gemini'])[1 + model % 4] end
      as protocol,
    case when verdict = 'refused' then 'none' when by = 0 then 'byok' when by = 1 then 'subscription'
      else 'credits' end as payer, status, error_code, verdict
  from (
    select i, ms, account, seq, case when account = 1 then seq % 12 else (account + seq % 2) % 12 end as model,
      case when account = 1 then seq % 3 else account % 10 end as by, ${endsBy('status', '200')} as status,
      ${endsBy('code', 'null')}::int as error_code, ${endsBy('verdict', "'complete'")} as verdict
    from (
      select i, ms, case when i % 10 = 0 then 1 else 2 + other % ($2::bigint - 1) end as account,
        1 + case when i % 10 = 0 then i / 10 else other / ($2::bigint - 1) end as seq,
        i * 2654435761 % 1000000 as chance
      from (select i, ms, i / 10 * 9 + i % 10 - 1 as other from (${MOMENTS}) as moments) as numbered offset 0) as owned offset 0)
    as each`;

export const ROWS: Readonly<Record<RowsLike, string>> = { even: EVEN, platform: PLATFORM };
