import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountWith, CREDITS_PER_YUAN, callOf, NOVEMBER } from '../../../test/support/calls.ts';
import { closeAllDays } from '../../../test/support/days.ts';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { createCalendar } from '../../kernel/time/calendar.ts';
import { sumCredentialUse } from '../accounts/credential-use.ts';
import type { Database } from '../database.ts';
import { createLedgerStore } from '../ledger/ledger.ts';
import { pageOfBalanceLog, wholeBalanceLog } from './balance-log.ts';
import { findOwnCall } from './call-log.ts';
import { addToClosedDays } from './daily-rollup.ts';
import { pageOfLog, wholeLog } from './log-pages.ts';
import { loadModelTraffic } from './model-traffic.ts';
import { findReceipt } from './receipts.ts';
import { usageBetween, usageBy, usageSeries } from './usage-sums.ts';

/**
 * The queries of the platform, as plans: each must reach its rows by an index that begins with what it asks
 * for, and touch no row of another account. The statements are those that the readers really send.
 */
let fresh: FreshDatabase;
let accountId: number;
const ACCOUNTS = 20;
const ROUNDS = 10;
const HOUR = 3_600_000;

beforeAll(async () => {
  fresh = await freshDatabase();
  const ledger = createLedgerStore({
    database: fresh.database,
    creditsPerYuan: CREDITS_PER_YUAN,
    calendar: createCalendar('UTC'),
  });
  const accounts = await Promise.all(
    Array.from({ length: ACCOUNTS }, () => accountWith(fresh.database, { creditsMicro: 10n ** 12n })),
  );
  accountId = accounts[7] ?? 0;
  for (let round = 0; round < ROUNDS; round++) {
    const createdAtMs = NOVEMBER - round * 3 * HOUR;
    await ledger.settle(
      accounts.flatMap((id) =>
        Array.from({ length: 5 }, (_, at) =>
          callOf({ accountId: id, createdAtMs, keyId: at, modelUsed: `m-${at % 3}` }),
        ),
      ),
    );
  }
  // Half of the rounds are of the day before.
  await closeAllDays(fresh.database, 'UTC', NOVEMBER);
  await fresh.database.query('analyze');
});

afterAll(() => fresh.drop());

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** What the work asks the database. */
async function statementsOf(work: (database: Database) => Promise<unknown>): Promise<readonly Statement[]> {
  const statements: Statement[] = [];
  const { database } = fresh;
  const query: Database['query'] = (text, values = []) => {
    statements.push({ text, values });
    return database.query(text, values);
  };
  const recorded: Database = { ...database, query, transaction: (inner) => inner(recorded) };
  await work(recorded);
  return statements;
}

/** The nodes that read tables or indexes. */
async function readsOf(
  { text, values }: Statement,
  ...without: readonly string[]
): Promise<readonly PlanNode[]> {
  const rows = await fresh.database.transaction(async (transaction) => {
    // The tables of a test are small enough to be read whole; those of an operator are not.
    for (const way of ['seqscan', ...without]) await transaction.query(`set local enable_${way} = off`);
    return await transaction.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
      `explain (analyze, format json) ${text}`,
      values,
    );
  });
  const found: PlanNode[] = [];
  const walk = (node: PlanNode): void => {
    const isRead = node['Node Type'] !== 'ModifyTable';
    if (isRead && (node['Relation Name'] ?? node['Index Name']) !== undefined) found.push(node);
    for (const child of node.Plans ?? []) walk(child);
  };
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
  if (plan !== undefined) walk(plan);
  return found;
}

