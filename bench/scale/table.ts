/** The cost table: what `npm run bench:costs` measured. All else in this folder is computed from it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = join(import.meta.dirname, 'costs.json');

/** One kind of traffic against one deployment. Costs are those of one call, work put off included. */
export interface Window {
  readonly name: string;
  /** Calls at fixed times, or 0 where clients call again as soon as they have their answer. */
  readonly ratePerSecond: number;
  readonly servedPerSecond: number;
  readonly calls: number;
  /** Processor time. */
  readonly nodeMs: number;
  readonly redisMs: number;
  readonly postgresMs: number;
  /** Of the benchmark itself. */
  readonly vendorMs: number;
  readonly clientMs: number;
  /** Script calls to Redis, and all commands that it ran, those inside of scripts too. */
  readonly trips: number;
  readonly commands: number;
  readonly redisBytesIn: number;
  readonly redisBytesOut: number;
  /** Transactions that settle. */
  readonly batches: number;
  readonly walBytes: number;
  /** What tables and their indexes grew by. */
  readonly tableBytes: number;
  /** From the node to its client: head and body. */
  readonly answerBytes: number;
  readonly requestBytes: number;
  readonly events: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  /** Cores that were busy with what has no part in the measurement; near 0 on a quiet machine. */
  readonly othersCores: number;
}

export interface CostTable {
  readonly measuredAt: string;
  readonly machine: string;
  readonly placement: string;
  /** One account on one Redis. */
  readonly server: readonly Window[];
  /** A thousand accounts in turn, on a Redis Cluster of one server. */
  readonly cluster: readonly Window[];
  /** Rows that are written for a call, by table; those of roll-ups are one for many calls. */
  readonly rows: Readonly<Record<string, number>>;
  /** The settler's own function on one connection, batch after batch. */
  readonly settling: {
    readonly batch: number;
    readonly callsPerSecond: number;
    readonly nodeMs: number;
    readonly postgresMs: number;
  };
}

export function readCosts(file = FILE): CostTable {
  return JSON.parse(readFileSync(file, 'utf8')) as CostTable;
}

export function writeCosts(table: CostTable, file = FILE): string {
  writeFileSync(file, `${JSON.stringify(table, null, 2)}\n`);
  return file;
}

export function windowOf(windows: readonly Window[], name: string): Window {
  const found = windows.find((each) => each.name === name);
  if (found === undefined) throw new Error(`the cost table has no window "${name}"`);
  return found;
}

/** Above this, others took so much of the machine that the figures say little of a quiet one. */
const OTHERS_CORES_MAX = 0.2;

export function isDisturbed({ server, cluster }: CostTable): boolean {
  return [...server, ...cluster].some(({ othersCores }) => othersCores > OTHERS_CORES_MAX);
}
