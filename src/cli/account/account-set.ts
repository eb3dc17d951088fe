import { type Command, stringOption, UsageError } from '../command.ts';
import { ACCOUNT_HELP, ACCOUNT_OPTION, JSON_HELP, numeric, orNull, TEXT } from '../listing.ts';
import { say } from '../table.ts';
import { atTerminal } from '../terminal.ts';
import { parseChoice } from '../values.ts';

/** An option of `account set`: its help, the field of the operation, and the value that its text means. */
interface AccountSetting {
  readonly option: string;
  readonly values: string;
  readonly meaning: string;
  readonly field: string;
  readonly read?: (text: string, name: string) => unknown;
}

const parseSwitch = (text: string, name: string): boolean => parseChoice(text, name, ['on', 'off']) === 'on';

const SETTINGS: readonly AccountSetting[] = [
  {
    ...{ option: 'api-billing', values: 'on|off', field: 'api_billing', read: parseSwitch },
    meaning: 'whether calls may be paid with Credits',
  },
  {
    ...{ option: 'auto-exchange', values: 'on|off', field: 'auto_exchange', read: parseSwitch },
    meaning: 'whether balance is exchanged when Credits run out',
  },
  {
    ...{ option: 'cap', values: 'YUAN', field: 'extra_api_quota' },
    meaning: 'monthly limit on spending outside subscription and BYOK; 0 is no limit',
  },
  {
    ...{ option: 'fallback-model', values: 'ID|none', field: 'fallback_model' },
    meaning: 'model that serves when all routes of the requested model fail',
    read: (text) => orNull(text, 'none'),
  },
  {
    ...{ option: 'byok-fallback', values: 'on|off', field: 'byok_fallback', read: parseSwitch },
    meaning: 'whether platform routes serve, and are charged, when a BYOK credential fails',
  },
  {
    ...{ option: 'status', values: 'enabled|disabled', field: 'status' },
    meaning: 'the keys of a disabled account are refused',
  },
  {
    ...{ option: 'user-type', values: 'N', field: 'user_type', read: numeric },
    meaning: '0 unverified, 1 personal, 2 enterprise; grants no Credits',
  },
  {
    ...{ option: 'rate', values: 'N', field: 'user_rate' },
    meaning: 'percentage of the list price that the account pays',
  },
  {
    ...{ option: 'policy', values: 'ID|none', field: 'policy_id' },
    meaning: 'limit policy of the account; none uses the default of the catalogue',
    read: (text) => numeric(orNull(text, 'none')),
  },
];

const OPTIONS = Object.fromEntries(SETTINGS.map(({ field, option }) => [field, option]));

export const accountSet: Command = {
  name: 'account set',
  summary: 'Change the settings, limits or status of an account, effective from its next call.',
  usage: '--account EMAIL [--api-billing on|off] [--cap YUAN] … [--json]',
  options: { ...ACCOUNT_OPTION, ...Object.fromEntries(SETTINGS.map(({ option }) => [option, TEXT])) },
  help: [
    ACCOUNT_HELP,
    ...SETTINGS.map(({ option, values, meaning }) => `--${option} ${values}  ${meaning}`),
    JSON_HELP,
  ],
  run: (input) => {
    const wanted = SETTINGS.flatMap(({ option, field, read = (text) => text }) => {
      const text = stringOption(input, option);
      return text === undefined ? [] : [{ line: `${option}: ${text}`, field, value: read(text, option) }];
    });
    if (wanted.length === 0) throw new UsageError('nothing to change: name at least one of the options');
    const body = Object.fromEntries(wanted.map(({ field, value }) => [field, value]));
    return atTerminal(input, async (terminal) => {
      const asked = { accountId: await terminal.account(), body, options: OPTIONS };
      const account = await terminal.data('accounts.update', asked);
      const lines = wanted.map(({ line }) => line);
      say(input, account, lines);
    });
  },
};
