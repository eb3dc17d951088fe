import { HEARTBEAT_KEPT_HOURS } from '../../bounds.ts';
import type { Command } from '../command.ts';
import { JSON_HELP, JSON_OPTION, rowsTable } from '../listing.ts';
import { say } from '../table.ts';
import { atTerminal, type Row } from '../terminal.ts';

/** Older heartbeats are deleted. */
const LONG_AGO = `not within ${HEARTBEAT_KEPT_HOURS / 24} days`;

export const nodes: Command = {
  name: 'nodes',
  summary: 'List the nodes of the catalogue and whether they are alive.',
  usage: '[--json]',
  options: JSON_OPTION,
  help: [JSON_HELP],
  run: (input) =>
    atTerminal(input, async (terminal) => {
      const found = await terminal.data<{ nodes: readonly Row[] }>('overview.nodes');
      const columns = {
        ...{ NAME: 'name', ADDRESS: 'base_url' },
        STATE: ({ alive }: Row) => (alive === true ? 'alive' : 'not alive'),
        ...{ PROCESSES: 'processes', CALLS: 'active_calls' },
        'LAST SEEN': ({ last_seen_at: at }: Row) => at ?? LONG_AGO,
      };
      const none = ['the catalogue has no nodes'];
      say(input, found, found.nodes.length === 0 ? none : rowsTable(columns, found.nodes));
    }),
};
