import type { NodeFacts } from '../../alerts/contract.ts';
import { HEARTBEAT_KEPT_HOURS, HEARTBEAT_LIVE_MS } from '../../bounds.ts';
import type { GatewayNode } from '../../catalog/contract.ts';
import { LIST_RATE_MICRO } from '../../catalog/price.ts';
import type { Database } from '../database.ts';

/** A process that serves calls, as in its heartbeat. */
export interface Heartbeat {
  readonly node: string;
  /** Machine and port, because machines may share the name of a node. */
  readonly instance: string;
  /** 0 for a process that serves alone. */
  readonly worker: number;
  readonly startedAtMs: number;
  readonly version: string;
  readonly activeCalls: number;
  /** For alerts. */
  readonly facts?: NodeFacts;
}

/** The clock of the database is used for all nodes. */
export async function writeHeartbeat(database: Database, beat: Heartbeat): Promise<void> {
  await database.query(
    `insert into node_heartbeats (node, instance, worker, started_at, seen_at, version, active_calls, facts)
     values ($1, $2, $3, $4, now(), $5, $6, $7)
     on conflict (node, instance, worker) do update set started_at = excluded.started_at,
       seen_at = excluded.seen_at, version = excluded.version, active_calls = excluded.active_calls,
       facts = excluded.facts`,
    [
      beat.node,
      beat.instance,
      beat.worker,
      new Date(beat.startedAtMs).toISOString(),
      beat.version,
      beat.activeCalls,
      beat.facts === undefined ? null : JSON.stringify(beat.facts),
    ],
  );
}

/** A process that stopped normally has no start until the next one. A killed one becomes silent. */
const ALIVE = "seen_at > now() - $1 * interval '1 millisecond' and started_at < 'infinity'";

/** A process that stops normally is not reported as missing. One silent for days is deleted. */
export async function endHeartbeat(
  database: Database,
  { node, instance, worker }: Pick<Heartbeat, 'node' | 'instance' | 'worker'>,
): Promise<void> {
  await database.query(
    `update node_heartbeats set seen_at = now(), started_at = 'infinity', active_calls = 0
     where node = $1 and instance = $2 and worker = $3`,
    [node, instance, worker],
  );
  await database.query("delete from node_heartbeats where seen_at < now() - $1 * interval '1 hour'", [
    HEARTBEAT_KEPT_HOURS,
  ]);
}

/** Whether any process has a recent heartbeat. */
export async function hasLiveServer(database: Database): Promise<boolean> {
  const alive = await database.query(`select 1 from node_heartbeats where ${ALIVE} limit 1`, [
    HEARTBEAT_LIVE_MS,
  ]);
  return alive.length > 0;
}

/** A node of the catalogue and its state. */
export interface LiveNode extends GatewayNode {
  /** A process with this name had a heartbeat within the last seconds. */
  readonly alive: boolean;
  /** Processes with this name that are alive, on all machines. */
  readonly workers: number;
  readonly activeCalls: number;
  /** Undefined: never, or long ago. */
  readonly lastSeenAtMs: number | undefined;
}

interface LiveRow {
  readonly name: string;
  readonly base_url: string;
  readonly region: string;
  readonly rate_micro: bigint;
  readonly workers: number;
  readonly active_calls: number;
  readonly seen_at: Date | null;
}

/** All nodes of the catalogue, and live ones without a row there, at list price. By name. */
export async function loadLiveNodes(database: Database): Promise<readonly LiveNode[]> {
  const rows = await database.query<LiveRow>(
    `select coalesce(nodes.name, beat.node) as name, coalesce(nodes.base_url, '') as base_url,
       coalesce(nodes.region, 'default') as region, coalesce(nodes.rate_micro, ${LIST_RATE_MICRO}) as rate_micro,
       max(beat.seen_at) as seen_at, count(*) filter (where beat.alive)::int as workers,
       coalesce(sum(beat.active_calls) filter (where beat.alive), 0)::int as active_calls
     from nodes full join (
       select node, seen_at, active_calls, ${ALIVE} as alive
       from node_heartbeats) as beat on beat.node = nodes.name
     where nodes.name is not null or beat.alive
     group by nodes.name, beat.node order by 1`,
    [HEARTBEAT_LIVE_MS],
  );
  return rows.map((row) => ({
    name: row.name,
    baseUrl: row.base_url,
    region: row.region,
    rateMicro: row.rate_micro,
    alive: row.workers > 0,
    workers: row.workers,
    activeCalls: row.active_calls,
    lastSeenAtMs: row.seen_at?.getTime(),
  }));
}
