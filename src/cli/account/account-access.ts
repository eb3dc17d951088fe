import { hashPassword } from '../../accounts/password.ts';
import { systemRandom } from '../../kernel/random.ts';
import { createIsoFormat, createTimeFormat } from '../../kernel/time/calendar.ts';
import { systemClock } from '../../kernel/time/clock.ts';
import { newPassword } from '../../operations/accounts/access.ts';
import { createSessionStore } from '../../store/accounts/sessions.ts';
import { resetPasswordAudited } from '../../store/operations/operator-access.ts';
import { type Command, CommandFailed, EXIT } from '../command.ts';
import { auditContext, terminal } from '../operator-context.ts';
import { say, table } from '../table.ts';
import { withStore } from '../workspace.ts';
import { ACCOUNT_HELP, ACCOUNT_OPTION, JSON_HELP, requireAccount } from './account-option.ts';

export const accountPassword: Command = {
  name: 'account reset-password',
  summary: 'Set a temporary password and print it once. All logins of the account end.',
  usage: '--account EMAIL [--json]',
  options: ACCOUNT_OPTION,
  help: [ACCOUNT_HELP, JSON_HELP],
  run: (input) =>
    withStore(input, async (setup) => {
      const accountId = await requireAccount(setup, input);
      const password = newPassword({ random: systemRandom });
      const passwordHash = await hashPassword(password, systemRandom);
      const actor = terminal('account reset-password');
      const done = await resetPasswordAudited(auditContext(setup, input), accountId, passwordHash, actor);
      if (done.kind === 'not-found') throw new CommandFailed('the account no longer exists');
      say(input, { id: accountId, password, ended_sessions: done.sessions }, [password]);
      return EXIT.ok;
    }),
};

export const accountSessions: Command = {
  name: 'account sessions',
  summary: 'List the logins of an account, the most recently used first.',
  usage: '--account EMAIL [--json]',
  options: ACCOUNT_OPTION,
  help: [ACCOUNT_HELP, JSON_HELP],
  run: (input) =>
    withStore(input, async (setup) => {
      const accountId = await requireAccount(setup, input);
      const found = await createSessionStore(setup.database).listSessions(accountId, systemClock.now());
      const iso = createIsoFormat(setup.config.timeZone);
      const time = createTimeFormat(setup.config.timeZone);
      const rows = found.map(({ kind, address, userAgent, createdAtMs, usedAtMs }) => [
        ...[kind, address, time(createdAtMs), time(usedAtMs), userAgent],
      ]);
      say(
        input,
        found.map(({ kind, address, userAgent, createdAtMs, usedAtMs }) => ({
          ...{ kind, address, user_agent: userAgent },
          created_at: iso(createdAtMs),
          last_seen_at: iso(usedAtMs),
        })),
        table(['KIND', 'ADDRESS', 'SINCE', 'LAST SEEN', 'PROGRAM'], rows),
      );
      return EXIT.ok;
    }),
};
