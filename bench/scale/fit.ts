/**
 * From the table to the costs of the simulation. Two windows with different numbers of trips (or batches) for
 * a call give what a trip costs and what the rest of a call costs. Only these two are used: at all other
 * rates the simulation has to predict what was measured.
 */
import type { Costs } from './model/costs.ts';
import { type CostTable, type Window, windowOf } from './table.ts';

/** The windows that are used: little load, and as much as there can be. */
export const FITTED = { low: 'load-300', high: 'json-small' } as const;
const STREAM = 'stream-short';

export function fitServer(table: Pick<CostTable, 'server' | 'cluster'>): Costs {
  const low = windowOf(table.server, FITTED.low);
  const high = windowOf(table.server, FITTED.high);
  const node = lineThrough([low.trips, low.nodeMs], [high.trips, high.nodeMs]);
  const redis = lineThrough([low.trips, low.redisMs], [high.trips, high.redisMs]);
  const postgres = lineThrough([low.batches, low.postgresMs], [high.batches, high.postgresMs]);
  // On one server a turn makes one trip, so what grows with the trips is the cost of both.
  const tripMs = Math.min(node.slope, furtherTripMs(low, windowOf(table.cluster, FITTED.low)));
  return {
    node: {
      callMs: node.atZero,
      turnMs: node.slope - tripMs,
      tripMs,
      eventMs: eventMs(windowOf(table.server, STREAM), { callMs: node.atZero, tripMs: node.slope }),
    },
    redis: { callMs: redis.atZero, tripMs: redis.slope },
    postgres: { callMs: postgres.atZero, batchMs: postgres.slope },
    harness: { vendorMs: low.vendorMs, clientMs: low.clientMs },
  };
}

/** A cluster does the same at the same rate in more trips: what it costs more is the cost of these. */
function furtherTripMs(server: Window, cluster: Window): number {
  const further = cluster.trips - server.trips;
  return further <= 0 ? 0 : Math.max(0, (cluster.nodeMs - server.nodeMs) / further);
}

/** What a trip of few operations of one account costs Redis is measured on the cluster. */
export function fitCluster(table: Pick<CostTable, 'server' | 'cluster'>): Costs {
  const costs = fitServer(table);
  const low = windowOf(table.cluster, FITTED.low);
  const tripMs = Math.max(0, (low.redisMs - costs.redis.callMs) / low.trips);
  return { ...costs, redis: { ...costs.redis, tripMs } };
}

function eventMs(stream: Window, node: { readonly callMs: number; readonly tripMs: number }): number {
  return Math.max(0, (stream.nodeMs - node.callMs - node.tripMs * stream.trips) / stream.events);
}

type Point = readonly [number, number];

/** Neither part of a cost is below zero, whatever the noise of two measurements says. */
export function lineThrough(
  [x1, y1]: Point,
  [x2, y2]: Point,
): {
  readonly slope: number;
  readonly atZero: number;
} {
  const slope = x1 === x2 ? 0 : Math.max(0, (y1 - y2) / (x1 - x2));
  const atZero = y2 - slope * x2;
  return atZero >= 0 ? { slope, atZero } : { slope: y2 / x2, atZero: 0 };
}
