/** What the runner and the load generator tell each other. */
import type { Scenario } from './scenario.ts';

export interface LoadOrder {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly scenario: Scenario;
  readonly warmMs: number;
  readonly measureMs: number;
  /** After the window open calls may end in peace for this long; then they are cut. */
  readonly drainMs: number;
}

export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

export interface LoadResult {
  readonly durationMs: number;
  /** Calls that were answered completely and correctly within the window. */
  readonly calls: number;
  /** Events of streams that arrived within the window, whether or not their stream ended in it. */
  readonly events: number;
  readonly bytes: number;
  readonly latencyMs: Percentiles;
  readonly firstByteMs: Percentiles;
  readonly failures: Readonly<Record<string, number>>;
}

export type LoadReport =
  | { readonly kind: 'window-begins' }
  | { readonly kind: 'window-ends' }
  | { readonly kind: 'done'; readonly result: LoadResult; readonly callsTotal: number }
  | { readonly kind: 'failed'; readonly reason: string };
