import type { Setup } from '../../setup.ts';
import { findLogin } from '../../store/accounts/accounts.ts';
import { CommandFailed, type CommandInput, requiredOption } from '../command.ts';

/** What every command about an account takes. */
export const ACCOUNT_OPTION = { account: { type: 'string' }, json: { type: 'boolean' } } as const;
export const ACCOUNT_HELP = '--account EMAIL  address of the account';
export const JSON_HELP = '--json           print for programs';

export async function requireAccount(setup: Setup, input: CommandInput): Promise<number> {
  const email = requiredOption(input, 'account').trim().toLowerCase();
  const login = await findLogin(setup.database, email);
  if (login === undefined) throw new CommandFailed(`there is no account ${email}`);
  return login.accountId;
}
