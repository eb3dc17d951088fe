import type { Gate } from '../gate/contract.ts';
import type { Journal } from '../ledger/contract.ts';
import { Gauge, gaugeOf, labelText, type Metric } from './metrics.ts';

const BREAKER_VALUES = { closed: 0, 'half-open': 1, probing: 1, open: 2 } as const;

/** The values of other modules that `/metrics` shows. */
export interface Observed {
  readonly gate: Pick<Gate, 'active'>;
  /** Only with a gate on Redis. */
  readonly sharedGate: (() => SharedGateFigures) | undefined;
  /** Only with a ClickHouse. */
  readonly sink: (() => SinkFigures) | undefined;
  /** By kind, on all nodes. */
  readonly runningJobs: () => ReadonlyMap<string, number>;
  readonly journal: Pick<Journal, 'lag' | 'bytes' | 'writable'>;
  readonly inFlight: { readonly streams: number };
  readonly breakers: () => Iterable<BreakerFigure>;
  readonly unhealthyCredentials: () => number;
  /** As `/readyz` says. */
  readonly isReady: () => boolean;
}

export interface BreakerFigure {
  readonly routeId: number;
  readonly vendor: string;
  readonly state: keyof typeof BREAKER_VALUES;
}

export interface SharedGateFigures {
  readonly up: boolean;
  /** Ends of calls that wait to be sent to the gate. */
  readonly queued: number;
}

export interface SinkFigures {
  readonly isUp: boolean;
  /** Undefined until it was first asked for. */
  readonly report: { readonly lagCalls: number; readonly lagSeconds: number } | undefined;
}

/** The state of the parts now. */
export function listStateGauges(observed: Observed): readonly Metric[] {
  const { gate, inFlight, journal } = observed;
  return [
    gaugeOf('tollgate_ready', '1 if calls can be served, else 0.', Number(observed.isReady())),
    ...sharedGauges(observed.sharedGate?.()),
    ...sinkGauges(observed.sink?.()),
    gaugeOf('tollgate_active_calls', 'Calls that are running.', gate.active),
    gaugeOf('tollgate_active_streams', 'Streams that are running.', inFlight.streams),
    new Gauge('tollgate_active_jobs', 'Jobs of vendors that are running, on all nodes.', () =>
      [...observed.runningJobs()].map(([kind, count]) => [labelText({ kind }), count]),
    ),
    gaugeOf('tollgate_journal_lag_calls', 'Ended calls that are not settled yet.', journal.lag),
    gaugeOf('tollgate_journal_bytes', 'Size of the journal.', journal.bytes),
    gaugeOf(
      'tollgate_journal_writable',
      '1 if the journal can be written, else 0.',
      Number(journal.writable),
    ),
    gaugeOf(
      'tollgate_credentials_unhealthy',
      'Credentials that a vendor refuses.',
      observed.unhealthyCredentials(),
    ),
    new Gauge('tollgate_breaker_state', 'Circuit breaker of a route: 0 closed, 1 half open, 2 open.', () =>
      worstBreakers(observed.breakers()),
    ),
  ];
}

/** A route whose credential was exchanged has a breaker for each; a series must not be there twice. */
function worstBreakers(breakers: Iterable<BreakerFigure>): Map<string, number> {
  const worst = new Map<string, number>();
  for (const { routeId, vendor, state } of breakers) {
    const labels = labelText({ route: routeId, vendor });
    worst.set(labels, Math.max(worst.get(labels) ?? 0, BREAKER_VALUES[state]));
  }
  return worst;
}

function sharedGauges(figures: SharedGateFigures | undefined): readonly Metric[] {
  if (figures === undefined) return [];
  return [
    gaugeOf('tollgate_redis_up', '1 if Redis answers and takes writes, else 0.', Number(figures.up)),
    gaugeOf('tollgate_gate_queue', 'Ends of calls that wait to be sent to Redis.', figures.queued),
  ];
}

function sinkGauges(figures: SinkFigures | undefined): readonly Metric[] {
  if (figures === undefined) return [];
  const { isUp, report } = figures;
  const up = gaugeOf('tollgate_clickhouse_up', '1 if ClickHouse took the last calls, else 0.', Number(isUp));
  if (report === undefined) return [up];
  return [
    up,
    gaugeOf('tollgate_clickhouse_lag_calls', 'Settled calls that ClickHouse has not got.', report.lagCalls),
    gaugeOf(
      'tollgate_clickhouse_lag_seconds',
      'Time since ClickHouse had all settled calls.',
      report.lagSeconds,
    ),
  ];
}
