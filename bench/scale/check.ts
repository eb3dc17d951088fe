/** The model beside what was measured: the same rates, the same placement, the same even arrivals. */
import { renderTable } from '../report/table.ts';
import { FITTED, fitCluster, fitServer } from './fit.ts';
import type { Costs } from './model/costs.ts';
import { type Installation, type Load, type Outcomes, simulate } from './model/simulate.ts';
import type { CostTable, Window } from './table.ts';

export interface Checked {
  readonly window: Window;
  readonly predicted: Outcomes;
  /** Whether the costs were taken from this very window: then its processor time is no prediction. */
  readonly isFitted: boolean;
}

/** One node, Redis and PostgreSQL on one core, and a vendor that answers at once on another. */
const BENCHMARK: Installation = {
  nodes: 1,
  gate: 'server',
  shards: 1,
  postgresCores: 1,
  placement: 'one core',
  accounts: 1,
  credentials: 1,
  networkMs: 0,
};
const LOAD: Omit<Load, 'ratePerSecond' | 'seed'> = {
  arrivals: 'even',
  vendor: { medianMs: 0, spread: 0, failureShare: 0, retriesMax: 0, events: 0 },
  warmMs: 1_500,
  measureMs: 8_000,
};

export function checkModel(table: CostTable, seed: number): readonly Checked[] {
  return checkAll(table.server, fitServer(table), { installation: BENCHMARK, seed });
}

/** The same on the cluster, where a thousand accounts called in turn. */
export function checkCluster(table: CostTable, seed: number): readonly Checked[] {
  const installation: Installation = { ...BENCHMARK, gate: 'cluster', accounts: 1_000 };
  return checkAll(table.cluster, fitCluster(table), { installation, seed });
}

function checkAll(
  windows: readonly Window[],
  fitted: Costs,
  { installation, seed }: { readonly installation: Installation; readonly seed: number },
): readonly Checked[] {
  const open = windows.filter(({ ratePerSecond, events }) => ratePerSecond > 0 && events === 0);
  return open.map((window) => {
    const costs = { ...fitted, harness: { vendorMs: window.vendorMs, clientMs: window.clientMs } };
    const predicted = simulate(installation, { ...LOAD, ratePerSecond: window.ratePerSecond, seed }, costs);
    return { window, predicted, isFitted: window.name === FITTED.low };
  });
}

const HEAD = ['calls/s', 'figure', 'measured', 'simulated', 'simulated : measured'];

export function renderCheck(checked: readonly Checked[]): string {
  const rows = checked.flatMap(({ window, predicted, isFitted }) => {
    const own = isFitted ? ' (taken from here)' : '';
    const line = (figure: string, measured: number, simulated: number): readonly string[] => [
      String(window.ratePerSecond),
      figure,
      digits(measured),
      digits(simulated),
      measured > 0 ? (simulated / measured).toFixed(2) : '',
    ];
    return [
      line('answered, calls/s', window.servedPerSecond, predicted.servedPerSecond),
      line('trips to Redis for a call', window.trips, predicted.tripsPerCall),
      line(`node, ms for a call${own}`, window.nodeMs, predicted.callMs.node),
      line(`Redis, ms for a call${own}`, window.redisMs, predicted.callMs.redis),
      line(`PostgreSQL, ms for a call${own}`, window.postgresMs, predicted.callMs.postgres),
      line('p50, ms', window.p50Ms, predicted.addedMs.p50),
      line('p90, ms', window.p90Ms, predicted.addedMs.p90),
      line('p99, ms', window.p99Ms, predicted.addedMs.p99),
    ];
  });
  return renderTable(HEAD, rows);
}

/** Three figures that count. */
export function digits(value: number): string {
  if (value === 0) return '0';
  const places = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(places, 4));
}
