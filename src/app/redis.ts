import { REDIS_LOOK_MS } from '../gate/redis/bounds.ts';
import { connectRedis, type RedisConnection, RedisUnreachable } from '../gate/redis/connect.ts';
import type { Position, RedisClient } from '../gate/redis/script.ts';
import { WRITING_ARGUMENTS } from '../gate/redis/script-arguments.ts';
import type { Logger } from '../kernel/log.ts';

/** The place of a check that leaves nothing behind. In a cluster it checks one master. */
const CHECKED = 'tollgate:{look}';

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

  run(hash: string, line: string, position?: Position): Promise<string> {
    return this.#client().run(hash, line, position);
  }

  get joins(): boolean {
    return this.#client().joins;
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
      // It writes: a server that is full, misses its replicas or is a replica answers but lets no call enter.
      await this.run(CHECKED, WRITING_ARGUMENTS);
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
const ABSENT: RedisClient = { run: unreachable, joins: false };
