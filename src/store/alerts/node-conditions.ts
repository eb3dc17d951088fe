import type { Condition, ConditionSource, NodeFacts } from '../../alerts/contract.ts';
import {
  CREDENTIAL_TRUSTED_MS,
  DISK_FREE_MIN,
  LAG_CALLS,
  LAG_MS,
  ROUTE_DOWN_MS,
  STANDSTILL_MS,
} from '../../alerts/thresholds.ts';
import { HEARTBEAT_LIVE_MS } from '../../bounds.ts';
import type { Finding } from '../../ledger/doctor.ts';
import { type Database, idNumber } from '../database.ts';

const KINDS = ['route-down', 'credential-refused', 'settling-lags', 'disk-nearly-full'];

/** Conditions of the platform, from what every process last wrote with its heartbeat. */
export function createNodeSource(database: Database): ConditionSource {
  return { kinds: KINDS, find: () => findNodeConditions(database) };
}

interface Process {
  /** Node, and worker if there are several. */
  readonly name: string;
  readonly facts: NodeFacts;
}

async function findNodeConditions(database: Database): Promise<readonly Condition[]> {
  const rows = await database.query<{ node: string; instance: string; worker: number; facts: NodeFacts }>(
    `select node, instance, worker, facts from node_heartbeats
     where seen_at > now() - $1 * interval '1 millisecond' and started_at < 'infinity' and facts is not null
     order by node, instance, worker`,
    [HEARTBEAT_LIVE_MS],
  );
  const processes = rows.map(({ node, instance, worker, facts }) => ({
    name: `${node} (${instance}${worker === 0 ? '' : `, worker ${worker}`})`,
    facts,
  }));
  return [
    ...(await findRoutes(database, processes)),
    ...(await findCredentials(database, processes)),
    ...processes.flatMap(findLag),
    ...processes.flatMap(findDisk),
  ];
}

/** Those who say it, by what they say. */
function groupBy(
  processes: readonly Process[],
  list: (facts: NodeFacts) => readonly number[],
): ReadonlyMap<number, string> {
  const seenBy = new Map<number, string[]>();
  for (const { name, facts } of processes) {
    for (const id of list(facts)) seenBy.set(id, [...(seenBy.get(id) ?? []), name]);
  }
  return new Map([...seenBy].map(([id, names]) => [id, names.join(', ')]));
}

/** A route that was deleted meanwhile is not told. */
async function findRoutes(database: Database, processes: readonly Process[]): Promise<readonly Condition[]> {
  const seenBy = groupBy(processes, ({ routes }) =>
    routes.filter(({ downMs }) => downMs >= ROUTE_DOWN_MS).map(({ id }) => id),
  );
  if (seenBy.size === 0) return [];
  const rows = await database.query<{ id: bigint; model_id: string; vendor_code: string }>(
    `select id, model_id, vendor_code from routes where id = any($1::bigint[]) and status = 'enabled'`,
    [[...seenBy.keys()]],
  );
  return rows.map(({ id, model_id: model, vendor_code: vendor }) => ({
    ...{ kind: 'route-down', key: `route-down:${id}`, accountId: undefined },
    details: { route: String(id), model, vendor, nodes: seenBy.get(idNumber(id)) ?? '' },
  }));
}

async function findCredentials(
  database: Database,
  processes: readonly Process[],
): Promise<readonly Condition[]> {
  const seenBy = groupBy(processes, ({ credentials }) =>
    credentials.filter(({ agoMs }) => agoMs < CREDENTIAL_TRUSTED_MS).map(({ id }) => id),
  );
  if (seenBy.size === 0) return [];
  const rows = await database.query<{ id: bigint; name: string; vendor_code: string }>(
    `select id, name, vendor_code from credentials
     where id = any($1::bigint[]) and owner_account_id is null and status = 'enabled'`,
    [[...seenBy.keys()]],
  );
  return rows.map(({ id, name, vendor_code: vendor }) => ({
    ...{ kind: 'credential-refused', key: `credential-refused:${id}`, accountId: undefined },
    details: { credential: name, vendor, nodes: seenBy.get(idNumber(id)) ?? '' },
  }));
}

function findLag({ name, facts: { lag } }: Process): readonly Condition[] {
  const isLate =
    (lag.calls >= LAG_CALLS && lag.highMs >= LAG_MS) || (lag.calls > 0 && lag.stillMs >= STANDSTILL_MS);
  if (!isLate) return [];
  const details = { node: name, calls: String(lag.calls) };
  return [{ kind: 'settling-lags', key: `settling-lags:${name}`, accountId: undefined, details }];
}

function findDisk({ name, facts: { disk } }: Process): readonly Condition[] {
  if (disk === null || disk.free >= DISK_FREE_MIN) return [];
  const details = { node: name, free: String(Math.floor(disk.free * 100)) };
  return [{ kind: 'disk-nearly-full', key: `disk-nearly-full:${name}`, accountId: undefined, details }];
}

/** One condition for all findings: its key stays while there are any. */
export function doctorCondition(findings: readonly Finding[]): readonly Condition[] {
  const [first] = findings;
  if (first === undefined) return [];
  const details = {
    findings: String(findings.length),
    first: `${first.check}: ${first.subject}, ${first.detail}`,
  };
  return [{ kind: 'doctor-finding', key: 'doctor-finding', accountId: undefined, details }];
}
