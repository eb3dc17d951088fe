import { createLogins } from '../accounts/login.ts';
import type { Logins, SetupToken } from '../accounts/login-contract.ts';
import { newTokens } from '../accounts/token.ts';
import { systemRandom } from '../kernel/random.ts';
import { systemClock } from '../kernel/time/clock.ts';
import { createFailureStore } from '../store/accounts/login-failures.ts';
import { createRegistrationStore, prepareSetupToken } from '../store/accounts/registration.ts';
import { createSessionStore } from '../store/accounts/sessions.ts';
import type { Database } from '../store/database.ts';
import { readSecret } from '../store/secret-file.ts';
import type { AppContext } from './app-context.ts';

/** The logins of this process. All their data is in the store. */
export function openLogins(database: Database, { config, log }: Pick<AppContext, 'config' | 'log'>): Logins {
  const secret = readSecret(config.secret, config.dataDirectory, systemRandom);
  const store = {
    ...createSessionStore(database),
    ...createFailureStore(database),
    ...createRegistrationStore(database),
  };
  const { registration } = config;
  return createLogins({
    store,
    registration,
    tokens: newTokens(secret),
    clock: systemClock,
    random: systemRandom,
    log,
  });
}

/**
 * The setup token for the first operator, once per start and only where it can be used: the supervisor of
 * several workers prints it, not each of them.
 */
export async function prepareSetup(
  database: Database,
  { config, post }: Pick<AppContext, 'config' | 'post'>,
): Promise<SetupToken | undefined> {
  if (config.role === 'gateway' || post !== undefined) return undefined;
  const secret = readSecret(config.secret, config.dataDirectory, systemRandom);
  return prepareSetupToken(database, secret, systemClock.now());
}
