import { argv, stdout } from 'node:process';
import { SETTLE_BATCH_MAX } from '../../src/bounds.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import { seededRandom } from '../../src/kernel/random.ts';
import { createCalendar } from '../../src/kernel/time/calendar.ts';
import type { CallRecord } from '../../src/ledger/contract.ts';
import { decodeLine } from '../../src/ledger/journal/record-reader.ts';
import { recover } from '../../src/ledger/journal/recover.ts';
import { listSegments, readLines, segmentPath } from '../../src/ledger/journal/segment.ts';
import { openDatabase } from '../../src/store/database.ts';
import { createLedgerStore } from '../../src/store/ledger/ledger.ts';
import { CREDITS_PER_YUAN } from '../support/calls.ts';

/**
 * One of several processes that settle the same calls: it recovers a whole journal, and at the same time
 * settles calls of it in any order. It says how many attempts that were.
 */
const [connection = '', directory = '', seed = '0', picks = '0'] = argv.slice(2);
const random = seededRandom(Number(seed));
// They wait for each other's rows, on a busy machine for long.
const statementTimeoutMs = 300_000;
const database = await openDatabase({ connection, log: silentLogger, connectionsMax: 2, statementTimeoutMs });
const store = createLedgerStore({
  database,
  creditsPerYuan: CREDITS_PER_YUAN,
  calendar: createCalendar('UTC'),
});

const ended = await readEnded();
const [report] = await Promise.all([
  recover({ directory, store, creditsPerYuan: CREDITS_PER_YUAN, log: silentLogger }),
  settleAtRandom(Number(picks)),
]);
stdout.write(`${JSON.stringify({ ...report, attempts: report.ended + report.cut + Number(picks) })}\n`);
await database.close();

async function readEnded(): Promise<readonly CallRecord[]> {
  const calls: CallRecord[] = [];
  for (const number of await listSegments(directory)) {
    for await (const line of readLines(segmentPath(directory, number))) {
      const record = decodeLine(line);
      if (record?.kind === 'end') calls.push(record.call);
    }
  }
  return calls;
}

async function settleAtRandom(count: number): Promise<void> {
  for (let left = count; left > 0; left -= SETTLE_BATCH_MAX) {
    const size = Math.min(left, SETTLE_BATCH_MAX);
    const batch = Array.from({ length: size }, () => ended[Math.floor(random.unit() * ended.length)]);
    await store.settle(batch.filter((call) => call !== undefined));
  }
}
