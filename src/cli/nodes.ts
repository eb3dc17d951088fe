import { type LiveNode, loadLiveNodes } from '../store/heartbeats.ts';
import { type Command, type CommandInput, EXIT } from './command.ts';
import { withStore } from './workspace.ts';

export const nodes: Command = {
  name: 'nodes',
  summary: 'List the nodes of the catalogue and which of them are alive.',
  usage: '[--json]',
  options: { json: { type: 'boolean' } },
  help: ['--json          print the nodes as JSON'],
  run: (input) =>
    withStore(input, async ({ database }) => {
      print(await loadLiveNodes(database), input);
      return EXIT.ok;
    }),
};

function print(live: readonly LiveNode[], { values, output }: CommandInput): void {
  if (values.json === true) {
    output.line(JSON.stringify({ nodes: live.map(shown) }));
    return;
  }
  if (live.length === 0) output.line('the catalogue names no nodes');
  for (const node of live) output.line(describe(node));
}

function shown(node: LiveNode) {
  const { name, region, alive, workers } = node;
  const lastSeenAt = seenAt(node) ?? null;
  return {
    name,
    base_url: node.baseUrl,
    region,
    alive,
    workers,
    active_calls: node.activeCalls,
    last_seen_at: lastSeenAt,
  };
}

function describe(node: LiveNode): string {
  const processes = node.workers === 1 ? '1 process' : `${node.workers} processes`;
  const calls = node.activeCalls === 1 ? '1 call' : `${node.activeCalls} calls`;
  const state = node.alive ? `alive, ${processes}, ${calls}` : 'not alive';
  // A process that ended in order takes its trace along.
  const seen = seenAt(node);
  return `${node.name}  ${node.baseUrl}  ${state}${seen === undefined ? '' : `, last seen ${seen}`}`;
}

function seenAt({ lastSeenAtMs }: LiveNode): string | undefined {
  return lastSeenAtMs === undefined ? undefined : new Date(lastSeenAtMs).toISOString();
}
