import { createAccountMails } from '../accounts/account-mails.ts';
import { createLogins, type LoginMails } from '../accounts/login.ts';
import type { AccountMails, Logins, SetupToken } from '../accounts/login-contract.ts';
import { newTokens } from '../accounts/token.ts';
import { systemRandom } from '../kernel/random.ts';
import { createTimes } from '../kernel/time/calendar.ts';
import { systemClock } from '../kernel/time/clock.ts';
import type { Setup } from '../setup.ts';
import { createMailStore } from '../store/accounts/account-mails.ts';
import { createFailureStore } from '../store/accounts/login-failures.ts';
import { createRegistrationStore, prepareSetupToken } from '../store/accounts/registration.ts';
import { createSessionStore } from '../store/accounts/sessions.ts';
import type { Database } from '../store/database.ts';
import { readSecret } from '../store/secret-file.ts';
import type { AppContext } from './app-context.ts';

/** The logins of this process, and its mails to accounts if it sends any. All their data is in the store. */
export function openLogins({ database, sealer, config, log }: Setup): {
  readonly logins: Logins;
  readonly accountMails: AccountMails | undefined;
} {
  const secret = readSecret(config.secret, config.dataDirectory, systemRandom);
  const store = {
    ...createSessionStore(database),
    ...createFailureStore(database),
    ...createRegistrationStore(database),
  };
  const { registration } = config;
  const { showTime } = createTimes(config.timeZone);
  const parts = { tokens: newTokens(secret), clock: systemClock, random: systemRandom, log };
  const mailStore = { ...createMailStore(database, sealer), countAttempt: store.countAttempt };
  const accountMails =
    config.smtpUrl === undefined ? undefined : createAccountMails({ ...parts, store: mailStore, showTime });
  const mails = accountMails && { showTime, welcome: toWelcome(accountMails) };
  return { logins: createLogins({ ...parts, store, registration, mails }), accountMails };
}

function toWelcome(mails: AccountMails): LoginMails['welcome'] {
  return async (accountId, { address, language }) => {
    await mails.askVerification({ accountId, address, language });
  };
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
