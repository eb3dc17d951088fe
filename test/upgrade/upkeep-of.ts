import { join } from 'node:path';
import type * as logs from '../../src/kernel/log.ts';
import type * as clocks from '../../src/kernel/time/clock.ts';
import type * as databases from '../../src/store/database.ts';
import type * as rollups from '../../src/store/logs/daily-rollup.ts';
import type * as upkeeps from '../../src/store/operations/upkeep.ts';

/**
 * A program: the upkeep of another version, once, on a database. Arguments: the folder of that version, and
 * the connection. Days are closed up to tomorrow, so that there is one to close.
 */
const [folder = '', connection = ''] = process.argv.slice(2);
const load = (path: string): Promise<unknown> => import(join(folder, 'src', path));

const { silentLogger } = (await load('kernel/log.ts')) as typeof logs;
const { systemClock } = (await load('kernel/time/clock.ts')) as typeof clocks;
const { openDatabase } = (await load('store/database.ts')) as typeof databases;
const { closeSomeDays } = (await load('store/logs/daily-rollup.ts')) as typeof rollups;
const { startStoreUpkeep } = (await load('store/operations/upkeep.ts')) as typeof upkeeps;

const DAY_MS = 86_400_000;
const TIME_ZONE = 'UTC';
const log: logs.Logger = {
  ...silentLogger,
  error: (fields, message) => {
    console.error(message, fields);
    process.exitCode = 1;
  },
};
const database = await openDatabase({ connection, log });
try {
  const upkeep = startStoreUpkeep({ database, clock: systemClock, log, logMonths: 1, timeZone: TIME_ZONE });
  await upkeep.round();
  await upkeep.stop();
  const toMs = (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS;
  await closeSomeDays(database, { timeZone: TIME_ZONE, toMs, afterId: 0 });
} finally {
  await database.close();
}
