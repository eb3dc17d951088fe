import { REDIS_LOOK_MS } from '../gate/redis/bounds.ts';
import { connectRedis, type RedisConnection, RedisUnreachable } from '../gate/redis/connect.ts';
import type { RedisClient } from '../gate/redis/script.ts';
import type { Logger } from '../kernel/log.ts';

/**
 * A check that writes: a server that is full, misses its replicas or is a replica answers but lets no call
 * enter. It removes what it wrote, with commands that the gate uses too. In a cluster it checks one master.
 */
const LOOK = [
  "redis.call('HSET', KEYS[1], 'look', '1') return redis.call('HDEL', KEYS[1], 'look')",
  1,
  'tollgate:{look}',
] as const;

/**
 * A Redis that may not be reachable yet. A start does not wait for it and does not fail without it. Until it
 * answers, every command fails as in an outage, and so does every call that needs the gate.
 */
export class AwaitedRedis implements RedisClient {
  readonly #url: string;
  readonly #log: Logger;
  #connection: RedisConnection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #up = false;
  #closed = false;

  private constructor(url: string, log: Logger) {
    this.#url = url;
    this.#log = log;
  }

  /** Resolves when Redis is connected or found to be unreachable. */
  static async open(url: string, log: Logger): Promise<AwaitedRedis> {
    const redis = new AwaitedRedis(url, log);
    await redis.#look();
    return redis;
  }

  /** Whether the last check could write. Known also when no calls are running. */
  get up(): boolean {
    return this.#up;
  }

  evalsha(hash: string, keyCount: number, ...keysAndLine: string[]): Promise<unknown> {
    return this.#client().evalsha(hash, keyCount, ...keysAndLine);
  }

  eval(text: string, keyCount: number, ...keysAndLine: string[]): Promise<unknown> {
    return this.#client().eval(text, keyCount, ...keysAndLine);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#connection?.close();
  }

  #client(): RedisClient {
    return this.#connection?.client ?? ABSENT;
  }

  async #look(): Promise<void> {
    try {
      await this.#connect();
      await this.eval(...LOOK);
      this.#up = true;
    } catch {
      this.#up = false;
    }
    if (!this.#closed) this.#timer = setTimeout(() => void this.#look(), REDIS_LOOK_MS).unref();
  }

  async #connect(): Promise<void> {
    if (this.#connection !== undefined) return;
    const connection = await connectRedis(this.#url, this.#log);
    if (this.#closed) connection.close();
    else this.#connection = connection;
  }
}

const unreachable = (): Promise<never> =>
  Promise.reject(new RedisUnreachable('Redis has not been reached yet'));
const ABSENT: RedisClient = { evalsha: unreachable, eval: unreachable };
