import { afterAll, beforeAll, describe } from 'vitest';
import { needs, REDIS } from '../../../test/needs.ts';
import { startRedis, startRedisCluster } from '../../../test/support/redis.ts';
import { silentLogger } from '../../kernel/log.ts';
import { ManualClock } from '../../kernel/time/clock.ts';
import { gateContract } from '../contract-suite.ts';
import type { GateUnderTest } from '../suite/world.ts';
import { connectRedis, type RedisConnection } from './connect.ts';
import { createRedisGate } from './gate.ts';

const RENEWED_EVERY_MS = 30_000;
/** Ten thousand calls at once on a busy machine. */
const PATIENCE_MS = 25_000;
let gates = 0;

/** Time is given, and moves in steps in which a living process renews its leases. */
function gateOn(connection: RedisConnection): GateUnderTest {
  const clock = new ManualClock();
  const gate = createRedisGate({
    client: connection.client,
    clock,
    log: silentLogger,
    prefix: `suite-${++gates}:`,
    serverTimeMs: () => clock.now(),
  });
  return {
    gate,
    advance: async (ms) => {
      for (let leftMs = ms; leftMs > 0; leftMs -= RENEWED_EVERY_MS) {
        clock.advance(Math.min(leftMs, RENEWED_EVERY_MS));
        await gate.renew();
      }
    },
    close: () => gate.close(),
  };
}

const places = [
  ['one Redis server', startRedis],
  ['a Redis Cluster of three masters', startRedisCluster],
] as const;

for (const [name, start] of places) {
  describe(`on ${name}`, needs(REDIS), () => {
    let server: { readonly url: string; close(): Promise<void> };
    let connection: RedisConnection;
    beforeAll(async () => {
      server = await start();
      connection = await connectRedis(server.url, silentLogger, PATIENCE_MS);
    });
    afterAll(async () => {
      connection?.close();
      await server?.close();
    });
    gateContract(name, () => gateOn(connection));
  });
}
