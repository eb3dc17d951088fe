/** What the benchmark compares: one contract for every gateway. */
import type { ProcessStat } from './measure.ts';

export interface Target {
  readonly name: string;
  /** What it has switched on and off in this comparison. */
  readonly has: string;
  /** Whether it books what calls cost. */
  readonly keepsBooks: boolean;
  /** Installs or finds what the target needs. */
  prepare(): Promise<Preparation>;
  start(place: Place): Promise<StartedTarget>;
}

export type Preparation =
  | { readonly kind: 'ready'; readonly version: string }
  | { readonly kind: 'left-out'; readonly reason: string };

export interface Place {
  readonly upstreamPort: number;
  readonly port: number;
  /** An empty folder of its own, removed after the run. */
  readonly folder: string;
  /** The processor that it and its databases run on, where they are kept to one. */
  readonly core?: number | undefined;
  /** Further flags, for targets that run on Node. */
  readonly nodeFlags?: readonly string[];
}

export interface StoreAddresses {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

export interface StartedTarget {
  readonly port: number;
  readonly path: string;
  /** Below this path it passes on the calls of a pair, where it converts nothing. */
  readonly pairsBelow?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Roots of the process tree; everything below them is charged to the target. */
  rootPids(): readonly number[];
  /** Events of its streams besides their chunks, where it joins or adds some. */
  readonly eventsAround?: number;
  /** Calls take turns with these keys, where the target has many. */
  readonly keys?: readonly string[];
  /** The database that a member of the tree belongs to: it is shown as a figure of its own. */
  databaseOf(stat: ProcessStat): string | undefined;
  /** How many calls the target has accounted for, where it accounts for any. */
  settledCalls?(): Promise<number>;
  /** In how many transactions it did that, where it says so. */
  settledBatches?(): Promise<number>;
  /** Where its own databases answer, where it has any of its own. */
  readonly stores?: StoreAddresses;
  /** The end of what it printed, for when something is wrong. */
  lastWords(): string;
  stop(): Promise<void>;
}
