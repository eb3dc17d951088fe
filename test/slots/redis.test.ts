import { afterAll, test } from 'vitest';
import { redisServer } from '../prerequisites.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { PATIENCE_MS, proveSlots } from './prove-slots.ts';

let redis: TestRedis | undefined;
afterAll(() => redis?.close());

test.skipIf(redisServer === undefined)(
  'no slot stays in use, however calls end, with the gate on Redis (skipped without redis-server)',
  async () => {
    redis = await startRedis();
    await proveSlots(redis);
  },
  PATIENCE_MS,
);
