import { createTimeFormat } from '../kernel/calendar.ts';
import { systemRandom } from '../kernel/random.ts';
import type { Setup } from '../setup.ts';
import { type ListedKey, listKeys } from '../store/api-keys.ts';
import { createKeyAudited, revokeKeyAudited } from '../store/operator-holdings.ts';
import { ACCOUNT_HELP, ACCOUNT_OPTION, accountOf, JSON_HELP } from './account-option.ts';
import { type Command, CommandFailed, type CommandInput, EXIT, stringOption, UsageError } from './command.ts';
import { deskOf, terminal } from './desk.ts';
import { pageLine, say, table } from './table.ts';
import {
  nameOf,
  optionalValue,
  PAGE_HELP,
  PAGE_OPTIONS,
  pageOf,
  requiredValue,
  wholeNumber,
} from './values.ts';
import { withStore } from './workspace.ts';

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
    JSON_HELP,
  ],
  run: (input) => withStore(input, (setup) => create(setup, input)),
};

export const keyList: Command = {
  name: 'key list',
  summary: 'List the keys of an account, newest first.',
  usage: '--account EMAIL [--page N] [--size N] [--json]',
  options: { ...ACCOUNT_OPTION, ...PAGE_OPTIONS },
  help: [ACCOUNT_HELP, ...PAGE_HELP, JSON_HELP],
  run: async (input) => {
    const page = pageOf(input);
    return withStore(input, async (setup) => {
      const accountId = await accountOf(setup, input);
      const { items, total } = await listKeys(setup.database, accountId, page);
      const time = createTimeFormat(setup.config.timeZone);
      const rows = items.map((key) => [
        String(key.id),
        `${key.prefix}…`,
        key.status,
        String(key.policyId ?? ''),
        key.expiresAtMs === undefined ? 'never' : time(key.expiresAtMs),
        key.name,
      ]);
      say(input, items.map(shown), [
        ...table(['ID', 'KEY', 'STATUS', 'POLICY', 'EXPIRES', 'NAME'], rows),
        ...pageLine(items.length, page.offset, total),
      ]);
      return EXIT.ok;
    });
  },
};

export const keyRevoke: Command = {
  name: 'key revoke',
  summary: 'Delete a key; it is refused from the next call on.',
  usage: '--account EMAIL --id ID [--json]',
  options: { ...ACCOUNT_OPTION, id: { type: 'string' } },
  help: [ACCOUNT_HELP, '--id ID          number of the key, see "key list"', JSON_HELP],
  run: (input) =>
    withStore(input, async (setup) => {
      const keyId = requiredValue(input, 'id', wholeNumber);
      const accountId = await accountOf(setup, input);
      const done = await revokeKeyAudited(deskOf(setup, input), { accountId, keyId }, terminal('key revoke'));
      if (done.kind === 'not-found') throw new CommandFailed(`the account has no key ${keyId}`);
      say(input, { id: keyId, revoked: true }, [`key ${keyId} revoked`]);
      return EXIT.ok;
    }),
};

async function create(setup: Setup, input: CommandInput): Promise<number> {
  const name = requiredValue(input, 'name', nameOf);
  const policyId = optionalValue(input, 'policy', wholeNumber);
  const accountId = await accountOf(setup, input);
  const expiresAtMs = expiryOf(stringOption(input, 'expires'));
  const wanted = { accountId, name, policyId, expiresAtMs, status: 'enabled' } as const;
  const result = await createKeyAudited(deskOf(setup, input), wanted, {
    random: systemRandom,
    actor: terminal('key create'),
  });
  if (result.kind !== 'created') throw new CommandFailed(REASONS[result.kind]);
  say(input, { ...shown(result.key), api_key: result.text }, [result.text]);
  return EXIT.ok;
}

const REASONS = {
  'too-many': 'the account has as many keys as it may have',
  'unknown-account': 'the account does not exist any more',
  'unknown-policy': 'there is no such limit policy',
} as const;

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

function expiryOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)
    ? Date.parse(`${text.replace(' ', 'T')}Z`)
    : Number.NaN;
  if (Number.isNaN(time)) throw new UsageError('--expires is "YYYY-MM-DD hh:mm:ss", UTC');
  return time;
}
