import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs, REDIS } from '../../../test/needs.ts';
import { until } from '../../../test/support/processes.ts';
import { startSentinels, type TestSentinels } from '../../../test/support/servers/sentinel.ts';
import { silentLogger } from '../../kernel/log.ts';
import { connectRedis, type RedisConnection, RedisUnreachable } from './connect.ts';
import { WRITING_ARGUMENTS } from './script-arguments.ts';
import { sentinelOptions } from './sentinel.ts';

/** It answers if it can be written. */
const ask = ({ client }: RedisConnection): Promise<string> => client.run('{key}', WRITING_ARGUMENTS);

describe('addresses of Sentinels', () => {
  it('name the master, and have the credentials of Redis and of Sentinel', () => {
    const first = new URL('sentinel://user:pa%20ss@one/orders?sentinel_password=word');
    expect(sentinelOptions([first, new URL('sentinel://two:7')])).toMatchObject({
      sentinels: [
        { host: 'one', port: 26_379 },
        { host: 'two', port: 7 },
      ],
      name: 'orders',
      ...{ username: 'user', password: 'pa ss', sentinelPassword: 'word' },
    });
    expect(sentinelOptions([new URL('sentinels://one')])).toMatchObject({ name: 'mymaster', tls: {} });
  });

  it('that do not answer are reported, without the password', async () => {
    const refused = connectRedis('sentinel://:secret@127.0.0.1:1/x', silentLogger);
    await expect(refused).rejects.toThrow(RedisUnreachable);
    await expect(refused).rejects.toThrow('no Redis is named by the Sentinels 127.0.0.1:1');
    await expect(refused).rejects.not.toThrow(/secret/);
  });
});

describe('a Redis behind Sentinels', needs(REDIS), () => {
  let sentinels: TestSentinels;
  let connection: RedisConnection;
  beforeAll(async () => {
    sentinels = await startSentinels();
    connection = await connectRedis(sentinels.url, silentLogger);
  });
  afterAll(async () => {
    connection?.close();
    await sentinels?.close();
  });

  it('is written at its master', async () => {
    expect(connection.kind).toBe('server');
    expect(await ask(connection)).toBe('OK');
  });

  it('goes on with its new master when the old one dies', async () => {
    const [master] = sentinels.servers;
    await master.kill();
    await expect(ask(connection)).rejects.toThrow();
    await sentinels.failOver();
    await until(async () => (await ask(connection).catch(() => '')) === 'OK');
  });
});
