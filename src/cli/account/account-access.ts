import type { Command } from '../command.ts';
import { ACCOUNT_HELP, ACCOUNT_OPTION, JSON_HELP, rowsTable } from '../listing.ts';
import { say } from '../table.ts';
import { atTerminal, type Row } from '../terminal.ts';

const OF_ACCOUNT = {
  usage: '--account EMAIL [--json]',
  options: ACCOUNT_OPTION,
  help: [ACCOUNT_HELP, JSON_HELP],
};

export const accountPassword: Command = {
  ...OF_ACCOUNT,
  name: 'account reset-password',
  summary: 'Set a temporary password and print it once. All logins of the account end.',
  run: (input) =>
    atTerminal(input, async (terminal) => {
      const accountId = await terminal.account();
      const made = await terminal.data('accounts.resetPassword', { accountId });
      say(input, made, [String(made.password)]);
    }),
};

export const accountSessions: Command = {
  ...OF_ACCOUNT,
  name: 'account sessions',
  summary: 'List the logins of an account, the most recently used first.',
  run: (input) =>
    atTerminal(input, async (terminal) => {
      const accountId = await terminal.account();
      const found = await terminal.data<readonly Row[]>('accounts.listSessions', { accountId });
      const columns = {
        ...{ KIND: 'kind', ADDRESS: 'address', SINCE: 'created_at' },
        ...{ 'LAST SEEN': 'last_seen_at', PROGRAM: 'user_agent' },
      };
      say(input, found, rowsTable(columns, found));
    }),
};

export const accountLogout: Command = {
  ...OF_ACCOUNT,
  name: 'account logout',
  summary: 'End all logins of an account. Its tokens are invalid at once.',
  run: (input) =>
    atTerminal(input, async (terminal) => {
      const accountId = await terminal.account();
      const done = await terminal.data('accounts.endSessions', { accountId });
      say(input, done, [`${done.ended} logins ended`]);
    }),
};
