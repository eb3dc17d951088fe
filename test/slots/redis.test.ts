import { afterAll, test } from 'vitest';
import { needs, REDIS } from '../needs.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { PATIENCE_MS, proveSlots } from './prove-slots.ts';

let redis: TestRedis | undefined;
afterAll(() => redis?.close());

test('no slot stays in use, however calls end, with the gate on Redis', {
  ...needs(REDIS),
  timeout: PATIENCE_MS,
}, async () => {
  redis = await startRedis();
  await proveSlots(redis);
});
