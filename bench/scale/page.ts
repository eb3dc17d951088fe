/** docs/scale.md, from the cost table and what the simulation made of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { curveChart } from '../report/svg.ts';
import { renderTable } from '../report/table.ts';
import { digits, renderCheck } from './check.ts';
import { fitCluster, fitServer } from './fit.ts';
import type { Costs } from './model/costs.ts';
import type { Outcomes } from './model/simulate.ts';
import { renderMonth, renderNetwork, renderProfiles, renderStorage } from './quantities.ts';
import type { Simulated, Sized } from './simulated.ts';
import { BUSY_MAX, bendOf, ceilingsOf, firstSaturated, NETWORK_MS, VENDOR } from './sizing.ts';
import { type CostTable, isDisturbed, type Window } from './table.ts';

const TEMPLATE = join(import.meta.dirname, 'scale-page.txt');
/** Below docs/images. */
export const PLOT = 'scale-latency.svg';

export function renderPage(table: CostTable, simulated: Simulated): string {
  const { server, cluster } = { server: fitServer(table), cluster: fitCluster(table) };
  const ceilings = ceilingsOf(cluster);
  const parts: Readonly<Record<string, string>> = {
    date: table.measuredAt.slice(0, 10),
    machine: table.machine,
    placement: table.placement,
    disturbed: describeDisturbed(table),
    server: renderWindows(table.server),
    cluster: renderWindows(table.cluster),
    rows: renderRows(table),
    settling: describeSettling(table),
    fitted: renderFitted(server, cluster),
    check: renderCheck(simulated.checked),
    checkCluster: renderCheck(simulated.checkedCluster),
    seed: String(simulated.seed),
    vendor: describeVendor(),
    busyMax: percent(BUSY_MAX),
    capacity: grouped(simulated.capacity.ratePerSecond),
    sizes: renderSizes(simulated.sizes),
    profiles: renderProfiles(table),
    curves: simulated.curves.map(({ name, points }) => renderCurve(name, points)).join('\n\n'),
    account: grouped(ceilings.accountPerSecond),
    credential: grouped(ceilings.credentialPerSecond),
    storage: renderStorage(table),
    network: renderNetwork(table),
    month: renderMonth(table, simulated.capacity),
  };
  const text = readFileSync(TEMPLATE, 'utf8').replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const part = parts[name];
    if (part === undefined) throw new Error(`the template asks for "${name}", which nobody makes`);
    return part;
  });
  return `${text.replaceAll(/\n{3,}/g, '\n\n').trimEnd()}\n`;
}

export function renderPlot({ curves }: Simulated): string {
  const axes = {
    title: 'Time added by the gateway over load, p90 (simulated)',
    x: 'calls per second',
    y: 'ms',
  };
  return curveChart(
    axes,
    curves.map(({ points }, index) => ({
      label: index === 0 ? 'one Redis' : 'a cluster of two',
      // Beyond what it carries a queue only grows, and its length says nothing.
      points: points
        .filter((point) => firstSaturated(point) === undefined || point === bendOf(points))
        .map(({ ratePerSecond, addedMs }) => [ratePerSecond, addedMs.p90] as const),
    })),
  );
}

function describeDisturbed(table: CostTable): string {
  if (!isDisturbed(table)) return '';
  const most = Math.max(...[...table.server, ...table.cluster].map(({ othersCores }) => othersCores));
  return (
    `**Other work ran on the machine meanwhile** (up to ${most.toFixed(1)} cores of it). Then processor time ` +
    'is higher than on a quiet machine, and latencies are far higher: run `npm run bench:costs -- --write` ' +
    'again before you rely on the figures.'
  );
}

const WINDOW_HEAD = [
  'traffic',
  'calls/s',
  'node ms',
  'Redis ms',
  'PostgreSQL ms',
  'trips',
  'commands',
  'Redis bytes in / out',
  'batches',
  'WAL bytes',
  'table bytes',
  'p50 / p90 / p99 ms',
];

function renderWindows(windows: readonly Window[]): string {
  const rows = windows.map((each) => [
    each.name,
    digits(each.servedPerSecond),
    digits(each.nodeMs),
    digits(each.redisMs),
    digits(each.postgresMs),
    digits(each.trips),
    digits(each.commands),
    `${digits(each.redisBytesIn)} / ${digits(each.redisBytesOut)}`,
    digits(each.batches),
    digits(each.walBytes),
    digits(each.tableBytes),
    [each.p50Ms, each.p90Ms, each.p99Ms].map(digits).join(' / '),
  ]);
  return renderTable(WINDOW_HEAD, rows);
}

