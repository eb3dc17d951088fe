import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/kernel/log.ts';
import { migrate, setAside } from '../../src/store/migrate.ts';
import { projectRoot } from '../house/tree.ts';
import { needs, REDIS } from '../needs.ts';
import { spendDay } from './day.ts';
import { openInstallation } from './installation.ts';
import { unpackVersionBefore, VERSION_BEFORE, type VersionBefore } from './version-before.ts';

const OWN_FOLDER = join(projectRoot, 'src', 'store', 'migrations');

describe('the version before', needs(REDIS, VERSION_BEFORE), () => {
  let before: VersionBefore;

  beforeAll(async () => {
    before = await unpackVersionBefore();
  });
  afterAll(() => before?.remove());

  /** A day of the version before on a database of this version, with a further migration behind ours. */
  async function spendDayAfter(further?: string): Promise<{ readonly calls: number }> {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-migrations-'));
    const site = await openInstallation();
    try {
      for (const name of await readdir(OWN_FOLDER))
        await copyFile(join(OWN_FOLDER, name), join(folder, name));
      if (further !== undefined) await writeFile(join(folder, '999_further.sql'), further);
      await migrate({ connection: site.connection, log: silentLogger, folder });
      await site.database.transaction((transaction) => setAside(transaction, before.lastMigration));
      return await spendDay(site, before);
    } finally {
      await site.close();
      await rm(folder, { recursive: true, force: true });
    }
  }

  test('serves, settles, is operated and kept up on a database of this version', async () => {
    const { calls } = await spendDayAfter();
    console.log(
      `proof | the version before on the schema of this one | ${calls} calls | served, operated and kept up; doctor clean`,
    );
  });

  test.each([
    ['takes away a column that it writes', 'alter table calls drop column ttfb_ms', /did not come about/],
    [
      'asks for a value that it does not know',
      'alter table api_keys add column region text not null',
      /key create/,
    ],
    [
      'renames what it reads',
      'alter table accounts rename column user_rate_micro to rate_micro',
      /did not say/,
    ],
    [
      'keeps a sum that only new nodes write',
      'alter table usage_hourly disable trigger usage_hourly_inserted',
      /traffic-rollup/,
    ],
  ])('is broken by a migration that %s', async (_what, further, failure) => {
    await expect(spendDayAfter(further)).rejects.toThrow(failure);
  });
});
