/** How many calls one connection settles in a second: the settler's own function, as in `bench:ledger`. */
import { mkdirSync } from 'node:fs';
import { silentLogger } from '../../../src/kernel/log.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { startEmbedded } from '../../../src/store/embedded/server.ts';
import { migrate } from '../../../src/store/migrate.ts';
import { fill } from '../../ledger/fill.ts';
import { SettleLoad } from '../../ledger/settle.ts';
import type { CostTable } from '../table.ts';

const ACCOUNTS = 1_000;
const ROWS = 1_000;
const BATCH = 1_000;
const WARM_CALLS = 10_000;

export async function measureSettling(folder: string, calls: number): Promise<CostTable['settling']> {
  mkdirSync(folder);
  const { connection, stop } = await startEmbedded(folder, silentLogger);
  try {
    await migrate({ connection, log: silentLogger });
    const database = await openDatabase({ connection, log: silentLogger, connectionsMax: 1 });
    try {
      await fill(database, { rows: ROWS, accounts: ACCOUNTS });
      const load = new SettleLoad(database, ACCOUNTS, folder);
      const draw = { batch: BATCH, draw: 'random' } as const;
      await load.measure(Math.min(WARM_CALLS, calls), draw);
      const { tollgateUs, databaseUs, clockUs } = await load.measure(calls, draw);
      return {
        batch: BATCH,
        callsPerSecond: 1e6 / clockUs,
        nodeMs: tollgateUs / 1000,
        postgresMs: databaseUs / 1000,
      };
    } finally {
      await database.close();
    }
  } finally {
    await stop();
  }
}
