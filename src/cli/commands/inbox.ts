import { type Command, requiredOption, UsageError } from '../command.ts';
import { JSON_HELP, JSON_OPTION, listing, TEXT } from '../listing.ts';
import { say } from '../table.ts';
import { atTerminal } from '../terminal.ts';

export const feedbackList = listing({
  name: 'feedback list',
  summary: 'List feedback, newest first.',
  operation: 'feedback.list',
  of: 'all',
  filters: [['status', 'open|done', 'only feedback in this state']],
  columns: {
    ...{ ID: 'id', SENT: 'created_at', STATUS: 'status' },
    FROM: ({ email, contact }) => email ?? contact ?? '-',
    TEXT: 'content',
  },
});

export const feedbackDone: Command = {
  name: 'feedback done',
  summary: 'Mark feedback as done, with or without an answer.',
  usage: '--id ID [--answer TEXT] [--json]',
  options: { id: TEXT, answer: TEXT, ...JSON_OPTION },
  help: [
    '--id ID          see "feedback list"',
    '--answer TEXT    its author reads it, if it was sent with a login',
    JSON_HELP,
  ],
  run: (input) => {
    const id = requiredOption(input, 'id');
    return atTerminal(input, async (terminal) => {
      const { answer } = input.values;
      const body = { status: 'done', ...(answer !== undefined && { answer }) };
      const asked = { params: { id }, body, absent: `there is no feedback ${id}` };
      say(input, await terminal.data('feedback.update', asked), [`feedback ${id} is done`]);
    });
  },
};

export const auditList = listing({
  name: 'audit list',
  summary: 'List the audit log: the changes by operators, newest first.',
  operation: 'audit.list',
  of: 'all',
  filters: [
    ['entity', 'NAME', 'kind of entity, e.g. vendors, accounts, funds'],
    ['key', 'KEY', 'key of the entity: code, name, model_id or id'],
    ['action', 'NAME', 'action, e.g. vendors.update'],
  ],
  columns: {
    ...{ ID: 'id', AT: 'at' },
    WHO: ({ actor_email: email }) => email ?? 'terminal',
    ...{ FROM: 'address', ACTION: 'action', KEY: 'key' },
    AFTER: ({ after }) => JSON.stringify(after),
  },
});

export const registration: Command = {
  name: 'registration',
  summary: 'Show or set whether people may register accounts.',
  usage: '[open|closed|default] [--json]',
  words: 1,
  options: JSON_OPTION,
  help: [
    'open|closed      set it from now on',
    'default          use TOLLGATE_REGISTRATION again',
    JSON_HELP,
  ],
  run: (input) => {
    const [wanted] = input.positionals;
    if (wanted !== undefined && !['open', 'closed', 'default'].includes(wanted)) {
      throw new UsageError('the value must be open, closed or default');
    }
    return atTerminal(input, async (terminal) => {
      const body = { registration: wanted === 'default' ? null : wanted };
      const held = await (wanted === undefined
        ? terminal.data('registration.get')
        : terminal.data('registration.update', { body }));
      const configured = `${terminal.config.registration} (by the configuration)`;
      say(input, held, [String(held.registration ?? configured)]);
    });
  },
};
