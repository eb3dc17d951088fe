import { systemRandom } from '../kernel/random.ts';
import type { Setup } from '../setup.ts';
import { findLogin } from '../store/accounts.ts';
import { createKey, deleteKeys, type ListedKey, listKeys } from '../store/api-keys.ts';
import {
  type Command,
  CommandFailed,
  type CommandInput,
  EXIT,
  requiredOption,
  stringOption,
  UsageError,
} from './command.ts';
import { untilInForce, withStore } from './workspace.ts';

const NAME_LENGTH_MAX = 100;
const KEYS_SHOWN_MAX = 100;
const ACCOUNT_OPTION = { account: { type: 'string' }, json: { type: 'boolean' } } as const;
const ACCOUNT_HELP = '--account EMAIL  whose keys';

export const keyCreate: Command = {
  name: 'key create',
  summary: 'Create an API key; its text is printed once and stored nowhere.',
  usage: '--account EMAIL --name NAME [--policy ID] [--expires "YYYY-MM-DD hh:mm:ss"] [--json]',
  options: {
    ...ACCOUNT_OPTION,
    name: { type: 'string' },
    policy: { type: 'string' },
    expires: { type: 'string' },
  },
  help: [
    ACCOUNT_HELP,
    '--name NAME      up to 100 characters',
    '--policy ID      limit policy of the key',
    '--expires TIME   UTC, "YYYY-MM-DD hh:mm:ss"; never when left out',
    '--json           print the key as JSON',
  ],
  run: (input) => withStore(input, (setup) => create(setup, input)),
};

export const keyList: Command = {
  name: 'key list',
  summary: 'List the keys of an account, newest first.',
  usage: '--account EMAIL [--json]',
  options: ACCOUNT_OPTION,
  help: [ACCOUNT_HELP, '--json           print the keys as JSON'],
  run: (input) =>
    withStore(input, async (setup) => {
      const accountId = await accountOf(setup, input);
      const { items } = await listKeys(setup.database, accountId, { offset: 0, limit: KEYS_SHOWN_MAX });
      if (input.values.json === true) input.output.line(JSON.stringify(items.map(shown)));
      else
        for (const key of items) input.output.line(`${key.id}\t${key.prefix}…\t${key.status}\t${key.name}`);
      return EXIT.ok;
    }),
};

export const keyRevoke: Command = {
  name: 'key revoke',
  summary: 'Delete a key; it is refused from the next call on.',
  usage: '--account EMAIL --id ID',
  options: { ...ACCOUNT_OPTION, id: { type: 'string' } },
  help: [
    ACCOUNT_HELP,
    '--id ID          number of the key, see "key list"',
    '--json           print what was done',
  ],
  run: (input) =>
    withStore(input, async (setup) => {
      const keyId = numberOf(requiredOption(input, 'id'), 'id');
      const accountId = await accountOf(setup, input);
      const deleted = await deleteKeys(setup.database, accountId, [keyId]);
      if (deleted === 0) throw new CommandFailed(`the account has no key ${keyId}`);
      await untilInForce(setup, input);
      const json = input.values.json === true;
      input.output.line(json ? JSON.stringify({ id: keyId, revoked: true }) : `key ${keyId} revoked`);
      return EXIT.ok;
    }),
};

async function create(setup: Setup, input: CommandInput): Promise<number> {
  const name = requiredOption(input, 'name');
  if (name.length > NAME_LENGTH_MAX) throw new UsageError(`--name has at most ${NAME_LENGTH_MAX} characters`);
  const policy = stringOption(input, 'policy');
  const accountId = await accountOf(setup, input);
  const result = await createKey(
    setup.database,
    {
      accountId,
      name,
      policyId: policy === undefined ? undefined : numberOf(policy, 'policy'),
      expiresAtMs: expiryOf(stringOption(input, 'expires')),
      status: 'enabled',
    },
    systemRandom,
  );
  if (result.kind !== 'created') throw new CommandFailed(REASONS[result.kind]);
  await untilInForce(setup, input);
  if (input.values.json === true)
    input.output.line(JSON.stringify({ ...shown(result.key), api_key: result.text }));
  else input.output.line(result.text);
  return EXIT.ok;
}

const REASONS = {
  'too-many': 'the account has as many keys as it may have',
  'unknown-account': 'the account does not exist any more',
  'unknown-policy': 'there is no such limit policy',
} as const;

async function accountOf(setup: Setup, input: CommandInput): Promise<number> {
  const email = requiredOption(input, 'account').trim().toLowerCase();
  const login = await findLogin(setup.database, email);
  if (login === undefined) throw new CommandFailed(`there is no account ${email}`);
  return login.accountId;
}

function shown({ id, name, prefix, status, policyId, expiresAtMs, createdAtMs }: ListedKey): object {
  return {
    id,
    name,
    prefix,
    status,
    policy_id: policyId ?? null,
    expires_at: expiresAtMs === undefined ? null : new Date(expiresAtMs).toISOString(),
    created_at: new Date(createdAtMs).toISOString(),
  };
}

function numberOf(text: string, name: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`--${name} is a whole number`);
  return Number(text);
}

function expiryOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)
    ? Date.parse(`${text.replace(' ', 'T')}Z`)
    : Number.NaN;
  if (Number.isNaN(time)) throw new UsageError('--expires is "YYYY-MM-DD hh:mm:ss", UTC');
  return time;
}
