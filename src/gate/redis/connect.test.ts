import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redisServer } from '../../../test/prerequisites.ts';
import { startRedis, type TestRedis } from '../../../test/support/redis.ts';
import { silentLogger } from '../../kernel/log.ts';
import { connectRedis, RedisUnreachable } from './connect.ts';
import { runScript, scriptOf } from './script.ts';

const ECHO = scriptOf('return ARGV[1]');

describe('addresses of Redis', () => {
  it('that are none are named, without what may be secret in them', async () => {
    for (const text of [
      '',
      'localhost:6379',
      'http://one',
      'redis://one:6379,',
      'redis://one,mysql://:secret@two',
    ]) {
      const refused = connectRedis(text, silentLogger);
      await expect(refused).rejects.toThrow(RedisUnreachable);
      await expect(refused).rejects.not.toThrow(/secret/);
    }
  });

  it('where nobody answers are named, without the password', async () => {
    const refused = connectRedis('redis://:secret@127.0.0.1:1,redis://127.0.0.1:2', silentLogger);
    await expect(refused).rejects.toThrow(/no Redis answers at 127\.0\.0\.1:1, 127\.0\.0\.1:2/);
    await expect(refused).rejects.not.toThrow(/secret/);
  });
});

describe.skipIf(redisServer === undefined)('a Redis with a password (skipped without redis-server)', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
    await redis.inspect.config('SET', 'requirepass', 'open sesame');
  });
  afterAll(() => redis?.close());

  it('is found among the addresses, one of which is dead', async () => {
    const url = `redis://127.0.0.1:1,redis://:open%20sesame@127.0.0.1:${redis.port}/1`;
    const connection = await connectRedis(url, silentLogger);
    expect(connection.kind).toBe('server');
    expect(await runScript(connection.client, ECHO, [], 'hello')).toBe('hello');
    connection.close();
  });

  it('is not entered without it', async () => {
    await expect(connectRedis(redis.url, silentLogger)).rejects.toThrow(/no Redis answers/);
  });

  it('answers nothing once the connection is closed', async () => {
    const connection = await connectRedis(`redis://:open%20sesame@127.0.0.1:${redis.port}`, silentLogger);
    connection.close();
    await expect(runScript(connection.client, ECHO, [], 'hello')).rejects.toThrow();
  });
});
