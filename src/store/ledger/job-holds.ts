import { JOURNAL_RECORD_BYTES_MAX } from '../../bounds.ts';
import { JOB_WAIT_MS } from '../../jobs/bounds.ts';
import type { JobState } from '../../jobs/contract.ts';
import { assert } from '../../kernel/assert.ts';
import type { Attempt, CallRecord } from '../../ledger/contract.ts';
import { encodeEnd, withoutDroppedFields } from '../../ledger/journal/record.ts';
import { decodeEnd } from '../../ledger/journal/record-reader.ts';
import { type Columns, columnNames, encodeColumns, flag, storable, text, time, whole } from '../columns.ts';
import type { Database } from '../database.ts';
import type { Part, Writes } from '../writes.ts';
import type { Consumption, Held } from './charge.ts';

/** New calls: those whose jobs are running now, and those that are settled. */
export interface Divided {
  readonly held: readonly CallRecord[];
  readonly settled: readonly CallRecord[];
}

/** Ended jobs are forgotten after a while. Then the ledger still knows what was held. */
const FIND_HELD = `
  select call_id from jobs where call_id = any($1::text[])
  union select ref from ledger_entries
    where kind = 'hold' and account_id = any($2::bigint[]) and ref = any($1::text[])`;

const FIND_OBJECTS = `
  select jobs.account_id, jobs.object_id
  from unnest($1::bigint[], $2::text[]) as given(account_id, object_id)
  join jobs using (account_id, object_id)`;

/** Finds out which calls have created a job that is not known. Asks nothing if none has. */
export async function divideJobs(transaction: Database, calls: readonly CallRecord[]): Promise<Divided> {
  const created = calls.filter(hasJob);
  if (created.length === 0) return { held: [], settled: calls };
  const accounts = created.map((call) => call.accountId);
  const rows = await transaction.query<{ call_id: string }>(FIND_HELD, [
    created.map((call) => call.callId),
    accounts,
  ]);
  const known = new Set(rows.map((row) => row.call_id));
  const objects = await transaction.query<{ account_id: bigint; object_id: string }>(FIND_OBJECTS, [
    accounts,
    created.map(toObjectId),
  ]);
  const taken = new Set(objects.map((row) => `${row.account_id} ${row.object_id}`));
  const held: CallRecord[] = [];
  const settled: CallRecord[] = [];
  for (const call of calls) {
    if (known.has(call.callId)) continue;
    const object = `${call.accountId} ${hasJob(call) ? toObjectId(call) : ''}`;
    // A job that the account has already is followed for the call that created it. This one is charged now.
    if (!hasJob(call) || taken.has(object)) settled.push(call);
    else {
      held.push(call);
      taken.add(object);
    }
  }
  return { held, settled };
}

/** Without a route and an attempt nobody could be asked about the job. */
function hasJob({ job, routeId, attempts }: CallRecord): boolean {
  return job !== undefined && routeId !== null && attempts.length > 0;
}

function toObjectId({ job }: CallRecord): string {
  assert(job !== undefined, 'the call created a job');
  return storable(job.objectId);
}

/** The credential of the attempt that succeeded, which is the last one. */
function lastAttempt({ attempts }: CallRecord): Attempt {
  const attempt = attempts.at(-1);
  assert(attempt !== undefined, 'a job was created by an attempt');
  return attempt;
}

const JOB_COLUMNS: Columns<Consumption> = {
  call_id: text(({ call }) => call.callId),
  account_id: whole('bigint', ({ call }) => call.accountId),
  kind: text(({ call }) => call.job?.kind ?? null),
  object_id: text(({ call }) => toObjectId(call)),
  route_id: whole('bigint', ({ call }) => call.routeId),
  credential: text(({ call }) => lastAttempt(call).credential),
  own: flag(({ call }) => lastAttempt(call).own === true),
  model: text(({ call }) => call.modelUsed),
  created_at: time(({ call }) => call.createdAtMs),
  record: text(encodeRecord),
  held_micro: whole('bigint', (each) => each.creditsMicro),
  month: text((each) => each.month),
  spent_micro: whole('bigint', (each) => each.spentMicro),
  exchanged_micro: whole('bigint', (each) => each.exchangedMicro),
};

/** With the month and the factor that were applied, so that the end applies the same. */
function encodeRecord({ call, month, creditsPerYuan }: Consumption): string {
  const applied = { ...call, month, creditsPerYuan };
  const encoded = encodeEnd(applied);
  const isShort = Buffer.byteLength(encoded) <= JOURNAL_RECORD_BYTES_MAX;
  return isShort ? encoded : encodeEnd(withoutDroppedFields(applied));
}

const INSERT_JOBS: Part = {
  name: 'held_jobs',
  columns: JOB_COLUMNS,
  text: (given) => `
    insert into jobs (${columnNames(JOB_COLUMNS)}, examine_at)
    select ${columnNames(JOB_COLUMNS)}, now() + interval '${JOB_WAIT_MS} milliseconds' from ${given}`,
};

/** Jobs that run from now on, with what was taken for each. */
export function addJobs(writes: Writes, holds: readonly Consumption[]): void {
  if (holds.length > 0) writes.add(INSERT_JOBS, encodeColumns(JOB_COLUMNS, holds));
}

interface HeldRow {
  readonly record: string;
  readonly month: string;
  readonly held_micro: bigint;
  readonly spent_micro: bigint;
  readonly exchanged_micro: bigint;
}

/** The wallet is locked before this. Undefined if the job has ended. */
export async function endRunning(
  transaction: Database,
  callId: string,
  state: Exclude<JobState, 'running'>,
): Promise<Held | undefined> {
  const [row] = await transaction.query<HeldRow>(
    `update jobs set state = $2, ended_at = now() where call_id = $1 and state = 'running'
     returning record, month, held_micro, spent_micro, exchanged_micro`,
    [callId, state],
  );
  if (row === undefined) return undefined;
  const call = decodeEnd(row.record);
  assert(call !== undefined, 'the record of a job can be read');
  return {
    call,
    month: row.month,
    creditsMicro: row.held_micro,
    spentMicro: row.spent_micro,
    exchangedMicro: row.exchanged_micro,
  };
}

/** Whose job it is, and when it was created. Undefined if it has ended. */
export async function findRunning(
  database: Database,
  callId: string,
): Promise<{ readonly accountId: number; readonly createdAtMs: number } | undefined> {
  const [row] = await database.query<{ account_id: bigint; created_at: Date }>(
    `select account_id, created_at from jobs where call_id = $1 and state = 'running'`,
    [callId],
  );
  return row && { accountId: Number(row.account_id), createdAtMs: row.created_at.getTime() };
}
