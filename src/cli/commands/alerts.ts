import { type Command, requiredOption, stringOption, UsageError } from '../command.ts';
import { type Columns, given, JSON_HELP, JSON_OPTION, listing, rowsTable, TEXT } from '../listing.ts';
import { say } from '../table.ts';
import { atTerminal, type Row } from '../terminal.ts';

const ID_HELP = '--id ID          number of the channel, see "alerts channels"';
const ALERTS_HELP =
  '--alerts LIST    by commas: route-down, credential-refused, settling-lags, disk-nearly-full, doctor-finding';
const LANGUAGE_HELP = '--language LANG  en or zh, of what is sent; default en';
const ABSENT = 'there is no such channel';

export const alertChannels: Command = {
  name: 'alerts channels',
  summary: 'List where alerts about the platform go.',
  usage: '[--json]',
  options: JSON_OPTION,
  help: [JSON_HELP],
  run: (input) =>
    atTerminal(input, async (terminal) => {
      const rows = await terminal.data<readonly Row[]>('platformAlerts.channels');
      const columns: Columns = {
        ...{ ID: 'id', KIND: 'kind', STATUS: 'status', LANGUAGE: 'language', NAME: 'name' },
        ...{ ADDRESS: 'address', ALERTS: ({ alerts }) => (alerts as readonly string[]).join(',') },
      };
      say(input, rows, rowsTable(columns, rows));
    }),
};

export const alertAdd: Command = {
  name: 'alerts add',
  summary: 'Send alerts about the platform to an e-mail address or a webhook.',
  usage: '--kind email|webhook --name NAME --address ADDRESS --alerts LIST [--language en|zh] [--json]',
  options: { kind: TEXT, name: TEXT, address: TEXT, alerts: TEXT, language: TEXT, ...JSON_OPTION },
  help: [
    '--kind KIND      email or webhook',
    '--name NAME      up to 100 characters',
    '--address TEXT   an e-mail address, or the https address of a webhook',
    ALERTS_HELP,
    LANGUAGE_HELP,
    JSON_HELP,
  ],
  notes: ['The secret that a webhook is signed with is printed once.'],
  run: (input) => {
    const [kind, name] = [requiredOption(input, 'kind'), requiredOption(input, 'name')];
    const [address, alerts] = [requiredOption(input, 'address'), toList(requiredOption(input, 'alerts'))];
    const body = { kind, name, address, alerts, ...given(input, ['language']) };
    return atTerminal(input, async (terminal) => {
      const made = await terminal.data('platformAlerts.createChannel', { body });
      const lines = [`channel ${made.id} (${name}) added`];
      if (made.secret !== null) lines.push(`secret  ${made.secret}`);
      say(input, made, lines);
    });
  },
};

export const alertSet: Command = {
  name: 'alerts set',
  summary: 'Change a channel of alerts about the platform.',
  usage: '--id ID [--name NAME] [--address ADDRESS] [--alerts LIST] [--language en|zh] [--status S] [--json]',
  options: {
    ...{ id: TEXT, name: TEXT, address: TEXT, alerts: TEXT, language: TEXT, status: TEXT },
    ...JSON_OPTION,
  },
  help: [
    ID_HELP,
    '--name NAME      new name',
    '--address TEXT   new address',
    ALERTS_HELP,
    LANGUAGE_HELP,
    '--status S       enabled or disabled',
    JSON_HELP,
  ],
  run: (input) => {
    const id = requiredOption(input, 'id');
    const alerts = stringOption(input, 'alerts');
    const body = {
      ...given(input, ['name', 'address', 'language', 'status']),
      ...(alerts !== undefined && { alerts: toList(alerts) }),
    };
    if (Object.values(body).every((value) => value === undefined)) {
      throw new UsageError('nothing to change: name at least one option');
    }
    return atTerminal(input, async (terminal) => {
      const asked = { params: { id }, body, absent: ABSENT };
      say(input, await terminal.data('platformAlerts.updateChannel', asked), [`channel ${id} changed`]);
    });
  },
};

export const alertRemove: Command = {
  name: 'alerts remove',
  summary: 'Delete a channel of alerts about the platform.',
  usage: '--id ID [--json]',
  options: { id: TEXT, ...JSON_OPTION },
  help: [ID_HELP, JSON_HELP],
  run: (input) => {
    const id = requiredOption(input, 'id');
    return atTerminal(input, async (terminal) => {
      const asked = { params: { id }, absent: ABSENT };
      say(input, await terminal.data('platformAlerts.deleteChannel', asked), [`channel ${id} removed`]);
    });
  },
};

export const alertTest: Command = {
  name: 'alerts test',
  summary: 'Send a test to a channel. A running server sends it.',
  usage: '--id ID [--json]',
  options: { id: TEXT, ...JSON_OPTION },
  help: [ID_HELP, JSON_HELP],
  run: (input) => {
    const id = requiredOption(input, 'id');
    return atTerminal(input, async (terminal) => {
      const made = await terminal.data('platformAlerts.testChannel', { params: { id }, absent: ABSENT });
      say(input, made, [`test queued as delivery ${made.delivery_id}; see "alerts deliveries"`]);
    });
  },
};

export const alertStates: Command = {
  name: 'alerts states',
  summary: 'List what is wrong with the platform now.',
  usage: '[--json]',
  options: JSON_OPTION,
  help: [JSON_HELP],
  run: (input) =>
    atTerminal(input, async (terminal) => {
      const rows = await terminal.data<readonly Row[]>('platformAlerts.states');
      say(input, rows, rowsTable({ SINCE: 'since', KIND: 'kind', KEY: 'key', DETAILS: 'details' }, rows));
    }),
};

export const alertDeliveries = listing({
  name: 'alerts deliveries',
  summary: 'List messages to operators and accounts, newest first.',
  operation: 'platformAlerts.deliveries',
  of: 'all',
  filters: [['status', 'waiting|sent|dead', 'only messages in this state; dead ones could not be sent']],
  columns: {
    ...{ ID: 'id', CREATED: 'created_at', STATUS: 'status', TRIES: 'attempts', KIND: 'kind' },
    ...{ STATE: 'state', CHANNEL: 'channel', ACCOUNT: 'account_id', ERROR: 'last_error' },
  },
});

export const alertResend: Command = {
  name: 'alerts resend',
  summary: 'Send a message again that could not be sent.',
  usage: '--id ID [--json]',
  options: { id: TEXT, ...JSON_OPTION },
  help: ['--id ID          number of the message, see "alerts deliveries"', JSON_HELP],
  run: (input) => {
    const id = requiredOption(input, 'id');
    return atTerminal(input, async (terminal) => {
      const asked = { params: { id }, absent: 'there is no such message that could not be sent' };
      say(input, await terminal.data('platformAlerts.resend', asked), [`message ${id} is sent again`]);
    });
  },
};

function toList(text: string): readonly string[] {
  return text.split(',').map((each) => each.trim());
}
