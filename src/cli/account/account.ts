import { PASSWORD_LENGTH_MAX } from '../../bounds.ts';
import { type Command, requiredOption } from '../command.ts';
import { given, JSON_HELP, JSON_OPTION, numeric, TEXT } from '../listing.ts';
import { readStandardInput } from '../standard-input.ts';
import { say } from '../table.ts';
import { atTerminal } from '../terminal.ts';

export const accountCreate: Command = {
  name: 'account create',
  mayCreate: true,
  summary: 'Create an account. The password is read from standard input, or generated and printed once.',
  usage:
    '--email EMAIL [--operator] [--user-type N] [--balance YUAN] [--credits N] [--password-stdin] [--json]',
  options: {
    ...{ email: TEXT, 'user-type': TEXT, balance: TEXT, credits: TEXT },
    ...{ operator: { type: 'boolean' }, 'password-stdin': { type: 'boolean' } },
    ...JSON_OPTION,
  },
  help: [
    '--email EMAIL     e-mail address of the account',
    '--operator        give it the operator role',
    '--user-type N     0 unverified, 1 personal, 2 enterprise',
    '--balance YUAN    opening balance, e.g. 12.50',
    '--credits N       opening Credits, e.g. 1000',
    '--password-stdin  read the password from standard input',
    JSON_HELP,
  ],
  run: async (input) => {
    const email = requiredOption(input, 'email').trim();
    const isTyped = input.values['password-stdin'] === true;
    const password = isTyped ? await readStandardInput(PASSWORD_LENGTH_MAX) : undefined;
    const role = input.values.operator === true ? 'operator' : 'user';
    const { user_type: level, ...money } = given(input, ['user-type', 'balance', 'credits']);
    return atTerminal(input, async (terminal) => {
      const body = { email, password, role, user_type: numeric(level), ...money };
      const made = await terminal.data('accounts.create', { body });
      const shown = made.password === null ? [] : [`password: ${made.password}`];
      say(input, made, [`account ${made.id} (${made.email}, ${role}) created`, ...shown]);
    });
  },
};
