import { REASON_LENGTH_MAX } from '../../bounds.ts';
import { type Command, CommandFailed, stringOption, UsageError } from '../command.ts';
import { ACCOUNT_HELP, ACCOUNT_OPTION, JSON_HELP, listing, TEXT } from '../listing.ts';
import { say } from '../table.ts';
import { atTerminal, type Row } from '../terminal.ts';

export const verificationList = listing({
  name: 'verification list',
  summary: 'List the verifications that accounts submitted, newest first.',
  operation: 'verifications.list',
  of: 'all',
  filters: [['status', 'pending|approved|refused', 'only verifications in this state']],
  columns: {
    ...{ ID: 'id', EMAIL: 'email', KIND: 'kind', STATUS: 'status', NAME: 'name' },
    ...{ DOCUMENT: 'document_number', SUBMITTED: 'created_at' },
  },
});

export const accountVerify: Command = {
  name: 'account verify',
  summary: 'Approve or refuse the verification of an account. An approval grants its Credits once.',
  usage: '--account EMAIL (--approve | --refuse REASON) [--json]',
  options: { ...ACCOUNT_OPTION, approve: { type: 'boolean' }, refuse: TEXT },
  help: [
    ACCOUNT_HELP,
    '--approve        raise the level and grant the free Credits of the kind',
    `--refuse REASON  refuse; the account sees the reason, up to ${REASON_LENGTH_MAX} characters`,
    JSON_HELP,
  ],
  run: (input) => {
    const reason = stringOption(input, 'refuse');
    const approves = input.values.approve === true;
    if (approves === (reason !== undefined)) throw new UsageError('give either --approve or --refuse REASON');
    return atTerminal(input, async (terminal) => {
      const query = { account_id: await terminal.account(), status: 'pending', size: 1 };
      const [pending] = (await terminal.page('verifications.list', { query })).rows as readonly Row[];
      if (pending === undefined) throw new CommandFailed('the account has no pending verification');
      const decided = await terminal.data('verifications.decide', {
        params: { id: pending.id },
        body: { decision: approves ? 'approve' : 'refuse', reason },
        options: { reason: 'refuse' },
      });
      say(input, decided, [`${decided.status}, ${decided.granted} Credits granted`]);
    });
  },
};
