import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../../src/store/database.ts';
import type { EmbeddedServer } from '../../../src/store/embedded/server.ts';
import { until } from '../../support/processes.ts';

/** A PostgreSQL that may die at any time. */
export interface MortalDatabase {
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Brings one of our own back; waits for whoever brings another one back. */
  back(): Promise<void>;
}

/** `cluster` is its folder; `own` is given if nobody else would bring it back. */
export function mortalDatabase(
  cluster: string,
  database: Database,
  own: EmbeddedServer | undefined,
): MortalDatabase {
  let killed = 0;
  return {
    kill: async () => {
      killed = await postmasterOf(cluster);
      // 0 would be every process of our own group.
      assert.ok(killed > 0, 'a database runs');
      process.kill(killed, 'SIGKILL');
    },
    back: () =>
      until(async () => {
        // The dead server's children go within moments; until then no other one can start.
        if (own?.isRunning() === false) await own.revive().catch(() => undefined);
        // A backend may answer a moment longer than its postmaster lives.
        return ![0, killed].includes(await postmasterOf(cluster)) && canRead(database);
      }),
  };
}

/** 0 while none has begun. */
async function postmasterOf(cluster: string): Promise<number> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  return Number(text.split('\n')[0]);
}

async function canRead(database: Database): Promise<boolean> {
  return database.query('select 1').then(
    () => true,
    () => false,
  );
}
