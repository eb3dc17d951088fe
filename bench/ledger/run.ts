/** `npm run bench:ledger`: what settling a call costs, with few and many log rows and accounts. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { silentLogger } from '../../src/kernel/log.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { startEmbedded } from '../../src/store/embedded/server.ts';
import { migrate } from '../../src/store/migrate.ts';
import { rotate } from '../report/statistics.ts';
import { fill } from './fill.ts';
import { drawsOn, SMALL, VARIANTS, type Variant } from './plan.ts';
import { type Cell, proofOf, renderRows, rowsOf } from './report.ts';
import { type Cost, SettleLoad } from './settle.ts';

const FILL_TIMEOUT_MS = 3_600_000;

interface Filled extends Variant {
  readonly load: SettleLoad;
  readonly database: Database;
  stop(): Promise<void>;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      small: { type: 'boolean', default: false },
      /** `rows` or `accounts`. */
      only: { type: 'string', default: '' },
      repeats: { type: 'string', default: '15' },
      json: { type: 'string' },
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-ledger-'));
  // A server may run as another user, who must be able to pass through.
  chmodSync(folder, 0o755);
  const filled: Filled[] = [];
  try {
    const variants = (values.small ? SMALL : VARIANTS).filter(({ name }) => name.includes(values.only));
    for (const variant of variants) filled.push(await prepare(join(folder, `${filled.length}`), variant));
    const timing = values.small
      ? { repeats: 3, calls: 2_000 }
      : { repeats: Number(values.repeats), calls: 10_000 };
    report(await measure(filled, timing), values.json);
  } finally {
    for (const { stop } of filled) await stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Each has a server of its own, as in life: what one keeps in memory and cleans up is not the others'. */
async function prepare(folder: string, variant: Variant): Promise<Filled> {
  const begunMs = performance.now();
  const { connection, stop } = await startEmbedded(folder, silentLogger);
  await migrate({ connection, log: silentLogger });
  const filling = { connection, log: silentLogger, statementTimeoutMs: FILL_TIMEOUT_MS };
  const database = await openDatabase({ ...filling, connectionsMax: 1 });
  await tune(database);
  await fill(database, variant);
  const load = new SettleLoad(database, variant.callers, folder);
  // The first calls meet an empty cache of plans and pages.
  await load.meetAll(1_000);
  for (const draw of drawsOn([variant]).flat()) await load.measure(2_000, draw);
  // Pages that were not written since cost more at their first change; a server pays it every five minutes.
  await database.query('checkpoint');
  console.log(`${variant.name}: ready after ${Math.round((performance.now() - begunMs) / 1000)} s`);
  const stopAll = async (): Promise<void> => {
    await database.close();
    await stop();
  };
  return { ...variant, load, database, stop: stopAll };
}

/** The same for all: no checkpoint in the middle of one of them, and memory for building indexes. */
async function tune(database: Database): Promise<void> {
  await database.query("alter system set max_wal_size = '16GB'");
  await database.query("alter system set checkpoint_timeout = '1h'");
  await database.query("alter system set maintenance_work_mem = '1GB'");
  await database.query('select pg_reload_conf()');
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
  return groups.flat().map(({ load: _load, database: _database, stop: _stop, ...cell }) => cell);
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
