import type { CheckName } from '../../ledger/doctor.ts';
import { JOB_QUESTIONS } from './doctor-jobs.ts';
import { ROLLUP_QUESTIONS } from './doctor-rollups.ts';
import { SHORTFALL_WITH_MONEY } from './doctor-shortfalls.ts';

/**
 * One query per check. Every row is a finding: its subject, and the values that do not agree. Queries of a
 * log leave out rows older than the logs are kept. $1 is the maximum number of rows.
 */
export const QUESTIONS: Readonly<Record<Exclude<CheckName, 'amount-price'>, string>> = {
  'credits-sum': sumQuestion('credits'),
  'balance-sum': sumQuestion('balance'),
  'entry-sequence': `
    select 'account ' || account_id as subject,
      'entry ' || id || ' has number ' || seq || ', the entry before it ' || before as detail
    from (select id, account_id, seq, coalesce(lag(seq) over (partition by account_id order by seq, id), 0) as before
          from ledger_entries where account_id is not null) numbered
    where seq <> before + 1
    union all
    select 'account ' || a.id, 'its last entry has number ' || coalesce(max(e.seq), 0) || ', the account row says ' || a.last_seq
    from accounts a left join ledger_entries e on e.account_id = a.id
    group by a.id having a.last_seq <> coalesce(max(e.seq), 0)
    order by 1, 2 limit $1`,
  'after-chain': `
    select 'entry ' || id as subject, 'account ' || account_id || ' had ' || before || ' ' || pool
      || ', changed by ' || change_micro || ', recorded after it: ' || after_micro as detail
    from (select id, account_id, pool, seq, change_micro, after_micro,
            coalesce(lag(after_micro) over (partition by account_id, pool order by seq, id), 0) as before
          from ledger_entries where account_id is not null) chained
    where after_micro <> before + change_micro
    order by account_id, seq limit $1`,
  'transaction-sum': `
    select 'transaction ' || transaction_id as subject,
      kind || ' of ' || pool || ' sums to ' || sum(change_micro) as detail
    from ledger_entries group by transaction_id, kind, pool having sum(change_micro) <> 0
    order by transaction_id limit $1`,
  'entry-orphan': `
    select 'entry ' || e.id as subject, 'there is no account ' || e.account_id as detail
    from ledger_entries e left join accounts a on a.id = e.account_id
    where e.account_id is not null and a.id is null order by e.id limit $1`,
  'charge-without-call': `
    select 'call ' || charge.ref as subject,
      'entry ' || charge.id || ' took ' || -charge.change_micro || ' Credits of account ' || charge.account_id as detail
    from ${charges()} left join calls c
      on c.created_at = charge.call_at and c.call_id = charge.ref and c.account_id = charge.account_id
    where c.call_id is null and charge.call_at >= (select kept_from from log_retention) order by charge.id limit $1`,
  'charge-without-consumption': `
    select 'call ' || charge.ref as subject, 'entry ' || charge.id || ' took ' || -charge.change_micro
      || ', the consumption log says ' || coalesce(c.credits_micro::text, 'nothing') as detail
    from ${charges()} left join consumptions c
      on c.created_at = charge.call_at and c.call_id = charge.ref and c.account_id = charge.account_id
    where c.credits_micro is distinct from -charge.change_micro and charge.call_at >= (select kept_from from log_retention)
    order by charge.id limit $1`,
  'consumption-without-charge': `
    select 'call ' || c.call_id as subject, c.credits_micro || ' Credits were taken without an entry' as detail
    from consumptions c left join ${charges()} on charge.ref = c.call_id and charge.account_id = c.account_id
    where c.credits_micro > 0 and charge.id is null order by c.created_at, c.call_id limit $1`,
  'consumption-without-call': `
    select 'call ' || s.call_id as subject, 'a consumption of ' || s.credits_micro || ' Credits has no call' as detail
    from consumptions s
    left join calls c on c.created_at = s.created_at and c.call_id = s.call_id and c.account_id = s.account_id
    where c.call_id is null order by s.created_at, s.call_id limit $1`,
  'call-without-consumption': `
    select 'call ' || c.call_id as subject, 'a charge of ' || c.charge_micro || ' has no consumption' as detail
    from calls c left join consumptions s on s.created_at = c.created_at and s.call_id = c.call_id
    where (c.charge_micro > 0 or c.price is not null) and s.call_id is null
    order by c.created_at, c.call_id limit $1`,
  'charge-doubled': `
    select 'call ' || ref as subject, 'entries ' || string_agg(id::text, ', ' order by id) as detail
    from ${charges()} group by ref having count(*) > 1 order by ref limit $1`,
  'charge-parts': `
    select 'call ' || c.call_id as subject, s.credits_micro || ' taken, shortfall ' || s.shortfall_micro
      || ', charge ' || c.charge_micro || ', amount ' || c.amount_micro || ' yuan' as detail
    from consumptions s join calls c on c.created_at = s.created_at and c.call_id = s.call_id
    where s.credits_micro + s.shortfall_micro <> c.charge_micro or s.amount_micro <> c.amount_micro
      or (c.charge_micro > 0 and c.charge_micro <> c.amount_micro * (s.receipt ->> 'creditsPerYuan')::numeric)
      or (c.charge_micro > 0 and s.shortfall_micro = 0 and s.spent_micro <> s.amount_micro)
      or (c.charge_micro = 0 and s.spent_micro <> 0)
    order by s.created_at, s.call_id limit $1`,
  'receipt-figures': `
    select 'call ' || c.call_id as subject, 'the receipt says ' || s.receipt::text || ', the call a charge of '
      || c.charge_micro || ', the ledger an exchange of ' || coalesce(exchanged.sum_micro, 0) as detail
    from consumptions s join calls c on c.created_at = s.created_at and c.call_id = s.call_id
    left join (select account_id, ref, -sum(change_micro) as sum_micro from ledger_entries
               where kind = 'exchange' and pool = 'balance' and call_at is not null group by account_id, ref) exchanged
      on exchanged.ref = s.call_id and exchanged.account_id = s.account_id
    where (s.receipt ->> 'chargeMicro')::numeric is distinct from c.charge_micro
      or (s.receipt ->> 'exchangedMicro')::numeric is distinct from coalesce(exchanged.sum_micro, 0)
      or s.receipt ->> 'model' is distinct from c.model_used
      or (s.receipt ->> 'estimated')::boolean is distinct from c.estimated
      or coalesce((s.receipt ->> 'creditsPerYuan')::numeric, 0) < 1
    order by s.created_at, s.call_id limit $1`,
  'free-reason': `
    select 'call ' || c.call_id as subject, 'payer ' || c.payer || ', amount ' || c.amount_micro || ', charge '
      || c.charge_micro || ', reason ' || coalesce(c.free_reason, 'none') as detail
    from calls c join consumptions s on s.created_at = c.created_at and s.call_id = c.call_id
    where case
        when c.charge_micro > 0 then c.free_reason is not null
        when c.payer = 'byok' then c.free_reason is distinct from 'byok'
        when c.payer = 'subscription' then coalesce(c.free_reason, '') not in ('covered', 'nothing-produced')
        when c.free_reason = 'below-one-credit'
          then c.amount_micro * (s.receipt ->> 'creditsPerYuan')::numeric >= 1000000
        else c.free_reason is distinct from 'nothing-produced' or c.amount_micro > 0 end
    order by c.created_at, c.call_id limit $1`,
  'free-call-charged': `
    select 'call ' || call_id as subject, 'payer ' || payer || ', charge ' || charge_micro as detail
    from calls where payer <> 'credits' and charge_micro > 0 order by created_at, call_id limit $1`,
  'shortfall-with-money': SHORTFALL_WITH_MONEY,
  'month-spent': `
    select 'account ' || a.id as subject, 'the counter of ' || a.month || ' says ' || a.month_spent_micro
      || ', the consumptions and running jobs ' || coalesce(sum(s.spent_micro), 0) as detail
    from accounts a left join (
      select account_id, month, spent_micro from consumptions
      union all select account_id, month, spent_micro from jobs where state = 'running') s
      on s.account_id = a.id and s.month = a.month
    where a.month = '' or (a.month || '-01')::date - 1 >= (select (kept_from at time zone 'UTC')::date from log_retention)
    group by a.id having a.month_spent_micro <> coalesce(sum(s.spent_micro), 0) order by a.id limit $1`,
  'correction-refund': `
    select 'call ' || corrected.ref as subject, 'account ' || corrected.account_id || ' got back ' || corrected.sum_micro
      || ', of it was taken ' || coalesce(s.credits_micro::text, 'nothing') as detail
    from (select account_id, ref, call_at, sum(change_micro) as sum_micro from ledger_entries
          where kind = 'adjustment' and call_at is not null and account_id is not null group by 1, 2, 3) corrected
    left join consumptions s on s.created_at = corrected.call_at and s.call_id = corrected.ref
      and s.account_id = corrected.account_id
    where corrected.call_at >= (select kept_from from log_retention)
      and (s.call_id is null or corrected.sum_micro > s.credits_micro)
    order by corrected.ref limit $1`,
  negative: `
    select * from (
      select 'account ' || id as subject, 'Credits ' || credits_micro || ', balance ' || balance_micro as detail
      from accounts where least(credits_micro, balance_micro, month_spent_micro, extra_api_quota_micro) < 0
      union all
      select 'entry ' || id, 'after it ' || after_micro from ledger_entries where after_micro < 0
      union all
      select 'call ' || call_id, 'amount ' || amount_micro || ', charge ' || charge_micro from calls
      where least(amount_micro, charge_micro, held_micro, input_fresh, cache_read, cache_write, output_text,
        output_reasoning, images, videos) < 0
      union all
      select 'call ' || call_id, 'consumption of ' || credits_micro || ', shortfall ' || shortfall_micro
      from consumptions where least(amount_micro, spent_micro, credits_micro, shortfall_micro) < 0
      union all
      select 'window ' || scope, dimension || ' of ' || seconds || ' s: ' || used from gate_windows
      where used < 0 or seconds <= 0
      union all
      select 'call ' || call_id, 'its job holds ' || held_micro || ' Credits, ' || spent_micro || ' yuan' from jobs
      where least(held_micro, spent_micro, exchanged_micro) < 0) below
    order by subject limit $1`,
  ...JOB_QUESTIONS,
  ...ROLLUP_QUESTIONS,
};

/** A page of calls to recompute, after the last one of the page before. */
export const PRICED_CALLS = `
  select call_id, created_at, price, amount_micro, input_fresh, cache_read, cache_write, output_text,
    output_reasoning, images, videos
  from calls where (created_at, call_id) > ($1::timestamptz, $2) order by created_at, call_id limit $3`;

function sumQuestion(pool: 'credits' | 'balance'): string {
  return `
    select 'account ' || a.id as subject, 'has ' || a.${pool}_micro || ' ${pool}, its entries sum to '
      || coalesce(sum(e.change_micro), 0) as detail
    from accounts a left join ledger_entries e on e.account_id = a.id and e.pool = '${pool}'
    group by a.id having a.${pool}_micro <> coalesce(sum(e.change_micro), 0) order by a.id limit $1`;
}

/** The accounts' side of all charges. */
function charges(): string {
  return `(select id, account_id, ref, call_at, change_micro, after_micro from ledger_entries
    where kind = 'consumption' and account_id is not null) charge`;
}
