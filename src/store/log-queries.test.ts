import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf, NOVEMBER } from '../../test/support/calls.ts';
import { type FreshDatabase, freshDatabase } from '../../test/support/postgres.ts';
import { createCalendar } from '../kernel/calendar.ts';
import { createLedgerStore } from './ledger.ts';

/**
 * The queries of the platform, as plans: each must reach its rows by an index that begins with what it asks
 * for, and touch no row of another account. What is asserted here is what the indexes are there for.
 */
let fresh: FreshDatabase;
let accountId: number;

beforeAll(async () => {
  fresh = await freshDatabase();
  const ledger = createLedgerStore({
    database: fresh.database,
    creditsPerYuan: CREDITS_PER_YUAN,
    calendar: createCalendar('UTC'),
  });
  const accounts = await Promise.all(
    Array.from({ length: 20 }, () => accountWith(fresh.database, { creditsMicro: 10n ** 12n })),
  );
  accountId = accounts[7] ?? 0;
  for (let round = 0; round < 10; round++) {
    const createdAtMs = NOVEMBER - round * 3 * 3_600_000;
    await ledger.settle(
      accounts.flatMap((id) =>
        Array.from({ length: 5 }, (_, at) =>
          callOf({ accountId: id, createdAtMs, keyId: at, modelUsed: `m-${at % 3}` }),
        ),
      ),
    );
  }
  await fresh.database.query('analyze');
});

afterAll(() => fresh.drop());

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Actual Rows': number;
  readonly Plans?: readonly PlanNode[];
}

/** The nodes that read tables. */
async function readsOf(text: string, values: readonly unknown[]): Promise<readonly PlanNode[]> {
  const rows = await fresh.database.transaction(async (transaction) => {
    // The tables of a test are small enough to be read whole; those of an operator are not.
    await transaction.query('set local enable_seqscan = off');
    return await transaction.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
      `explain (analyze, format json) ${text}`,
      values,
    );
  });
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
  const found: PlanNode[] = [];
  const walk = (node: PlanNode): void => {
    if (node['Relation Name'] !== undefined) found.push(node);
    for (const child of node.Plans ?? []) walk(child);
  };
  if (plan !== undefined) walk(plan);
  return found;
}

const readRows = (reads: readonly PlanNode[]): number =>
  reads.reduce((sum, node) => sum + node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0), 0);

async function expectIndexed(text: string, values: readonly unknown[], condition: RegExp): Promise<number> {
  const reads = await readsOf(text, values);
  expect(reads.length).toBeGreaterThan(0);
  for (const read of reads) {
    expect(read['Node Type'], text).toMatch(/^(Index|Bitmap Heap)/);
    if (read['Node Type'].startsWith('Index')) expect(read['Index Cond']).toMatch(condition);
  }
  return readRows(reads);
}

const from = new Date(NOVEMBER - 10 * 3_600_000);
const to = new Date(NOVEMBER + 1);

describe('the call log', () => {
  test('is read newest first, in a range, and a page behind a cursor reads no row before it', async () => {
    const text = `select id from calls where account_id = $1 and created_at >= $2 and created_at < $3
      and (created_at, id) < ($4, $5) order by created_at desc, id desc limit 5`;
    const read = await expectIndexed(text, [accountId, from, to, new Date(NOVEMBER), 0], /account_id/);
    expect(read).toBe(5);
  });

  test('with filters touches rows of its own account only', async () => {
    const text = `select id from calls where account_id = $1 and created_at >= $2 and created_at < $3
      and model_used = $4 and key_id = $5 and status = 200 and protocol_in = 'chat'
      order by created_at desc, id desc limit 20`;
    const read = await expectIndexed(text, [accountId, from, to, 'm-1', 1], /account_id/);
    expect(read).toBeLessThanOrEqual(20);
  });

  test('is counted from roll-ups, whatever the filter', async () => {
    const text = `select coalesce(sum(calls), 0) from usage_hourly where account_id = $1 and hour >= $2 and hour < $3
      and model_id = $4 and key_id = $5 and status = 200 and protocol = 'chat'`;
    const read = await expectIndexed(
      text,
      [accountId, from, to, 'm-1', 1],
      /account_id.*hour|hour.*account_id/,
    );
    expect(read).toBeLessThanOrEqual(20);
  });

  test('has one call by its id', async () => {
    const [newest] = await fresh.database.query<{ id: bigint }>(
      'select id from calls where account_id = $1 order by created_at desc limit 1',
      [accountId],
    );
    const text = 'select id from calls where id = $1 and account_id = $2';
    expect(await expectIndexed(text, [newest?.id, accountId], /id/)).toBe(1);
  });
});

describe('the other logs', () => {
  test('consumptions are read newest first behind a cursor', async () => {
    const text = `select id from consumptions where account_id = $1 and (created_at, id) < ($2, $3)
      order by created_at desc, id desc limit 5`;
    expect(await expectIndexed(text, [accountId, new Date(NOVEMBER), 0], /account_id/)).toBe(5);
  });

  test('the balance log is read newest first behind a number', async () => {
    const text = `select id from ledger_entries where account_id = $1 and seq < $2 order by seq desc limit 5`;
    expect(await expectIndexed(text, [accountId, 30], /account_id.*seq/)).toBe(5);
  });
});

describe('statistics and rankings', () => {
  test('trend and models of an account read its hours of the range', async () => {
    const text = `select hour, model_id, sum(calls), sum(amount_micro) from usage_hourly
      where account_id = $1 and hour >= $2 and hour < $3 group by 1, 2`;
    const read = await expectIndexed(text, [accountId, from, to], /account_id.*hour|hour.*account_id/);
    expect(read).toBeLessThanOrEqual(20);
  });

  test('rankings read the hours of the period, and its users the days', async () => {
    await expectIndexed(
      `select model_id, sum(calls), sum(input_tokens + output_tokens), sum(ttft_ms) / nullif(sum(ttft_calls), 0),
         sum(speed_tokens) * 1000 / nullif(sum(speed_ms), 0)
       from model_hourly where hour >= $1 and hour < $2 group by 1`,
      [from, to],
      /hour/,
    );
    await expectIndexed(
      `select model_id, count(distinct account_id) from model_users_daily where day >= $1 and day < $2 group by 1`,
      ['2026-11-15', '2026-11-16'],
      /day/,
    );
  });
});
