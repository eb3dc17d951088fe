import { createTimeParser } from '../../kernel/time/calendar.ts';
import type { Setup } from '../../setup.ts';
import type { KeyPatch } from '../../store/accounts/api-keys.ts';
import { changeKeyAudited } from '../../store/operations/operator-access.ts';
import { ACCOUNT_HELP, ACCOUNT_OPTION, JSON_HELP, requireAccount } from '../account/account-option.ts';
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
import { choiceOf, optionalValue, parseName, requiredValue, wholeNumber } from '../values.ts';
import { withStore } from '../workspace.ts';

const TEXT = { type: 'string' } as const;

export const keySet: Command = {
  name: 'key set',
  summary: 'Change a key of an account, effective from the next call.',
  usage:
    '--account EMAIL --id ID [--name NAME] [--status S] [--policy ID|none] [--expires TIME|never] [--json]',
  options: { ...ACCOUNT_OPTION, id: TEXT, name: TEXT, status: TEXT, policy: TEXT, expires: TEXT },
  help: [
    ACCOUNT_HELP,
    '--id ID          number of the key, see "key list"',
    '--name NAME      new name',
    '--status S       enabled or disabled',
    '--policy ID      limit policy of the key; none removes it',
    '--expires TIME   "YYYY-MM-DD hh:mm:ss" in the configured time zone, or never',
    JSON_HELP,
  ],
  run: (input) => {
    const keyId = requiredValue(input, 'id', wholeNumber);
    return withStore(input, async (setup) => {
      const patch = patchOf(setup, input);
      const place = { accountId: await requireAccount(setup, input), keyId };
      const done = await changeKeyAudited(auditContext(setup, input), place, patch, terminal('key set'));
      if (done.kind === 'not-found') throw new CommandFailed(`the account has no key ${keyId}`);
      if (done.kind === 'unknown-policy') throw new CommandFailed('there is no such limit policy');
      say(input, { id: keyId, changed: true }, [`key ${keyId} changed`]);
      return EXIT.ok;
    });
  },
};

function patchOf({ config }: Setup, input: CommandInput): KeyPatch {
  const name = optionalValue(input, 'name', parseName);
  const status = optionalValue(input, 'status', (text, option) =>
    choiceOf(text, option, ['enabled', 'disabled']),
  );
  const policy = stringOption(input, 'policy');
  const expires = stringOption(input, 'expires');
  const patch = {
    ...(name !== undefined && { name }),
    ...(status !== undefined && { status }),
    ...(policy !== undefined && { policyId: policy === 'none' ? null : wholeNumber(policy, 'policy') }),
    ...(expires !== undefined && {
      expiresAtMs: expires === 'never' ? null : timeOf(expires, config.timeZone),
    }),
  };
  if (Object.keys(patch).length === 0) throw new UsageError('nothing to change: name at least one option');
  return patch;
}

function timeOf(text: string, timeZone: string): number {
  const timeMs = createTimeParser(timeZone)(text);
  if (timeMs !== undefined) return timeMs;
  throw new UsageError(`--expires must be "YYYY-MM-DD hh:mm:ss" in the time zone ${timeZone}, or never`);
}
