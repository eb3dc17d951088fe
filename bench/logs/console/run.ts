/** `npm run bench:console`: how long the console waits for each of its questions, with 10 million calls. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { silentLogger } from '../../../src/kernel/log.ts';
import { type Database, openDatabase } from '../../../src/store/database.ts';
import { startEmbedded } from '../../../src/store/embedded/server.ts';
import { familyOf, listProcesses, usageOf } from '../../measure.ts';
import { createFilled, type FilledDatabase, tune } from '../database.ts';
import { type Known, questionsOf } from './questions.ts';
import { ANSWER_MS_MAX, type Answered, isSlow, judge, renderAnswers } from './report.ts';
import { startAsked } from './server.ts';

const DAY_MS = 86_400_000;
const DAYS = 30;
const ACCOUNTS = 1_000;
const LARGE = { rows: 10_000_000, repeats: 7 };
const SMALL = { rows: 50_000, repeats: 3 };
const LARGEST_ACCOUNT = { id: 1, email: 'bench-1@example.com' };

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      ...{ small: { type: 'boolean', default: false }, json: { type: 'string' } },
      /** A filled database that stands already, and only questions whose page and name have this text. */
      ...{ database: { type: 'string' }, only: { type: 'string', default: '' }, repeats: { type: 'string' } },
    },
  });
  const { rows, repeats: usual } = values.small ? SMALL : LARGE;
  const repeats = Number(values.repeats ?? usual);
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-console-'));
  try {
    if (values.database === undefined) {
      const server = await startEmbedded(folder, silentLogger);
      try {
        await tune(server.connection);
        const filled = await fillNow(server.connection, rows);
        report(await measure(folder, filled, { repeats, only: values.only }), values.json);
        await filled.database.close();
      } finally {
        await server.stop();
      }
    } else {
      const connection = values.database;
      const database = await openDatabase({ connection, log: silentLogger, connectionsMax: 1 });
      report(await measure(folder, { database, connection }, { repeats, only: values.only }), values.json);
      await database.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fillNow(server: string, rows: number): Promise<FilledDatabase> {
  const begunMs = performance.now();
  const nowMs = Date.now();
  const span = { fromMs: nowMs - DAYS * DAY_MS, toMs: nowMs };
  const filled = await createFilled(server, 'bench', {
    rows,
    accounts: ACCOUNTS,
    rowsLike: 'platform',
    span,
  });
  console.log(`${rows} calls: ready after ${Math.round((performance.now() - begunMs) / 1000)} s`);
  return filled;
}

/** The newest call of the largest account, and one from the middle of its log. */
async function learn(database: Database): Promise<Known> {
  const find = async (before: string) => {
    const [row] = await database.query<{ call_id: string; created_at: Date; key_id: bigint }>(
      `select call_id, created_at, key_id from calls
       where account_id = $1 and created_at < ${before} and payer = 'credits'
       order by created_at desc, id desc limit 1`,
      [LARGEST_ACCOUNT.id],
    );
    if (row === undefined) throw new Error('the largest account has no calls');
    return row;
  };
  const newest = await find("'infinity'");
  const middle = await find(`'${new Date(newest.created_at.getTime() - (DAYS / 2) * DAY_MS).toISOString()}'`);
  return {
    ...{ nowMs: newest.created_at.getTime(), accountId: LARGEST_ACCOUNT.id, keyId: Number(newest.key_id) },
    ...{ requestId: middle.call_id, requestAtMs: middle.created_at.getTime() },
  };
}

interface Measuring {
  readonly repeats: number;
  readonly only: string;
}

/** Every question once for warmth, then in turns, so that a busy spell of the machine meets all alike. */
async function measure(
  folder: string,
  { database, connection }: FilledDatabase,
  { repeats, only }: Measuring,
): Promise<readonly Answered[]> {
  const questions = questionsOf(await learn(database)).filter(({ page, name }) =>
    `${page} ${name}`.includes(only),
  );
  const server = await startAsked(folder, connection, LARGEST_ACCOUNT.email);
  const roots = [server.pid, await postmasterOf(database)];
  const processorMs = (): number => usageOf(familyOf(roots, listProcesses())).cpuMs;
  const answers = questions.map((question) => ({ ...question, ms: [] as number[], spentMs: 0, rows: 0 }));
  try {
    for (let turn = 0; turn <= repeats; turn++) {
      for (const answered of answers) {
        const spentMs = processorMs();
        const { ms, rows = 0 } = await server.ask(answered);
        answered.rows = rows;
        if (turn === 0) continue;
        answered.ms.push(ms);
        answered.spentMs += processorMs() - spentMs;
      }
    }
  } finally {
    await server.stop();
  }
  return answers.map(({ spentMs, ...answered }) => ({ ...answered, processorMs: spentMs / repeats }));
}

/** The server of the database: its own file tells its number. */
async function postmasterOf(database: Database): Promise<number> {
  const [row] = await database.query<{ setting: string }>(
    "select setting from pg_settings where name = 'data_directory'",
  );
  return Number(readFileSync(join(row?.setting ?? '', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

function report(answers: readonly Answered[], jsonFile: string | undefined): void {
  const judged = judge(answers);
  const startedAt = new Date().toISOString();
  const file =
    jsonFile ?? join(import.meta.dirname, '../../results', `console-${startedAt.replaceAll(':', '-')}.json`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ startedAt, load: loadavg(), answers }, null, 2)}\n`);
  const slow = judged.filter(isSlow).length;
  const load = loadavg().map((each) => each.toFixed(1));
  console.log(`${renderAnswers(judged)}\n`);
  const dear = judged.filter(({ processorMs }) => processorMs > ANSWER_MS_MAX).length;
  console.log(`${slow} of ${judged.length} questions over ${ANSWER_MS_MAX} ms; load ${load.join(', ')}`);
  console.log(`${dear} of them take more than that of a processor`);
  console.log(`All figures: ${file}`);
}

await main();
