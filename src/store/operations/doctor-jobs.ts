import { JOB_OVERDUE_MS } from '../../jobs/bounds.ts';
import type { CheckName } from '../../ledger/doctor.ts';

type JobCheck = Extract<CheckName, `job-${string}`>;

/** What is asked of jobs. Ended ones are forgotten after a while; what was held for them is in the ledger. */
export const JOB_QUESTIONS: Readonly<Record<JobCheck, string>> = {
  'job-hold': `
    select 'call ' || call_id as subject, 'the ledger holds ' || entered || ', the job ' || held as detail
    from (
      select coalesce(j.call_id, h.ref) as call_id, coalesce(h.sum_micro, 0) as entered,
        case when j.state = 'running' then j.held_micro else 0 end as held
      from (select account_id, ref, -sum(change_micro) as sum_micro from ledger_entries
            where kind = 'hold' and account_id is not null group by account_id, ref) h
      full join jobs j on j.call_id = h.ref and j.account_id = h.account_id) both_sides
    where entered <> held order by call_id limit $1`,
  'job-overdue': `
    select 'call ' || call_id as subject, 'its job runs since ' || (created_at at time zone 'UTC') as detail
    from jobs where state = 'running' and created_at < now() - interval '${JOB_OVERDUE_MS} milliseconds'
    order by call_id limit $1`,
  'job-call': `
    select 'call ' || j.call_id as subject, 'its job is ' || j.state || ', the call log says '
      || coalesce(c.verdict, 'nothing') as detail
    from jobs j left join calls c on c.created_at = j.created_at and c.call_id = j.call_id
    where (j.state = 'running') = (c.call_id is not null)
      and j.created_at >= (select kept_from from log_retention)
    order by j.call_id limit $1`,
};
