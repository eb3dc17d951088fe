import { systemRandom } from '../../kernel/random.ts';
import { createIsoFormat, createTimeFormat, createTimeParser } from '../../kernel/time/calendar.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import type { ShowTime } from '../../operations/logs/log-items.ts';
import type { Setup } from '../../setup.ts';
import { type ListedKey, listKeys } from '../../store/accounts/api-keys.ts';
import { createKeyAudited, revokeKeyAudited } from '../../store/operations/operator-holdings.ts';
import { ACCOUNT_HELP, ACCOUNT_OPTION, JSON_HELP, requireAccount } from '../account/account-option.ts';
import { type Command, CommandFailed, type CommandInput, EXIT, UsageError } from '../command.ts';
import { auditContext, terminal } from '../operator-context.ts';
import { pageLine, say, table } from '../table.ts';
import {
  optionalValue,
  PAGE_HELP,
  PAGE_OPTIONS,
  parseName,
  readPage,
  requiredValue,
  wholeNumber,
} from '../values.ts';
import { withStore } from '../workspace.ts';

export const keyCreate: Command = {
  name: 'key create',
  summary: 'Create an API key. It is printed once and not stored.',
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
    '--expires TIME   "YYYY-MM-DD hh:mm:ss" in the zone of TOLLGATE_TIMEZONE; default never',
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
    const page = readPage(input);
    return withStore(input, async (setup) => {
      const accountId = await requireAccount(setup, input);
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
      const iso = createIsoFormat(setup.config.timeZone);
      say(
        input,
        items.map((each) => shown(each, iso)),
        [
          ...table(['ID', 'KEY', 'STATUS', 'POLICY', 'EXPIRES', 'NAME'], rows),
          ...pageLine(items.length, page.offset, total),
        ],
      );
      return EXIT.ok;
    });
  },
};

export const keyRevoke: Command = {
  name: 'key revoke',
  summary: 'Delete a key. It is refused from the next call on.',
  usage: '--account EMAIL --id ID [--json]',
  options: { ...ACCOUNT_OPTION, id: { type: 'string' } },
  help: [ACCOUNT_HELP, '--id ID          number of the key, see "key list"', JSON_HELP],
  run: (input) =>
    withStore(input, async (setup) => {
      const keyId = requiredValue(input, 'id', wholeNumber);
      const accountId = await requireAccount(setup, input);
      const done = await revokeKeyAudited(
        auditContext(setup, input),
        { accountId, keyId },
        terminal('key revoke'),
      );
      if (done.kind === 'not-found') throw new CommandFailed(`the account has no key ${keyId}`);
      say(input, { id: keyId, revoked: true }, [`key ${keyId} revoked`]);
      return EXIT.ok;
    }),
};

async function create(setup: Setup, input: CommandInput): Promise<number> {
  const name = requiredValue(input, 'name', parseName);
  const policyId = optionalValue(input, 'policy', wholeNumber);
  const accountId = await requireAccount(setup, input);
  const { timeZone } = setup.config;
  const expiresAtMs = optionalValue(input, 'expires', (text) => expiryOf(text, timeZone));
  const wanted = { accountId, name, policyId, expiresAtMs, status: 'enabled' } as const;
  const result = await createKeyAudited(auditContext(setup, input), wanted, {
    random: systemRandom,
    actor: terminal('key create'),
  });
  if (result.kind !== 'created') throw new CommandFailed(REASONS[result.kind]);
  const json = shown(result.key, createIsoFormat(timeZone));
  say(input, { ...json, api_key: result.text }, [result.text]);
  return EXIT.ok;
}

const REASONS = {
  'too-many': 'the account already has the maximum number of keys',
  'unknown-account': 'the account no longer exists',
  'unknown-policy': 'there is no such limit policy',
} as const;

function shown(key: ListedKey, time: ShowTime): object {
  const { id, name, prefix, status, policyId, expiresAtMs, createdAtMs } = key;
  return {
    id,
    name,
    prefix,
    status,
    policy_id: policyId ?? null,
    expires_at: expiresAtMs === undefined ? null : time(expiresAtMs),
    created_at: time(createdAtMs),
  };
}

function expiryOf(text: string, timeZone: string): number {
  const timeMs = createTimeParser(timeZone)(text);
  if (timeMs === undefined) {
    throw new UsageError(`--expires must be "YYYY-MM-DD hh:mm:ss", a time that exists in ${timeZone}`);
  }
  if (timeMs <= systemClock.now()) throw new UsageError('--expires is in the past');
  return timeMs;
}
