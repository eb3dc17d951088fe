import { parseCatalog } from '../../src/catalog/file/file.ts';
import type { Config } from '../../src/config.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { openSealer } from '../../src/setup.ts';
import { applyCatalog, readStored } from '../../src/store/catalog/catalog.ts';
import type { Database } from '../../src/store/database.ts';
import { cheapHash } from './logins.ts';

/**
 * Applies a catalogue as a server does at its start, which then finds nothing to do, but with passwords that
 * cost a thousandth: a second of processor time for each world, and most of each login.
 */
export async function applyCheaply(database: Database, config: Config, text: string): Promise<void> {
  const sealer = await openSealer(config, database);
  const hashPassword = (password: string): Promise<string> => Promise.resolve(cheapHash(password));
  const options = { sealer, log: silentLogger, clock: systemClock, hashPassword };
  const result = parseCatalog(text, config.environment, await readStored(database, options));
  // A catalogue that is not valid is the server's to refuse, in its own words.
  if (result.kind === 'catalog') await applyCatalog(database, result.document, options);
}
