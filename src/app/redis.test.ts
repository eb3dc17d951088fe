import { afterEach, describe, expect, it, vi } from 'vitest';
import { needs, REDIS } from '../../test/needs.ts';
import { startRedis, type TestRedis } from '../../test/support/redis.ts';
import { hadNoEffect } from '../gate/redis/script.ts';
import { WRITING_ARGUMENTS } from '../gate/redis/script-arguments.ts';
import { silentLogger } from '../kernel/log.ts';
import { AwaitedRedis } from './redis.ts';

describe('a Redis that may be away', needs(REDIS), () => {
  let redis: TestRedis;
  let awaited: AwaitedRedis;
  afterEach(async () => {
    awaited.close();
    await redis.close();
  });

  const ask = (): Promise<unknown> => awaited.run('{key}', WRITING_ARGUMENTS);

  it('a Redis that is missing at the start fails as in an outage, and is used when it comes', async () => {
    redis = await startRedis();
    await redis.kill();
    awaited = await AwaitedRedis.open(redis.url, silentLogger);
    expect(awaited.up).toBe(false);
    const error = await ask().catch((reason: unknown) => reason);
    expect(hadNoEffect(error)).toBe(true);
    await redis.restart();
    await vi.waitFor(() => expect(awaited.up).toBe(true), { timeout: 60_000 });
    expect(await ask()).toBe('OK');
  });

  it('a Redis that refuses the password reports it, without the password in the log', async () => {
    redis = await startRedis();
    await redis.inspect.config('SET', 'requirepass', 'the right word');
    const lines: string[] = [];
    const write = (fields: object, message: string) => void lines.push(JSON.stringify(fields) + message);
    const log = { ...silentLogger, warn: write, debug: write, info: write, error: write };
    const url = redis.url.replace('//', '//:the-wrong-word@');
    awaited = await AwaitedRedis.open(url, log);
    expect(awaited.up).toBe(false);
    expect(lines.join()).toMatch(/WRONGPASS|NOAUTH|invalid/);
    expect(lines.join()).not.toContain('the-wrong-word');
  });

  it('a Redis is noticed to be away and back without any request', async () => {
    redis = await startRedis();
    awaited = await AwaitedRedis.open(redis.url, silentLogger);
    expect(awaited.up).toBe(true);
    await redis.kill();
    await vi.waitFor(() => expect(awaited.up).toBe(false), { timeout: 60_000 });
    await redis.restart();
    await vi.waitFor(() => expect(awaited.up).toBe(true), { timeout: 60_000 });
    // Looking leaves nothing behind.
    expect(await redis.inspect.dbsize()).toBe(0);
  });

  it.each([
    ['is full', 'CONFIG', ['SET', 'maxmemory', '1'], ['SET', 'maxmemory', '0']],
    [
      'misses a replica',
      'CONFIG',
      ['SET', 'min-replicas-to-write', '1'],
      ['SET', 'min-replicas-to-write', '0'],
    ],
    ['is a replica itself', 'REPLICAOF', ['127.0.0.1', '1'], ['NO', 'ONE']],
  ])(
    'a Redis that answers but %s is away, and back when it can be written',
    async (_, command, ill, well) => {
      redis = await startRedis();
      awaited = await AwaitedRedis.open(redis.url, silentLogger);
      expect(awaited.up).toBe(true);
      await redis.inspect.call(command, ...ill);
      await vi.waitFor(() => expect(awaited.up).toBe(false), { timeout: 60_000 });
      await redis.inspect.call(command, ...well);
      await vi.waitFor(() => expect(awaited.up).toBe(true), { timeout: 60_000 });
    },
  );
});
