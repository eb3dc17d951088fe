import { createDays } from '../../src/kernel/time/days.ts';
import type { Database } from '../../src/store/database.ts';
import { closeSomeDays } from '../../src/store/logs/daily-rollup.ts';

/** What upkeep does at this moment, in as many steps as it takes. Answers how many. */
export async function closeAllDays(database: Database, timeZone: string, nowMs: number): Promise<number> {
  const toMs = createDays(timeZone).startOf(nowMs);
  let steps = 0;
  for (let afterId: number | undefined = 0; afterId !== undefined; steps++) {
    afterId = await closeSomeDays(database, { timeZone, toMs, afterId });
  }
  return steps;
}