const readRows = (node: PlanNode): number =>
  Math.round((node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']);

/**
 * Every table by an index, and by the account, or by the key of a row that was found by the account. Answers
 * how many rows were read in all.
 */
async function expectOwnRows(work: (database: Database) => Promise<unknown>): Promise<number> {
  const statements = await statementsOf(work);
  expect(statements.length).toBeGreaterThan(0);
  let read = 0;
  for (const statement of statements) {
    for (const node of await readsOf(statement)) {
      // One row that says since when logs are kept.
      if (node['Relation Name'] === 'log_retention') continue;
      expect(node['Node Type'], statement.text).toMatch(/^(Index|Bitmap)/);
      // A bitmap's conditions stand below it, at the index.
      if (node['Index Name'] !== undefined) expect(node['Index Cond'], statement.text).toMatch(OWN);
      if (node['Relation Name'] !== undefined) read += readRows(node);
    }
  }
  return read;
}

/** By the index that begins with the number, and within it by the account as well. */
async function expectFoundByNumber(id: number): Promise<void> {
  const statements = await statementsOf((database) => findOwnCall(database, accountId, id));
  const reads = (await Promise.all(statements.map((each) => readsOf(each)))).flat();
  // The month after stands ready and is empty: there any index is as good.
  const indexes = reads.filter((node) => node['Index Name']?.startsWith('calls_2026_11_'));
  expect(indexes).toMatchObject([
    {
      'Index Name': 'calls_2026_11_id_account_id_idx',
      'Index Cond': `((id = '${id}'::bigint) AND (account_id = '${accountId}'::bigint))`,
    },
  ]);
}

/** By the account, by its own id, or by the id of a call that was found by the account. */
const OWN = /account_id = |^\(id = '\d+'::bigint\)$|call_id = |ref = /;
const place = { skip: 0, size: 5 };
const whole = { fromMs: NOVEMBER - 12 * HOUR, toMs: NOVEMBER + HOUR };
const cut = { fromMs: NOVEMBER - 12 * HOUR - 1, toMs: NOVEMBER + 60_000 };

async function drain(pieces: AsyncIterable<unknown>): Promise<void> {
  for await (const piece of pieces) expect(piece).toBeDefined();
}

describe('no row of another account is touched', () => {
  test.each([
    ['the first page', {}, place],
    ['a deep page', {}, { skip: 40, size: 5 }],
    ['a page behind the last', {}, { skip: 4_000, size: 5 }],
    [
      'a page with every filter',
      { ...whole, models: ['m-1'], keyId: 1, status: 200, protocol: 'chat' },
      place,
    ],
    ['a page of failures', { status: 'failed' }, place],
    ['a page of a range that cuts hours', cut, place],
  ] as const)('by the call log: %s', async (_name, filter, where) => {
    const question = { accountId, filter, place: where };
    // The roll-ups have 30 rows of the account, and 25 for a day's hours; the log is read where the page is.
    const read = await expectOwnRows((database) => pageOfLog(database, 'calls', question));
    expect(read).toBeLessThanOrEqual(30 + 25 + 4 * 5 + 2 * 5);
  });

  test('by the consumption log, with the receipts', async () => {
    for (const skip of [0, 40]) {
      const question = { accountId, filter: { models: ['m-1'] }, place: { skip, size: 5 } };
      await expectOwnRows((database) => pageOfLog(database, 'consumptions', question));
    }
  });

  test('by the balance log, also in a range', async () => {
    for (const range of [{}, cut]) {
      const deep = { range, place: { skip: 30, size: 5 } };
      const read = await expectOwnRows((database) => pageOfBalanceLog(database, accountId, deep));
      // The account's own row, a search by halves for each end, and the page with its calls.
      expect(read).toBeLessThanOrEqual(1 + 2 * 7 + 5 + 5);
    }
  });

  test('by the exports', async () => {
    await expectOwnRows((database) => drain(wholeLog(database, 'calls', { accountId, filter: cut })));
    await expectOwnRows((database) => drain(wholeLog(database, 'consumptions', { accountId, filter: {} })));
    await expectOwnRows((database) => drain(wholeBalanceLog(database, accountId, { range: {} })));
  });

  test('by one call with its number, and its receipt', async () => {
    const [newest] = await fresh.database.query<{ id: bigint; call_id: string }>(
      'select id, call_id from calls where account_id = $1 order by created_at desc limit 1',
      [accountId],
    );
    const read = await expectOwnRows((database) => findOwnCall(database, accountId, Number(newest?.id)));
    expect(read).toBe(2);
    await expectFoundByNumber(Number(newest?.id));
    await expectOwnRows((database) => findReceipt(database, accountId, newest?.call_id ?? ''));
  });

  test('by a request for a call of another account', async () => {
    const [foreign] = await fresh.database.query<{ id: bigint }>(
      'select id from calls where account_id <> $1 limit 1',
      [accountId],
    );
    expect(await expectOwnRows((database) => findOwnCall(database, accountId, Number(foreign?.id)))).toBe(0);
    await expectFoundByNumber(Number(foreign?.id));
  });

  test('by the statistics', async () => {
    const edges = [NOVEMBER - 6 * HOUR, NOVEMBER];
    for (const range of [{}, whole, cut]) {
      const read = await expectOwnRows((database) => usageBetween(database, accountId, { range, edges }));
      // Five rows of the closed day, and five for each hour of today; those of a cut hour are in the log.
      expect(read).toBeLessThanOrEqual(5 + 5 * 5 + 10);
      const groups = { by: 'model', range, most: 200 } as const;
      const models = await expectOwnRows((database) => usageBy(database, accountId, groups));
      expect(models).toBeLessThanOrEqual(5 + 5 * 5 + 10);
      const filtered = {
        by: 'key',
        range: { ...range, models: ['gpt-5'], payer: 'credits' },
        names: ['1', '2'],
      } as const;
      const series = await expectOwnRows((database) =>
        usageSeries(database, accountId, { ...filtered, edges }),
      );
      expect(series).toBeLessThanOrEqual(5 + 5 * 5 + 10);
    }
    await expectOwnRows((database) => sumCredentialUse(database, accountId, whole));
  });

  test('by a statistic, which reads a closed day by its day, and by its hours only when it is divided', async () => {
    const read = (edge: number) =>
      expectOwnRows((database) => usageBetween(database, accountId, { range: {}, edges: [edge] }));
    expect(await read(NOVEMBER - 12 * HOUR)).toBe(5 + 5 * 5);
    expect(await read(NOVEMBER - 20 * HOUR)).toBe(5 + 10 * 5);
    const hourly = Array.from({ length: 24 }, (_, hour) => NOVEMBER - (23 - hour) * HOUR);
    const range = { fromMs: hourly[0], toMs: NOVEMBER + HOUR };
    // From 13 o'clock on: three rounds of yesterday, five of today, and no day is looked at.
    const trend = (database: Database) => usageBetween(database, accountId, { range, edges: hourly });
    expect(await expectOwnRows(trend)).toBe(8 * 5);
  });
});

test('a statistic reads the charges of a cut hour, also if the planner takes the log of a range for small', async () => {
  const range = { fromMs: NOVEMBER - 26 * HOUR, toMs: NOVEMBER + HOUR / 2 };
  const statements = await statementsOf((database) =>
    usageBetween(database, accountId, { range, edges: [] }),
  );
  // A planner that shuns nested loops would read the charges of the whole range to join them.
  const reads = (await Promise.all(statements.map((each) => readsOf(each, 'nestloop')))).flat();
  const charges = reads.filter((node) => node['Relation Name']?.startsWith('consumptions_2026') === true);
  expect(charges.reduce((sum, node) => sum + readRows(node), 0)).toBe(5);
});

test('rankings read the hours of the period, and its users the days', async () => {
  const statements = await statementsOf((database) => loadModelTraffic(database, Date.UTC(2026, 10, 15)));
  const reads = (await Promise.all(statements.map((each) => readsOf(each)))).flat();
  expect(reads.map((node) => node['Relation Name']).toSorted()).toEqual([
    'model_hourly',
    'model_users_daily',
  ]);
  for (const read of reads) {
    expect(read['Node Type']).toMatch(/^(Index|Bitmap)/);
    if (read['Index Name'] !== undefined) expect(read['Index Cond']).toMatch(/hour|day/);
  }
});

test('a late call and upkeep read the hours of their accounts, by the account', async () => {
  const late = callOf({ accountId, createdAtMs: NOVEMBER - 20 * HOUR });
  const again = await expectOwnRows((database) => addToClosedDays(database, [late], () => NOVEMBER));
  // Where the day is, and its hours.
  expect(again).toBe(1 + 5 * 5);
  const statements = await statementsOf((database) => closeAllDays(database, 'UTC', NOVEMBER + 24 * HOUR));
  const reads = (await Promise.all(statements.map((each) => readsOf(each)))).flat();
  const hours = reads.filter((node) => node['Relation Name'] === 'usage_hourly');
  expect(hours.length).toBeGreaterThan(2);
  for (const node of hours) expect(node['Index Cond']).toMatch(/account_id = .*hour >= /);
});