function renderRows({ rows }: CostTable): string {
  const named = Object.entries(rows).filter(([, count]) => count > 0.0005);
  return renderTable(
    ['table', 'rows written for a call'],
    named.map(([name, count]) => [`\`${name}\``, digits(count)]),
  );
}

function describeSettling({ settling }: CostTable): string {
  const { batch, callsPerSecond, nodeMs, postgresMs } = settling;
  return (
    `One connection that settles batches of ${grouped(batch)} calls, one after the other, settles ` +
    `${grouped(Math.round(callsPerSecond))} calls a second (${digits(nodeMs)} ms of a node and ` +
    `${digits(postgresMs)} ms of PostgreSQL for a call). Every node has one such connection.`
  );
}

function renderFitted(server: Costs, cluster: Costs): string {
  const row = (name: string, value: (costs: Costs) => number): readonly string[] => [
    name,
    digits(value(server)),
    digits(value(cluster)),
  ];
  return renderTable(
    ['ms of a processor', 'one Redis', 'cluster'],
    [
      row('node, a call', ({ node }) => node.callMs),
      row('node, a turn of the event loop that asks Redis', ({ node }) => node.turnMs),
      row('node, a trip to Redis', ({ node }) => node.tripMs),
      row('node, an event of a stream', ({ node }) => node.eventMs),
      row('Redis, the operations of a call', ({ redis }) => redis.callMs),
      row('Redis, a trip', ({ redis }) => redis.tripMs),
      row('PostgreSQL, a call', ({ postgres }) => postgres.callMs),
      row('PostgreSQL, a batch', ({ postgres }) => postgres.batchMs),
    ],
  );
}

function describeVendor(): string {
  const { medianMs, spread, failureShare, retriesMax } = VENDOR;
  return (
    `vendors take ${medianMs} ms in the median (log-normal, standard deviation of the logarithm ` +
    `${spread}), ${percent(failureShare)} of the attempts fail and are made again up to ${retriesMax} times, ` +
    `a message between node and Redis takes ${NETWORK_MS} ms`
  );
}

function renderSizes(sizes: readonly Sized[]): string {
  const head = [
    'calls/s',
    'nodes',
    'Redis shards',
    'cores of PostgreSQL',
    'added p50 / p90 / p99 ms',
    'busiest node / shard / PostgreSQL',
    'trips',
    'open calls',
  ];
  const rows = sizes.map(({ sizing, outcomes }) => [
    grouped(sizing.ratePerSecond),
    String(sizing.nodes),
    String(sizing.shards),
    String(sizing.postgresCores),
    timesText(outcomes),
    busyText(outcomes),
    digits(outcomes.tripsPerCall),
    grouped(outcomes.open),
  ]);
  return renderTable(head, rows);
}

function renderCurve(name: string, points: readonly Outcomes[]): string {
  const bend = bendOf(points);
  const full = points.map(firstSaturated).find((part) => part !== undefined);
  const rows = points.map((point) => [
    grouped(point.ratePerSecond),
    grouped(Math.round(point.servedPerSecond)),
    timesText(point),
    busyText(point),
    firstSaturated(point) ?? (point === bend ? 'bends' : ''),
  ]);
  const head = ['calls/s', 'served/s', 'added p50 / p90 / p99 ms', 'node / Redis / PostgreSQL', ''];
  const bends =
    bend === undefined ? 'Latency does not bend' : `Latency bends at ${grouped(bend.ratePerSecond)} calls/s`;
  const fills = full === undefined ? 'nothing is saturated' : `the first to be saturated is ${NAMES[full]}`;
  const words = `${bends}, and ${fills}.`;
  return `**${name[0]?.toUpperCase()}${name.slice(1)}.** ${words}\n\n${renderTable(head, rows)}`;
}

const NAMES = { node: 'the node', redis: 'Redis', postgres: 'PostgreSQL' } as const;

function timesText({ addedMs }: Outcomes): string {
  return [addedMs.p50, addedMs.p90, addedMs.p99].map(digits).join(' / ');
}

function busyText({ busiest }: Outcomes): string {
  return [busiest.node, busiest.redis, busiest.postgres].map(percent).join(' / ');
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

export function grouped(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 0 });
}
