import { HEARTBEAT_KEPT_HOURS } from '../../bounds.ts';
import { createIsoFormat, createTimeFormat } from '../../kernel/time/calendar.ts';
import { type LiveNode, loadLiveNodes } from '../../store/operations/heartbeats.ts';
import { type Command, EXIT } from '../command.ts';
import { say, table } from '../table.ts';
import { withStore } from '../workspace.ts';

export const nodes: Command = {
  name: 'nodes',
  summary: 'List the nodes of the catalogue and whether they are alive.',
  usage: '[--json]',
  options: { json: { type: 'boolean' } },
  help: ['--json          print the nodes as JSON'],
  run: (input) =>
    withStore(input, async ({ database, config }) => {
      const live = await loadLiveNodes(database);
      const iso = createIsoFormat(config.timeZone);
      const time = createTimeFormat(config.timeZone);
      const json = { nodes: live.map((node) => ({ ...shown(node), last_seen_at: seen(node, iso) ?? null })) };
      const rows = live.map((node) => [
        ...[node.name, node.baseUrl, node.alive ? 'alive' : 'not alive'],
        ...[String(node.workers), String(node.activeCalls), seen(node, time) ?? LONG_AGO],
      ]);
      const headings = ['NAME', 'ADDRESS', 'STATE', 'PROCESSES', 'CALLS', 'LAST SEEN'];
      say(input, json, live.length === 0 ? ['the catalogue has no nodes'] : table(headings, rows));
      return EXIT.ok;
    }),
};

/** Older heartbeats are deleted. */
const LONG_AGO = `not within ${HEARTBEAT_KEPT_HOURS / 24} days`;

function shown({ name, baseUrl, region, alive, workers, activeCalls }: LiveNode) {
  return { name, base_url: baseUrl, region, alive, workers, active_calls: activeCalls };
}

function seen({ lastSeenAtMs }: LiveNode, show: (timeMs: number) => string): string | undefined {
  return lastSeenAtMs === undefined ? undefined : show(lastSeenAtMs);
}
