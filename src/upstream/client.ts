import { UPSTREAM_ORIGINS_MAX } from '../bounds.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { type Logger, silentLogger } from '../kernel/log.ts';
import type { UpstreamClient, UpstreamExchange, UpstreamHandler, UpstreamRequest } from './contract.ts';
import { Exchange, type ExchangePorts } from './exchange.ts';
import { OriginPool } from './pool.ts';

export interface UpstreamClientOptions {
  readonly clock?: Clock;
  readonly log?: Logger;
}

/** The only sockets to vendors. Redirects are not followed: a 3xx is an answer like any other. */
export function createUpstreamClient(options: UpstreamClientOptions = {}): UpstreamClient {
  return new PooledClient({ clock: options.clock ?? systemClock, log: options.log ?? silentLogger });
}

class PooledClient implements UpstreamClient {
  readonly #ports: ExchangePorts;
  readonly #pools = new Map<string, OriginPool>();
  readonly #retired = new Set<OriginPool>();
  #uses = 0;

  constructor(ports: ExchangePorts) {
    this.#ports = ports;
  }

  send(request: UpstreamRequest, handler: UpstreamHandler): UpstreamExchange {
    const pool = this.#poolFor(request);
    const full = pool.full;
    const exchange = new Exchange(this.#ports, pool, request, handler);
    if (full) exchange.refuse(`all connections to ${request.origin} are in use`);
    else exchange.start();
    return exchange;
  }

  /** What still runs is cut: the caller has drained, or wants no more. */
  async close(): Promise<void> {
    const pools = [...this.#pools.values(), ...this.#retired];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #poolFor(request: UpstreamRequest): OriginPool {
    const { connectMs } = request.timeouts;
    let pool = this.#pools.get(request.origin);
    // The connect time-out belongs to the pool, so requests that differ in it do not share one.
    if (pool?.connectMs !== connectMs) {
      const key = pool === undefined ? request.origin : `${connectMs} ${request.origin}`;
      pool = this.#pools.get(key) ?? this.#open(key, request);
    }
    this.#uses += 1;
    pool.usedAt = this.#uses;
    return pool;
  }

  #open(key: string, request: UpstreamRequest): OriginPool {
    if (this.#pools.size >= UPSTREAM_ORIGINS_MAX) this.#makeRoom();
    const pool = new OriginPool(request.origin, request.timeouts.connectMs);
    this.#pools.set(key, pool);
    return pool;
  }

  #makeRoom(): void {
    let oldest: [string, OriginPool] | undefined;
    for (const entry of this.#pools) {
      if (oldest === undefined || entry[1].usedAt < oldest[1].usedAt) oldest = entry;
    }
    if (oldest === undefined) return;
    const [key, pool] = oldest;
    this.#pools.delete(key);
    this.#retired.add(pool);
    pool.retire(() => this.#retired.delete(pool));
  }
}
