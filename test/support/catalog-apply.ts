import { scryptSync } from 'node:crypto';
import { parseCatalog } from '../../src/catalog/file.ts';
import type { Config } from '../../src/config.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import { systemRandom } from '../../src/kernel/random.ts';
import { openSealer } from '../../src/setup.ts';
import { applyCatalog, loadCatalog } from '../../src/store/catalog.ts';
import type { Database } from '../../src/store/database.ts';

/** The least that a stored password may cost, as src/accounts/password.ts writes it down. */
const COST_LOG2 = 10;

function hashCheaply(password: string): Promise<string> {
  const salt = systemRandom.bytes(16);
  const derived = scryptSync(password.normalize('NFKC'), salt, 32, { N: 2 ** COST_LOG2, r: 8, p: 1 });
  return Promise.resolve(
    `scrypt$${COST_LOG2}$${salt.toString('base64url')}$${derived.toString('base64url')}`,
  );
}

/**
 * Applies a catalogue as a server does at its start, which then finds nothing to do, but with passwords that
 * cost a thousandth: a second of processor time for each world, and most of each login.
 */
export async function applyCheaply(database: Database, config: Config, text: string): Promise<void> {
  const sealer = await openSealer(config, database);
  const options = { sealer, log: silentLogger, clock: systemClock, hashPassword: hashCheaply };
  const result = parseCatalog(text, config.environment, await loadCatalog(database, options));
  // A catalogue that is not valid is the server's to refuse, in its own words.
  if (result.kind === 'catalog') await applyCatalog(database, result.document, options);
}
