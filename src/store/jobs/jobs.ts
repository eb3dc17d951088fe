import { JOB_CLAIM_MS, JOB_KEPT_MS, JOBS_PAGE_MAX, JOBS_PRUNED_ROWS } from '../../jobs/bounds.ts';
import {
  JOB_KINDS,
  type Job,
  type JobKind,
  type JobPage,
  type JobState,
  type JobStore,
} from '../../jobs/contract.ts';
import { assert } from '../../kernel/assert.ts';
import { storable } from '../columns.ts';
import { type Database, idNumber } from '../database.ts';
import type { JobLedger } from '../ledger/ledger.ts';

interface JobRow {
  readonly call_id: string;
  readonly account_id: bigint;
  readonly kind: JobKind;
  readonly object_id: string;
  readonly route_id: bigint;
  readonly credential: string;
  readonly own: boolean;
  readonly model: string;
  readonly created_at: Date;
  readonly state: JobState;
}

const COLUMNS = 'call_id, account_id, kind, object_id, route_id, credential, own, model, created_at, state';

const FIND = `
  select ${COLUMNS} from jobs
  where account_id = $1 and kind = $2 and object_id = $3 and not hidden`;

const COUNT_RUNNING = `
  select count(*) from (select from jobs where account_id = $1 and state = 'running' limit $2) as running`;

const HIDE = 'update jobs set hidden = true where account_id = $1 and kind = $2 and object_id = $3';

/** A page behind a job that is not there is empty. */
const pageText = ({ order, after }: JobPage): string => `
  select ${COLUMNS} from jobs
  where account_id = $1 and kind = $2 and not hidden ${
    after === undefined
      ? ''
      : `and (created_at, call_id) ${order === 'asc' ? '>' : '<'}
        (select created_at, call_id from jobs where account_id = $1 and kind = $2 and object_id = $4)`
  }
  order by created_at ${order}, call_id ${order} limit $3`;

/**
 * Kinds of a later version are left to it. Row locks are held for this statement only. What was taken has its
 * next time in the future, so another node takes it again if this one dies.
 */
const CLAIM = `
  update jobs set examine_at = now() + interval '${JOB_CLAIM_MS} milliseconds'
  where call_id in (
    select call_id from jobs where state = 'running' and examine_at <= now() and kind = any($2::text[])
    order by examine_at limit $1 for update skip locked)
  returning ${COLUMNS}`;

const EXAMINE_IN = `
  update jobs set examine_at = now() + $2 * interval '1 millisecond'
  where call_id = $1 and state = 'running'`;

export function createJobStore(database: Database, ledger: JobLedger): JobStore {
  return {
    find: async (accountId, { kind, objectId }) => {
      const [row] = await database.query<JobRow>(FIND, [accountId, kind, storable(objectId)]);
      return row && jobFromRow(row);
    },
    list: async (accountId, kind, page) => {
      assert(page.limit >= 1 && page.limit <= JOBS_PAGE_MAX, 'a page is bounded');
      const after = page.after === undefined ? [] : [storable(page.after)];
      const values = [accountId, kind, page.limit, ...after];
      return (await database.query<JobRow>(pageText(page), values)).map(jobFromRow);
    },
    countRunning: async (accountId, max) => {
      const [row] = await database.query<{ count: bigint }>(COUNT_RUNNING, [accountId, max]);
      return Number(row?.count ?? 0);
    },
    hide: async (accountId, { kind, objectId }) => {
      await database.query(HIDE, [accountId, kind, storable(objectId)]);
    },
    hasten: async (callId) => {
      await database.query(EXAMINE_IN, [callId, 0]);
    },
    claim: async (limit) => (await database.query<JobRow>(CLAIM, [limit, JOB_KINDS])).map(jobFromRow),
    postpone: async (callId, waitMs) => {
      await database.query(EXAMINE_IN, [callId, waitMs]);
    },
    end: (callId, ending) => ledger.endJob(callId, ending),
  };
}

function jobFromRow(row: JobRow): Job {
  return {
    kind: row.kind,
    objectId: row.object_id,
    callId: row.call_id,
    accountId: idNumber(row.account_id),
    createdAtMs: row.created_at.getTime(),
    routeId: idNumber(row.route_id),
    credential: row.credential,
    own: row.own,
    model: row.model,
    state: row.state,
  };
}

/** Deletes jobs that ended long ago, a bounded number at a time. What they cost is in the logs. */
export async function pruneJobs(database: Database, nowMs: number): Promise<number> {
  const gone = await database.query(
    `delete from jobs where call_id in (
       select call_id from jobs where state <> 'running' and ended_at <= $1
       order by ended_at limit $2 for update skip locked)
     returning 1`,
    [new Date(nowMs - JOB_KEPT_MS).toISOString(), JOBS_PRUNED_ROWS],
  );
  return gone.length;
}
