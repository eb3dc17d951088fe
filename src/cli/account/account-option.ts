import type { Setup } from '../../setup.ts';
import { findLogin } from '../../store/accounts/accounts.ts';
import { CommandFailed, type CommandInput, requiredOption } from '../command.ts';

/** The options of every command about an account. */
export const ACCOUNT_OPTION = { account: { type: 'string' }, json: { type: 'boolean' } } as const;
export const ACCOUNT_HELP = '--account EMAIL  e-mail address of the account';
export const JSON_HELP = '--json           print JSON';

export async function requireAccount(setup: Setup, input: CommandInput): Promise<number> {
  const email = requiredOption(input, 'account').trim().toLowerCase();
  const login = await findLogin(setup.database, email);
  if (login === undefined) throw new CommandFailed(`there is no account ${email}`);
  return login.accountId;
}
