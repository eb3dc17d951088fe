import { type Command, requiredOption, UsageError } from '../command.ts';
import {
  ACCOUNT_HELP,
  ACCOUNT_OPTION,
  given,
  JSON_HELP,
  listing,
  numeric,
  orNull,
  TEXT,
} from '../listing.ts';
import { say } from '../table.ts';
import { atTerminal } from '../terminal.ts';

const ID_HELP = '--id ID          number of the key, see "key list"';
/** The options of fields with other names. */
const OPTIONS = { key_id: 'id', policy_id: 'policy', expires_at: 'expires' } as const;

export const keyCreate: Command = {
  name: 'key create',
  summary: 'Create an API key. It is printed once and not stored.',
  usage: '--account EMAIL --name NAME [--policy ID] [--expires "YYYY-MM-DD hh:mm:ss"] [--json]',
  options: { ...ACCOUNT_OPTION, name: TEXT, policy: TEXT, expires: TEXT },
  help: [
    ACCOUNT_HELP,
    '--name NAME      up to 100 characters',
    '--policy ID      limit policy of the key',
    '--expires TIME   "YYYY-MM-DD hh:mm:ss" in the zone of TOLLGATE_TIMEZONE; default never',
    JSON_HELP,
  ],
  run: (input) =>
    atTerminal(input, async (terminal) => {
      const accountId = await terminal.account();
      const { name, policy, expires } = given(input, ['name', 'policy', 'expires']);
      const body = { name, policy_id: numeric(policy), expires_at: expires };
      const made = await terminal.data('keys.create', { accountId, body, options: OPTIONS });
      say(input, made, [String(made.api_key)]);
    }),
};

export const keyList = listing({
  name: 'key list',
  summary: 'List the keys of an account, newest first.',
  operation: 'accounts.listKeys',
  of: 'account',
  columns: {
    ID: 'id',
    KEY: ({ prefix }) => `${prefix}…`,
    ...{ STATUS: 'status', POLICY: 'policy_id' },
    EXPIRES: ({ expires_at: expires }) => expires ?? 'never',
    NAME: 'name',
  },
});

export const keySet: Command = {
  name: 'key set',
  summary: 'Change a key of an account, effective from the next call.',
  usage:
    '--account EMAIL --id ID [--name NAME] [--status S] [--policy ID|none] [--expires TIME|never] [--json]',
  options: { ...ACCOUNT_OPTION, id: TEXT, name: TEXT, status: TEXT, policy: TEXT, expires: TEXT },
  help: [
    ...[ACCOUNT_HELP, ID_HELP],
    '--name NAME      new name',
    '--status S       enabled or disabled',
    '--policy ID      limit policy of the key; none removes it',
    '--expires TIME   "YYYY-MM-DD hh:mm:ss" in the configured time zone, or never',
    JSON_HELP,
  ],
  run: (input) => {
    const id = requiredOption(input, 'id');
    const { name, status, policy, expires } = given(input, ['name', 'status', 'policy', 'expires']);
    if ([name, status, policy, expires].every((value) => value === undefined)) {
      throw new UsageError('nothing to change: name at least one option');
    }
    const body = {
      ...{ name, status, policy_id: numeric(orNull(policy, 'none')) },
      expires_at: orNull(expires, 'never'),
    };
    return atTerminal(input, async (terminal) => {
      const accountId = await terminal.account();
      const asked = { accountId, params: { key_id: id }, body, options: OPTIONS, absent: noKey(id) };
      say(input, await terminal.data('accounts.updateKey', asked), [`key ${id} changed`]);
    });
  },
};

export const keyRevoke: Command = {
  name: 'key revoke',
  summary: 'Delete a key. It is refused from the next call on.',
  usage: '--account EMAIL --id ID [--json]',
  options: { ...ACCOUNT_OPTION, id: TEXT },
  help: [ACCOUNT_HELP, ID_HELP, JSON_HELP],
  run: (input) => {
    const id = requiredOption(input, 'id');
    return atTerminal(input, async (terminal) => {
      const accountId = await terminal.account();
      const asked = { accountId, params: { key_id: id }, options: OPTIONS, absent: noKey(id) };
      say(input, await terminal.data('accounts.deleteKey', asked), [`key ${id} revoked`]);
    });
  },
};

function noKey(id: string): string {
  return `the account has no key ${id}`;
}
