import { createCalendar } from '../../src/kernel/time/calendar.ts';
import type { CallRecord } from '../../src/ledger/contract.ts';
import type { Database } from '../../src/store/database.ts';
import { createLedgerStore } from '../../src/store/ledger/ledger.ts';
import { CREDITS_PER_YUAN } from './calls.ts';

export function createJobLedger(database: Database): ReturnType<typeof createLedgerStore> {
  return createLedgerStore({ database, creditsPerYuan: CREDITS_PER_YUAN, calendar: createCalendar('UTC') });
}

/** What the books say of accounts and of calls that created jobs. */
export class JobBooks {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async funds(accountId: number): Promise<Record<string, unknown> | undefined> {
    const [row] = await this.#database.query<Record<string, unknown>>(
      `select credits_micro as credits, balance_micro as balance, month_spent_micro as spent, version
       from accounts where id = $1`,
      [accountId],
    );
    return row;
  }

  async moves({ callId }: CallRecord): Promise<readonly unknown[]> {
    const rows = await this.#database.query<{ kind: string; pool: string; change: bigint }>(
      `select kind, pool, change_micro as change from ledger_entries where ref = $1 and account_id is not null
       order by seq`,
      [callId],
    );
    return rows.map(({ kind, pool, change }) => [kind, pool, change]);
  }

  async job({ callId }: CallRecord): Promise<Record<string, unknown> | undefined> {
    const [row] = await this.#database.query<Record<string, unknown>>(
      'select * from jobs where call_id = $1',
      [callId],
    );
    return row;
  }

  async call({ callId }: CallRecord): Promise<Record<string, unknown> | undefined> {
    const [row] = await this.#database.query<Record<string, unknown>>(
      `select c.verdict, c.status, c.videos, c.charge_micro, c.free_reason, c.refusal, s.credits_micro,
         s.spent_micro, s.shortfall_micro, s.month
       from calls c join consumptions s using (created_at, call_id) where call_id = $1`,
      [callId],
    );
    return row;
  }

  async count(what: string): Promise<number> {
    const [row] = await this.#database.query<{ rows: bigint }>(`select count(*) as rows from ${what}`);
    return Number(row?.rows);
  }
}
