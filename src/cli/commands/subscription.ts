import { type Command, requiredOption } from '../command.ts';
import { ACCOUNT_HELP, ACCOUNT_OPTION, given, JSON_HELP, listing, numeric, TEXT } from '../listing.ts';
import { say } from '../table.ts';
import { atTerminal } from '../terminal.ts';

export const subscriptionGrant: Command = {
  name: 'subscription grant',
  summary: 'Grant an account a subscription, from now on or after its current one.',
  usage: '--account EMAIL --plan CODE [--days N] [--after-current] [--json]',
  options: { ...ACCOUNT_OPTION, plan: TEXT, days: TEXT, 'after-current': { type: 'boolean' } },
  help: [
    ACCOUNT_HELP,
    '--plan CODE      plan of the catalogue',
    '--days N         duration; default the period of the plan',
    '--after-current  begin when the last current or future subscription ends',
    JSON_HELP,
  ],
  run: (input) =>
    atTerminal(input, async (terminal) => {
      const accountId = await terminal.account();
      const { plan, days } = given(input, ['plan', 'days']);
      const start = input.values['after-current'] === true ? 'after-current' : 'now';
      const body = { plan, days: numeric(days), start };
      const made = await terminal.data('accounts.grantSubscription', { accountId, body });
      say(input, made, [`subscription ${made.id} to ${made.plan}, ${made.starts_at} to ${made.ends_at}`]);
    }),
};

export const subscriptionList = listing({
  name: 'subscription list',
  summary: 'List the subscriptions of an account, the latest end first.',
  operation: 'subscriptions.page',
  of: 'account',
  columns: { ID: 'id', PLAN: 'plan', STATUS: 'status', STARTS: 'starts_at', ENDS: 'ends_at' },
});

export const subscriptionCancel: Command = {
  name: 'subscription cancel',
  summary: 'Cancel a current or future subscription, effective from the next call.',
  usage: '--account EMAIL --id ID [--json]',
  options: { ...ACCOUNT_OPTION, id: TEXT },
  help: [ACCOUNT_HELP, '--id ID          number of the subscription, see "subscription list"', JSON_HELP],
  run: (input) => {
    const id = requiredOption(input, 'id');
    return atTerminal(input, async (terminal) => {
      const done = await terminal.data('accounts.cancelSubscription', {
        accountId: await terminal.account(),
        params: { subscription_id: id },
        options: { subscription_id: 'id' },
        absent: `the account has no subscription ${id} that is current or in the future`,
      });
      say(input, done, [`subscription ${id} cancelled`]);
    });
  },
};
