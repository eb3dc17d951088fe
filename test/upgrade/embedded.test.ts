import { describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/kernel/log.ts';
import { openDatabase } from '../../src/store/database.ts';
import { startEmbedded } from '../../src/store/embedded/server.ts';
import { CRASH_CATALOG } from '../crash/shapes.ts';
import { needs } from '../needs.ts';
import { makePlace, startServerProcess } from '../support/processes.ts';
import { command } from './installation.ts';
import { OLDEST_VERSION, THIS_VERSION, unpackVersion, VERSION_BEFORE } from './version-before.ts';

/** Whether its socket lets users in who say no password. */
async function isOpen(dataDirectory: string): Promise<boolean> {
  const server = await startEmbedded(dataDirectory, silentLogger);
  try {
    const url = new URL(server.connection);
    url.password = '';
    const database = await openDatabase({ connection: url.href, log: silentLogger });
    await database.close();
    return true;
  } catch (error) {
    expect(String(error)).toMatch(/password/);
    return false;
  } finally {
    await server.stop();
  }
}

describe('a data directory with the embedded database', needs(OLDEST_VERSION, VERSION_BEFORE), () => {
  test.each([
    { ...OLDEST_VERSION, end: 'SIGKILL' as const },
    { ...VERSION_BEFORE, end: 'SIGTERM' as const },
  ])('of $name opens after $end, and asks for a password from then on', async ({ name, end }) => {
    const version = await unpackVersion(name.slice(-8));
    const place = await makePlace(CRASH_CATALOG, 'http://127.0.0.1:9');
    const own = { ...place.environment, ...version.environment };
    try {
      const node = await startServerProcess(own, version.main);
      const account = ['--account', 'user@example.com'];
      await command(place, version, ['key', 'create', ...account, '--name', 'kept']);
      node.kill(end);
      await node.exited;
      expect(await command(place, THIS_VERSION, ['key', 'list', ...account])).toContain('kept');
      expect(await command(place, THIS_VERSION, ['doctor'])).toContain('no findings');
      expect(await isOpen(place.dataDirectory)).toBe(false);
      if (version.lastMigration < 15) return;
      // Back to the older version, which says no password.
      await command(place, THIS_VERSION, ['migrate', '--back-to', '015']);
      expect(await command(place, version, ['key', 'list', ...account])).toContain('kept');
      expect(await command(place, THIS_VERSION, ['key', 'list', ...account])).toContain('kept');
      expect(await isOpen(place.dataDirectory)).toBe(false);
    } finally {
      await place.remove();
      await version.remove();
    }
  });
});
