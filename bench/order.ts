/** What the runner and the load generator tell each other. */
import type { Scenario } from './scenario.ts';

export interface LoadOrder {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Events of a stream besides its chunks. */
  readonly eventsAround: number;
  /** Calls take turns with these keys, as bearer tokens; without them `headers` says it all. */
  readonly keys?: readonly string[];
  readonly scenario: Scenario;
  readonly warmMs: number;
  readonly measureMs: number;
  /** The window ends after so many calls, instead of after a time. */
  readonly calls?: number;
  /** The window waits for so long at most until an answer has begun on every connection. */
  readonly openMs?: number;
  /** After the window open calls may end in peace for this long; then they are cut. */
  readonly drainMs: number;
}

export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
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
  /** How late the generator itself sent calls that were due at a fixed time. */
  readonly lateMs?: Percentiles;
  /** Streams that had begun and not ended when the window ended. */
  readonly streamsOpen: number;
  readonly failures: Readonly<Record<string, number>>;
}

export type LoadReport =
  | { readonly kind: 'window-begins' }
  | { readonly kind: 'window-ends' }
  | {
      readonly kind: 'done';
      readonly result: LoadResult;
      /** Of the whole order, warm-up and drain included. */
      readonly callsTotal: number;
      readonly eventsTotal: number;
    }
  | { readonly kind: 'failed'; readonly reason: string };
