import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs, REDIS } from '../../needs.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { costOf, creditsOf, PayerWorld } from './payer-world.ts';

/** A vendor, or a proxy before it, may send a whole answer at once: a read has more than is held. */
for (const [place, options] of Object.entries({ memory: {}, Redis: needs(REDIS) })) {
  describe(`with the gate in ${place}`, options, () => {
    let redis: TestRedis | undefined;
    let world: PayerWorld;
    beforeAll(async () => {
      redis = place === 'Redis' ? await startRedis() : undefined;
      world = await PayerWorld.start(redis === undefined ? {} : { REDIS_URL: redis.url });
    });
    afterAll(async () => {
      await world.close();
      await redis?.close();
    });

    it.each([
      ['gpt', 'tokens=1200 chunk=1'],
      ['gpt', 'tokens=3000 chunk=20'],
      ['gpt', 'tokens=3000 chunk=600'],
      ['gpt', 'tokens=3000 chunk=3000'],
      ['gemini', 'tokens=3000 chunk=20'],
    ])('a stream of %s that arrives at once (%s) is stopped at its hold', async (model, words) => {
      const customer = await world.customer({ creditsMicro: 1_000_000_000n, policyId: 3 });
      const { status, text, row, paid, heard } = await world.ask(customer, {
        model,
        words,
        body: { stream: true },
      });
      expect(status).toBe(200);
      expect(text.slice(-400)).toContain('42902');
      expect(row).toMatchObject({ verdict: 'cut-by-gateway', error_code: 42902 });
      expect(row.charge_micro).toBeLessThanOrEqual(row.held_micro as bigint);
      expect(row.charge_micro).toBeGreaterThan(15_000_000n);
      expect(row.charge_micro).toBeLessThanOrEqual(20_000_000n);
      expect(row.charge_micro).toBeLessThanOrEqual(creditsOf(costOf(heard[0])));
      expect(paid).toBe(row.charge_micro);
    });
  });
}
