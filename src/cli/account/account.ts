import { hashPassword } from '../../accounts/password.ts';
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../../bounds.ts';
import { systemRandom } from '../../kernel/random.ts';
import type { Setup } from '../../setup.ts';
import { createAccountAudited, type WantedAccount } from '../../store/operations/operator-accounts.ts';
import {
  type Command,
  CommandFailed,
  type CommandInput,
  EXIT,
  requiredOption,
  stringOption,
  UsageError,
} from '../command.ts';
import { auditContext, terminal } from '../operator-context.ts';
import { readStandardInput } from '../standard-input.ts';
import { choiceOf, optionalValue, parseDecimal } from '../values.ts';
import { withStore } from '../workspace.ts';

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,189}$/;

export const accountCreate: Command = {
  name: 'account create',
  summary: 'Create an account. The password is read from standard input, or generated and printed once.',
  usage:
    '--email EMAIL [--operator] [--user-type N] [--balance YUAN] [--credits N] [--password-stdin] [--json]',
  options: {
    email: { type: 'string' },
    operator: { type: 'boolean' },
    'user-type': { type: 'string' },
    balance: { type: 'string' },
    credits: { type: 'string' },
    'password-stdin': { type: 'boolean' },
    json: { type: 'boolean' },
  },
  help: [
    '--email EMAIL     e-mail address of the account',
    '--operator        give it the operator role',
    '--user-type N     0 unverified, 1 personal, 2 enterprise',
    '--balance YUAN    opening balance, e.g. 12.50',
    '--credits N       opening Credits, e.g. 1000',
    '--password-stdin  read the password from standard input',
    '--json            print the account as JSON',
  ],
  run: runCreate,
};

async function runCreate(input: CommandInput): Promise<number> {
  const made = systemRandom.bytes(18).toString('base64url');
  const given = input.values['password-stdin'] === true ? await readPassword() : undefined;
  const wanted: Omit<WantedAccount, 'passwordHash'> = {
    email: emailOf(requiredOption(input, 'email')),
    role: input.values.operator === true ? 'operator' : 'user',
    userType: Number(choiceOf(stringOption(input, 'user-type') ?? '0', 'user-type', ['0', '1', '2'])),
    balanceMicro: optionalValue(input, 'balance', parseDecimal) ?? 0n,
    creditsMicro: optionalValue(input, 'credits', parseDecimal) ?? 0n,
  };
  return withStore(input, async (setup) => {
    const passwordHash = await hashPassword(given ?? made, systemRandom);
    const accountId = await create(setup, input, { ...wanted, passwordHash });
    const { email, role } = wanted;
    const shown = given === undefined ? { password: made } : {};
    if (input.values.json === true) {
      input.output.line(JSON.stringify({ id: accountId, email, role, ...shown }));
    } else {
      input.output.line(`account ${accountId} (${email}, ${role}) created`);
      if (given === undefined) input.output.line(`password: ${made}`);
    }
    return EXIT.ok;
  });
}

async function create(setup: Setup, input: CommandInput, wanted: WantedAccount): Promise<number> {
  const made = await createAccountAudited(auditContext(setup, input), wanted, terminal('account create'));
  if (made.kind === 'email-taken') throw new CommandFailed(`${wanted.email} already has an account`);
  return made.accountId;
}

function emailOf(text: string): string {
  const email = text.trim().toLowerCase();
  if (!EMAIL.test(email)) throw new UsageError(`--email "${text.slice(0, 100)}" is not an e-mail address`);
  return email;
}

async function readPassword(): Promise<string> {
  const password = await readStandardInput(PASSWORD_LENGTH_MAX);
  if (password.length < PASSWORD_LENGTH_MIN || password.length > PASSWORD_LENGTH_MAX) {
    const range = `${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX}`;
    throw new UsageError(`the password must have ${range} characters`);
  }
  return password;
}
