import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { needs, REDIS } from '../../../test/needs.ts';
import { startProgram, until, untilSaid } from '../../../test/support/processes.ts';
import { startRedis, type TestRedis } from '../../../test/support/redis.ts';
import {
  asksForSlots,
  bulk,
  type FakeRedis,
  greet,
  slotsOf,
  startFakeRedis,
} from '../../../test/support/servers/fake-redis.ts';
import { silentLogger } from '../../kernel/log.ts';
import { REDIS_OPEN_MS } from './bounds.ts';
import { connectRedis, type RedisConnection, RedisUnreachable } from './connect.ts';
import { WRITING_ARGUMENTS } from './script-arguments.ts';

/** It answers if it can be written. */
const ask = ({ client }: RedisConnection): Promise<string> => client.run('{key}', WRITING_ARGUMENTS);

describe('addresses of Redis', () => {
  it('that are invalid are reported, without possible secrets', async () => {
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

  it('without an answer are reported, without the password', async () => {
    const refused = connectRedis('redis://:secret@127.0.0.1:1,redis://127.0.0.1:2', silentLogger);
    await expect(refused).rejects.toThrow(/no Redis answers at 127\.0\.0\.1:1, 127\.0\.0\.1:2/);
    await expect(refused).rejects.not.toThrow(/secret/);
  });
});

describe('a Redis with a password', needs(REDIS), () => {
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
    expect(await ask(connection)).toBe('OK');
    connection.close();
  });

  it('is not used without it', async () => {
    await expect(connectRedis(redis.url, silentLogger)).rejects.toThrow(/no Redis answers/);
  });

  it('answers nothing once the connection is closed', async () => {
    const connection = await connectRedis(`redis://:open%20sesame@127.0.0.1:${redis.port}`, silentLogger);
    connection.close();
    await expect(ask(connection)).rejects.toThrow();
  });
});

const LAST_SLOT = 16_383;
const CLUSTERED = 'cluster_enabled:1\r\n';

describe('a Redis that loads its data longer than a start waits', () => {
  it('is not waited for', async () => {
    const info = 'loading:1\r\nloading_eta_seconds:1\r\n';
    const loading = await startFakeRedis((words) => greet(words, info) ?? '-LOADING it is\r\n');
    try {
      const gaveUp = connectRedis(loading.url, silentLogger).then(String, String);
      const tooLate = sleep(REDIS_OPEN_MS + 30_000, 'it was waited for', { ref: false });
      expect(await Promise.race([gaveUp, tooLate])).toMatch(/no Redis answers at .*not ready in time/);
    } finally {
      loading.close();
    }
  }, 120_000);
});

describe('a cluster', () => {
  const nodes: FakeRedis[] = [];
  afterEach(() => {
    for (const node of nodes.splice(0)) node.close();
  });

  it('that is complete at the second look is used at once', async () => {
    let looks = 0;
    let slots = '';
    const node = await startFakeRedis((words) => {
      if (asksForSlots(words)) return slots;
      if (words.join(' ').toLowerCase() !== 'cluster info') return greet(words, CLUSTERED);
      looks++;
      return looks === 1 ? bulk('cluster_state:fail\r\n') : greet(words, CLUSTERED);
    });
    nodes.push(node);
    slots = slotsOf([{ port: node.port, last: LAST_SLOT }]);
    const connection = await connectRedis(node.url, silentLogger);
    expect(connection.kind).toBe('cluster');
    connection.close();
  });

  it('that redirects a call to a silent node fails that call and nothing else', async () => {
    const lost: unknown[] = [];
    const onLost = (reason: unknown): void => void lost.push(reason);
    process.on('unhandledRejection', onLost);
    let slots = '';
    let asked = 0;
    const frozen = await startFakeRedis((words) => {
      if (words[0]?.toLowerCase() === 'asking') asked++;
      return asksForSlots(words) ? slots : greet(words, CLUSTERED);
    });
    const moving = await startFakeRedis((words) => {
      if (asksForSlots(words)) return slots;
      return greet(words, CLUSTERED) ?? `-ASK ${LAST_SLOT} 127.0.0.1:${frozen.port}\r\n`;
    });
    nodes.push(frozen, moving);
    // A key whose slot is in the upper part is asked of the node that is about to give it away.
    slots = slotsOf([
      { port: frozen.port, last: 0 },
      { port: moving.port, last: LAST_SLOT },
    ]);
    // So short a time is for the calls: on a busy machine the first connection may take longer.
    const connection = await vi.waitFor(() => connectRedis(moving.url, silentLogger, 300), {
      timeout: 60_000,
    });
    try {
      await vi.waitFor(
        async () => {
          await expect(ask(connection)).rejects.toThrow();
          expect(asked).toBeGreaterThan(0);
        },
        { timeout: 60_000 },
      );
      await sleep(50);
      expect(lost).toEqual([]);
    } finally {
      connection.close();
      process.off('unhandledRejection', onLost);
    }
  });

  it('that does not answer about its slots does not keep a closed process alive', async () => {
    let slots = '';
    let silent = false;
    let asked = 0;
    const node = await startFakeRedis((words) => {
      if (!asksForSlots(words)) return greet(words, CLUSTERED);
      if (!silent) return slots;
      asked++;
      return undefined;
    });
    nodes.push(node);
    slots = slotsOf([{ port: node.port, last: LAST_SLOT }]);
    const program = startProgram(['--input-type=module', '-e', closer(node.url)]);
    try {
      await untilSaid(program, /(open)/);
      silent = true;
      await until(() => asked > 0);
      program.kill('SIGTERM');
      const stays = sleep(30_000, 'it stays', { ref: false });
      expect(await Promise.race([program.exited, stays])).toEqual({ code: 0, signal: null });
    } finally {
      program.kill('SIGKILL');
    }
  });
});

/** A process that is connected until it is asked to end. */
function closer(url: string): string {
  const module = JSON.stringify(new URL('./connect.ts', import.meta.url));
  return `
    const { connectRedis } = await import(${module});
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const connection = await connectRedis(${JSON.stringify(url)}, log);
    process.once('SIGTERM', () => connection.close());
    process.stdout.write('open');`;
}
