import { UPSTREAM_CONNECTIONS_MAX, UPSTREAM_LOOK_MS, UPSTREAM_ORIGINS_MAX } from '../../bounds.ts';
import { type Logger, silentLogger } from '../../kernel/log.ts';
import { type Clock, systemClock } from '../../kernel/time/clock.ts';
import type { UpstreamClient, UpstreamExchange, UpstreamHandler, UpstreamRequest } from '../contract.ts';
import { createGuardedDial, type Guard } from '../guard/guarded-dial.ts';
import { toTarget } from '../guard/media-address.ts';
import { type Resolve, systemResolve } from '../guard/resolve.ts';
import { createDial, createProxyDial, type Dial } from './dial.ts';
import { type ChooseProxy, noEgressProxy } from './egress-proxy.ts';
import { Exchange, type ExchangePorts } from './exchange.ts';
import { OriginPool } from './pool.ts';

export interface UpstreamClientOptions {
  readonly clock?: Clock;
  readonly log?: Logger;
  /** `host` or `host:port` that users' own addresses may name although they are private. */
  readonly ownHosts?: readonly string[];
  readonly resolve?: Resolve;
  readonly chooseProxy?: ChooseProxy;
  /** To one address. */
  readonly connectionsMax?: number;
}

/** The only sockets to vendors. Redirects are not followed: a 3xx is an answer like any other. */
export function createUpstreamClient(options: UpstreamClientOptions = {}): UpstreamClient {
  const { clock = systemClock, log = silentLogger, ownHosts = [], resolve = systemResolve } = options;
  const guard = { ownHosts: new Set(ownHosts), resolve };
  const { chooseProxy = noEgressProxy, connectionsMax = UPSTREAM_CONNECTIONS_MAX } = options;
  return new PooledClient({ clock, log }, guard, chooseProxy, connectionsMax);
}

class PooledClient implements UpstreamClient {
  readonly #ports: ExchangePorts;
  readonly #guard: Guard;
  readonly #chooseProxy: ChooseProxy;
  readonly #connectionsMax: number;
  readonly #pools = new Map<string, OriginPool>();
  readonly #retired = new Set<OriginPool>();
  #uses = 0;
  #looking: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(ports: ExchangePorts, guard: Guard, chooseProxy: ChooseProxy, connectionsMax: number) {
    this.#ports = ports;
    this.#guard = guard;
    this.#chooseProxy = chooseProxy;
    this.#connectionsMax = connectionsMax;
  }

  send(request: UpstreamRequest, handler: UpstreamHandler): UpstreamExchange {
    const pool = this.#poolFor(request);
    const full = pool.full;
    const exchange = new Exchange(this.#ports, pool, request, handler);
    if (this.#isClosed) exchange.refuse('the client is closed');
    else if (full) exchange.refuse(`all connections to ${request.origin} are in use`);
    else exchange.start();
    return exchange;
  }

  /** What still runs is cut: the caller has drained, or wants no more. */
  async close(): Promise<void> {
    const pools = [...this.#pools.values(), ...this.#retired];
    this.#isClosed = true;
    this.#pools.clear();
    clearInterval(this.#looking);
    await Promise.all(pools.map((pool) => pool.close()));
  }

  #poolFor(request: UpstreamRequest): OriginPool {
    const { origin, reach, timeouts } = request;
    // A user's address never shares connections with the operator's, which may lead where users must not go.
    const place = reach === 'any' ? origin : `public ${origin}`;
    let pool = this.#pools.get(place);
    // The connect time-out belongs to the pool, so requests that differ in it do not share one.
    if (pool?.connectMs !== timeouts.connectMs) {
      const key = pool === undefined ? place : `${timeouts.connectMs} ${place}`;
      pool = this.#pools.get(key) ?? this.#open(key, request);
    }
    this.#uses += 1;
    pool.usedAt = this.#uses;
    return pool;
  }

  #open(key: string, request: UpstreamRequest): OriginPool {
    if (this.#pools.size >= UPSTREAM_ORIGINS_MAX) this.#makeRoom();
    const url = new URL(request.origin);
    const { connectMs } = request.timeouts;
    const bounds = { connectMs, connectionsMax: this.#connectionsMax };
    const pool = new OriginPool(url, bounds, this.#dialFor(url, request));
    this.#pools.set(key, pool);
    this.#looking ??= setInterval(() => this.#look(), UPSTREAM_LOOK_MS).unref();
    return pool;
  }

  /** Whether a proxy is on the way depends on the origin alone, so all connections of a pool go one way. */
  #dialFor(url: URL, { reach, timeouts: { connectMs } }: UpstreamRequest): Dial {
    const proxy = this.#chooseProxy(url);
    if (reach === 'public') return createGuardedDial(url, { connectMs, proxy, guard: this.#guard });
    if (proxy === undefined) return createDial(url, { connectMs });
    return createProxyDial(url, { connectMs, proxy, findTarget: async () => toTarget(url) });
  }

  #look(): void {
    const nowMs = this.#ports.clock.monotonic();
    for (const pool of this.#pools.values()) pool.look(nowMs);
    for (const pool of this.#retired) pool.look(nowMs);
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
