/** `npm run bench:logs`: what a page of the logs and a statistic cost, with few and many log rows. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { silentLogger } from '../../src/kernel/log.ts';
import type { Database } from '../../src/store/database.ts';
import { startEmbedded } from '../../src/store/embedded/server.ts';
import { familyOf, listProcesses, usageOf } from '../measure.ts';
import { rotate } from '../report/statistics.ts';
import { createFilled, tune } from './database.ts';
import type { Size } from './fill.ts';
import { type Asked, QUESTIONS } from './questions.ts';
import { type Cell, type Cost, renderRows, rowsOf } from './report.ts';

interface Variant extends Size {
  readonly name: string;
}

/**
 * The large one last. It is judged beside the first, whose accounts have ten calls each: neither what others
 * called nor one's own history may count much. The account of the second has as many calls as each of the
 * large one: beside it stands what the others alone cost.
 */
const VARIANTS: readonly Variant[] = [
  { name: '10 thousand of 1 000', rows: 10_000, accounts: 1_000 },
  { name: '10 thousand of one account', rows: 10_000, accounts: 1 },
  { name: '10 million of 1 000', rows: 10_000_000, accounts: 1_000 },
];
const SMALL: readonly Variant[] = [
  { name: '1 000 of 100', rows: 1_000, accounts: 100 },
  { name: '2 000 of one account', rows: 2_000, accounts: 1 },
  { name: '200 000 of 100', rows: 200_000, accounts: 100 },
];

/** Accounts that ask in turn: their pages are warm, as those of people who look at their logs. */
const ASKING = 20;

interface Filled extends Variant {
  readonly database: Database;
  readonly asked: readonly Asked[];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { small: { type: 'boolean', default: false }, json: { type: 'string' } },
  });
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-logs-'));
  const server = await startEmbedded(folder, silentLogger);
  const filled: Filled[] = [];
  try {
    await tune(server.connection);
    for (const variant of values.small ? SMALL : VARIANTS) {
      filled.push(await prepare(server.connection, { ...variant, number: filled.length }));
    }
    const timing = values.small ? { repeats: 3, asks: 100 } : { repeats: 7, asks: 200 };
    report(await measure(filled, folder, timing), values.json);
  } finally {
    for (const { database } of filled) await database.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function prepare(server: string, variant: Variant & { readonly number: number }): Promise<Filled> {
  const begunMs = performance.now();
  const { database } = await createFilled(server, `bench_${variant.number}`, variant);
  const asked = await askersOf(database, variant);
  for (const ask of Object.values(QUESTIONS)) for (const each of asked) await ask(each);
  console.log(`${variant.name}: ready after ${Math.round((performance.now() - begunMs) / 1000)} s`);
  return { ...variant, database, asked };
}

async function askersOf(database: Database, { rows, accounts }: Variant): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  for (let turn = 0; turn < Math.min(ASKING, accounts); turn++) {
    const accountId = 1 + Math.floor((turn * accounts) / ASKING);
    const [newest] = await database.query<{ id: bigint }>(
      'select id from calls where account_id = $1 order by created_at desc, id desc limit 1',
      [accountId],
    );
    asked.push({ database, accountId, calls: rows / accounts, newestId: Number(newest?.id) });
  }
  return asked;
}

async function measure(
  filled: readonly Filled[],
  folder: string,
  { repeats, asks }: { readonly repeats: number; readonly asks: number },
): Promise<readonly Cell[]> {
  const costs = new Map<string, Cost[]>();
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const [question, ask] of Object.entries(QUESTIONS)) {
      for (const { name, asked } of rotate(filled, repeat)) {
        const key = `${question} ${name}`;
        const cost = await costOf(folder, asks, (turn) => ask(pick(asked, turn)));
        costs.set(key, [...(costs.get(key) ?? []), cost]);
      }
    }
  }
  return Object.keys(QUESTIONS).flatMap((question) =>
    filled.map(({ name }) => ({ question, database: name, costs: costs.get(`${question} ${name}`) ?? [] })),
  );
}

function pick(asked: readonly Asked[], turn: number): Asked {
  const each = asked[turn % asked.length];
  if (each === undefined) throw new Error('nobody asks');
  return each;
}

async function costOf(folder: string, asks: number, ask: (turn: number) => Promise<unknown>): Promise<Cost> {
  const databaseMs = databaseMsOf(folder);
  const own = process.cpuUsage();
  const begunMs = performance.now();
  for (let turn = 0; turn < asks; turn++) await ask(turn);
  const clockMs = performance.now() - begunMs;
  const { user, system } = process.cpuUsage(own);
  const processorUs = user + system + (databaseMsOf(folder) - databaseMs) * 1_000;
  return { processorUs: processorUs / asks, clockUs: (clockMs * 1_000) / asks };
}

/** The server of the benchmark and nothing else: its own file tells its number. */
function databaseMsOf(folder: string): number {
  const file = join(folder, 'postgres', 'postmaster.pid');
  if (!existsSync(file)) throw new Error('the database of the benchmark does not run');
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  return usageOf(familyOf([pid], listProcesses())).cpuMs;
}

function report(cells: readonly Cell[], jsonFile: string | undefined): void {
  const names = [...new Set(cells.map(({ database }) => database))];
  const large = names.at(-1) ?? '';
  const rows = rowsOf(cells, large);
  const startedAt = new Date().toISOString();
  const file =
    jsonFile ?? join(import.meta.dirname, '../results', `logs-${startedAt.replaceAll(':', '-')}.json`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ startedAt, cells }, null, 2)}\n`);
  const [judged = '', ...others] = names.slice(0, -1);
  console.log(`Cost of one question with ${large} accounts' rows, and how many times that of smaller logs`);
  console.log(`it is, median (least–most) of ${cells[0]?.costs.length ?? 0}:\n`);
  console.log(`${renderRows(rows, judged, others)}\n\nAll figures: ${file}`);
}

await main();
