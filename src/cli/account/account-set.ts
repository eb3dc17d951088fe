import { RATE_MAX } from '../../catalog/file/shape-value.ts';
import { MICRO } from '../../kernel/money.ts';
import type { Setup } from '../../setup.ts';
import { type AccountChange, changeAccountAudited } from '../../store/operations/operator-accounts.ts';
import {
  type Command,
  CommandFailed,
  type CommandInput,
  EXIT,
  stringOption,
  UsageError,
} from '../command.ts';
import { auditContext, terminal } from '../operator-context.ts';
import { say } from '../table.ts';
import { choiceOf, parseDecimal, wholeNumber } from '../values.ts';
import { withStore } from '../workspace.ts';
import { ACCOUNT_HELP, ACCOUNT_OPTION, JSON_HELP, requireAccount } from './account-option.ts';

/** An option of `account set`: its help, and the change that its text means. */
interface AccountSetting {
  readonly option: string;
  readonly values: string;
  readonly meaning: string;
  readonly read: (text: string, name: string) => AccountChange;
}

const SETTINGS: readonly AccountSetting[] = [
  {
    option: 'api-billing',
    values: 'on|off',
    meaning: 'whether calls may be paid with Credits',
    read: (text, name) => ({ apiBilling: switchOf(text, name) }),
  },
  {
    option: 'auto-exchange',
    values: 'on|off',
    meaning: 'whether balance is exchanged when Credits run out',
    read: (text, name) => ({ autoExchange: switchOf(text, name) }),
  },
  {
    option: 'cap',
    values: 'YUAN',
    meaning: 'monthly limit on spending outside subscription and BYOK; 0 is no limit',
    read: (text, name) => ({ extraApiQuotaMicro: parseDecimal(text, name) }),
  },
  {
    option: 'fallback-model',
    values: 'ID|none',
    meaning: 'model that serves when all routes of the requested model fail',
    read: (text) => ({ fallbackModel: text === 'none' ? null : text }),
  },
  {
    option: 'byok-fallback',
    values: 'on|off',
    meaning: 'whether platform routes serve, and are charged, when a BYOK credential fails',
    read: (text, name) => ({ byokFallback: switchOf(text, name) }),
  },
  {
    option: 'status',
    values: 'enabled|disabled',
    meaning: 'the keys of a disabled account are refused',
    read: (text, name) => ({ status: choiceOf(text, name, ['enabled', 'disabled']) }),
  },
  {
    option: 'user-type',
    values: 'N',
    meaning: '0 unverified, 1 personal, 2 enterprise; grants no Credits',
    read: (text, name) => ({ userType: Number(choiceOf(text, name, ['0', '1', '2'])) }),
  },
  {
    option: 'rate',
    values: 'N',
    meaning: 'percentage of the list price that the account pays',
    read: (text, name) => ({ userRateMicro: parseDecimal(text, name, BigInt(RATE_MAX) * MICRO) }),
  },
  {
    option: 'policy',
    values: 'ID|none',
    meaning: 'limit policy of the account; none uses the default of the catalogue',
    read: (text, name) => ({ policyId: text === 'none' ? null : wholeNumber(text, name) }),
  },
];

export const accountSet: Command = {
  name: 'account set',
  summary: 'Change the settings, limits or status of an account, effective from its next call.',
  usage: '--account EMAIL [--api-billing on|off] [--cap YUAN] … [--json]',
  options: {
    ...ACCOUNT_OPTION,
    ...Object.fromEntries(SETTINGS.map(({ option }) => [option, { type: 'string' as const }])),
  },
  help: [
    ACCOUNT_HELP,
    ...SETTINGS.map(({ option, values, meaning }) => `--${option} ${values}  ${meaning}`),
    JSON_HELP,
  ],
  run: async (input) => {
    const given = SETTINGS.filter(({ option }) => stringOption(input, option) !== undefined);
    if (given.length === 0) throw new UsageError('nothing to change: name at least one of the options');
    const patches = given.map(({ option, read }) => read(stringOption(input, option) ?? '', option));
    const patch: AccountChange = Object.assign({}, ...patches);
    return withStore(input, async (setup) => {
      const accountId = await change(setup, input, patch);
      const changed = Object.fromEntries(given.map(({ option }) => [option, stringOption(input, option)]));
      const lines = Object.entries(changed).map(([option, text]) => `${option}: ${text}`);
      say(input, { id: accountId, changed }, lines);
      return EXIT.ok;
    });
  },
};

async function change(setup: Setup, input: CommandInput, patch: AccountChange): Promise<number> {
  const accountId = await requireAccount(setup, input);
  const done = await changeAccountAudited(
    auditContext(setup, input),
    accountId,
    patch,
    terminal('account set'),
  );
  if (done.kind === 'unknown-model') throw new CommandFailed(`there is no model ${patch.fallbackModel}`);
  if (done.kind === 'unknown-policy') throw new CommandFailed(`there is no policy ${patch.policyId}`);
  if (done.kind === 'not-found') throw new CommandFailed('the account no longer exists');
  return accountId;
}

function switchOf(text: string, name: string): boolean {
  return choiceOf(text, name, ['on', 'off']) === 'on';
}
