/** What the benchmark compares: one contract for every gateway. */
import type { ProcessStat } from './measure.ts';

export interface Target {
  readonly name: string;
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
}

export interface StartedTarget {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Roots of the process tree; everything below them is charged to the target. */
  rootPids(): readonly number[];
  /** Members of the tree that are shown as a figure of their own, such as a database. */
  isDatabase(stat: ProcessStat): boolean;
  /** How many calls the target has accounted for, where it accounts for any. */
  settledCalls?(): Promise<number>;
  /** The end of what it printed, for when something is wrong. */
  lastWords(): string;
  stop(): Promise<void>;
}
