/** `npm run bench:ledger`: what settling a call costs, with few and many log rows and accounts. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { silentLogger } from '../../src/kernel/log.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { startEmbedded } from '../../src/store/embedded.ts';
import { migrate } from '../../src/store/migrate.ts';
import { rotate } from '../statistics.ts';
import { fill } from './fill.ts';
import { drawsOn, SMALL, VARIANTS, type Variant } from './plan.ts';
import { type Cell, proofOf, renderRows, rowsOf } from './report.ts';
import { type Cost, SettleLoad } from './settle.ts';

const FILL_TIMEOUT_MS = 3_600_000;

interface Filled extends Variant {
  readonly load: SettleLoad;
  readonly database: Database;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      small: { type: 'boolean', default: false },
      /** `rows` or `accounts`. */
      only: { type: 'string', default: '' },
      json: { type: 'string' },
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-ledger-'));
  const server = await startEmbedded(folder, silentLogger);
  const filled: Filled[] = [];
  try {
    await tune(server.connection);
    const variants = (values.small ? SMALL : VARIANTS).filter(({ name }) => name.includes(values.only));
    for (const variant of variants) {
      filled.push(await prepare(server.connection, folder, { ...variant, number: filled.length }));
    }
    const timing = values.small ? { repeats: 3, calls: 2_000 } : { repeats: 15, calls: 10_000 };
    report(await measure(filled, timing), values.json);
  } finally {
    for (const { database } of filled) await database.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same for all: no checkpoint in the middle of one of them, and memory for building indexes. */
async function tune(connection: string): Promise<void> {
  const database = await openDatabase({ connection, log: silentLogger, connectionsMax: 1 });
  await database.query("alter system set max_wal_size = '16GB'");
  await database.query("alter system set checkpoint_timeout = '1h'");
  await database.query("alter system set maintenance_work_mem = '1GB'");
  await database.query('select pg_reload_conf()');
  await database.close();
}

async function prepare(
  server: string,
  folder: string,
  variant: Variant & { readonly number: number },
): Promise<Filled> {
  const begunMs = performance.now();
  const admin = await openDatabase({ connection: server, log: silentLogger, connectionsMax: 1 });
  await admin.query(`create database bench_${variant.number}`);
  await admin.close();
  const url = new URL(server);
  url.pathname = `/bench_${variant.number}`;
  await migrate({ connection: url.href, log: silentLogger });
  const filling = { connection: url.href, log: silentLogger, statementTimeoutMs: FILL_TIMEOUT_MS };
  const database = await openDatabase({ ...filling, connectionsMax: 1 });
  await fill(database, variant);
  const load = new SettleLoad(database, variant.callers, folder);
  // The first calls meet an empty cache of plans and pages.
  await load.meetAll(1_000);
  for (const draw of drawsOn([variant]).flat()) await load.measure(2_000, draw);
  // Pages that were not written since cost more at their first change; a server pays it every five minutes.
  await database.query('checkpoint');
  console.log(`${variant.name}: ready after ${Math.round((performance.now() - begunMs) / 1000)} s`);
  return { ...variant, load, database };
}

async function measure(
  filled: readonly Filled[],
  { repeats, calls }: { readonly repeats: number; readonly calls: number },
): Promise<readonly Cell[]> {
  const groups = drawsOn(filled).map((group) => group.map((each) => ({ ...each, costs: [] as Cost[] })));
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const group of groups) {
      for (const each of rotate(group, repeat)) each.costs.push(await each.load.measure(calls, each));
    }
  }
  return groups.flat().map(({ load: _load, database: _database, ...cell }) => cell);
}

function report(cells: readonly Cell[], jsonFile: string | undefined): void {
  const startedAt = new Date().toISOString();
  const file =
    jsonFile ?? join(import.meta.dirname, '../results', `ledger-${startedAt.replaceAll(':', '-')}.json`);
  mkdirSync(dirname(file), { recursive: true });
  const rows = rowsOf(cells);
  writeFileSync(file, `${JSON.stringify({ startedAt, cells, rows }, null, 2)}\n`);
  console.log(`Cost of one settled call, median (least–most) of ${cells[0]?.costs.length ?? 0}:\n`);
  console.log(`${renderRows(rows)}\n\nAll figures: ${file}`);
  const { lines, isFlat } = proofOf(rows);
  for (const line of lines) console.log(line);
  if (!isFlat) process.exitCode = 1;
}

await main();
