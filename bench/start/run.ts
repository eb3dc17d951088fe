/**
 * `npm run bench:start`: how long the first start, a restart, and one on a million calls take until ready.
 * `-- --program FILE` starts an installed package instead of the sources.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { silentLogger } from '../../src/kernel/log.ts';
import { openDatabase } from '../../src/store/database.ts';
import { startEmbedded } from '../../src/store/embedded/server.ts';
import { type Child, findFreePort, logTail, startChild, stopChild } from '../child.ts';
import { fill } from '../logs/fill.ts';

const SOURCES = join(import.meta.dirname, '../../src/main.ts');
const { program } = parseArgs({
  options: { program: { type: 'string', default: SOURCES } },
}).values;
const ROWS = 1_000_000;
const ACCOUNTS = 1_000;
const REPEATS = 5;
const PROBE_EVERY_MS = 5;
const READY_MS_MAX = 120_000;
const FILL_TIMEOUT_MS = 3_600_000;

const CATALOGUE = {
  vendors: [{ code: 'openai', protocols: ['chat'], base_url: 'http://127.0.0.1:9/v1' }],
  credentials: [{ name: 'bench', vendor: 'openai', secret: 'sk-bench' }],
  models: [
    {
      model_id: 'bench',
      prices: { input: '1', output: '1' },
      context_window: 1_000,
      routes: [{ vendor: 'openai', credential: 'bench', forward_model_id: 'bench' }],
    },
  ],
};

/** Milliseconds from the start of the process until it answers that it is ready. */
async function timeStart(folder: string): Promise<number> {
  const port = await findFreePort();
  const environment = {
    TOLLGATE_HOST: '127.0.0.1',
    TOLLGATE_PORT: String(port),
    TOLLGATE_DATA: join(folder, 'data'),
    TOLLGATE_CATALOG: join(folder, 'catalog.yaml'),
  };
  const startedAt = performance.now();
  const child = startChild(process.execPath, [program, 'serve'], { folder, environment });
  try {
    await waitUntilReady(child, port);
    return performance.now() - startedAt;
  } finally {
    await stopChild(child.process);
  }
}

async function waitUntilReady(child: Child, port: number): Promise<void> {
  const deadline = performance.now() + READY_MS_MAX;
  const isReady = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  while (!(await isReady())) {
    if (child.process.exitCode !== null || performance.now() > deadline) throw new Error(logTail(child));
    await delay(PROBE_EVERY_MS);
  }
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-start-'));
  // The embedded database may run as another user.
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'data'));
  // YAML reads JSON.
  writeFileSync(join(folder, 'catalog.yaml'), JSON.stringify(CATALOGUE));
  return folder;
}

async function fillCalls(folder: string): Promise<void> {
  const server = await startEmbedded(join(folder, 'data'), silentLogger);
  const database = await openDatabase({
    ...{ connection: server.connection, log: silentLogger },
    ...{ statementTimeoutMs: FILL_TIMEOUT_MS, connectionsMax: 1 },
  });
  await fill(database, { rows: ROWS, accounts: ACCOUNTS });
  await database.close();
  await server.stop();
}

function report(name: string, timesMs: readonly number[]): void {
  const sorted = timesMs.toSorted((one, other) => one - other).map((ms) => Math.round(ms));
  const median = sorted[Math.floor(sorted.length / 2)];
  console.log(`| ${name.padEnd(36)} | ${median} (${sorted[0]}–${sorted.at(-1)}) |`);
}

async function main(): Promise<void> {
  const folders: string[] = [];
  try {
    console.log('| start | ms until ready, median (least–most) |\n|---|---|');
    const first: number[] = [];
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      const folder = makeFolder();
      folders.push(folder);
      first.push(await timeStart(folder));
    }
    report('the first, in an empty folder', first);
    const folder = folders[0] ?? makeFolder();
    const again = async (): Promise<readonly number[]> => {
      const times: number[] = [];
      for (let repeat = 0; repeat < REPEATS; repeat++) times.push(await timeStart(folder));
      return times;
    };
    report('again', await again());
    await fillCalls(folder);
    report(`again, with ${ROWS} calls in the log`, await again());
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}

await main();
