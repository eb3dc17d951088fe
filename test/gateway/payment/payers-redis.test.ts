import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs, REDIS } from '../../needs.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { costOf, creditsOf, PayerWorld } from './payer-world.ts';

/** What payers.test.ts and its neighbours say of a gate in memory, where the gate answers later. */
let redis: TestRedis;
let world: PayerWorld;
beforeAll(async () => {
  redis = await startRedis();
  world = await PayerWorld.start({ REDIS_URL: redis.url });
});
afterAll(async () => {
  await world.close();
  await redis.close();
});

const RICH = { creditsMicro: 1_000_000_000n };
const WRONG = { vendor: 'openai', secret: 'sk-of-nobody' };

describe('with the gate on Redis', needs(REDIS), () => {
  it('BYOK, then the subscription, then Credits pay', async () => {
    const own = { vendor: 'openai', secret: 'sk-sim-openai-own' };
    const wanted = [{ ...RICH, plans: ['PRO'], hosts: [own] }, { ...RICH, plans: ['PRO'] }, RICH];
    for (const [place, payer] of (['byok', 'subscription', 'credits'] as const).entries()) {
      const { row, paid, heard } = await world.ask(await world.customer(wanted[place]));
      expect(row.payer).toBe(payer);
      expect(paid).toBe(payer === 'credits' ? creditsOf(costOf(heard[0])) : 0n);
    }
  });

  it('a subscription covers exactly what fits, for any number of simultaneous calls', async () => {
    const customer = await world.customer({ plans: ['PROMAX'] });
    const picture = { path: '/v1/images/generations', model: 'painter', words: 'delay=50' };
    const served = await Promise.all(Array.from({ length: 20 }, () => world.ask(customer, picture)));
    expect(served.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(new Set(served.map(({ body }) => body.code))).toEqual(new Set([undefined, 42902]));
  });

  it('a call over three options is paid by the payer of the last', async () => {
    const patch = { byokFallback: true, fallbackModel: 'claude' };
    const customer = await world.customer({ ...RICH, patch, plans: ['PLUS'], hosts: [WRONG] });
    world.fail('gpt-4o', 500);
    const { body, row, paid, heard } = await world.ask(customer);
    expect([body.model, row.payer, heard.length]).toEqual(['claude', 'credits', 2]);
    expect((row.attempts as { outcome: string }[]).map(({ outcome }) => outcome)).toEqual([
      '401',
      '500',
      'ok',
    ]);
    expect(paid).toBe(creditsOf(costOf(heard[1], [20n, 100n])));
  });

  it('a stream that exceeds its coverage is stopped with 42902', async () => {
    const customer = await world.customer({ ...RICH, plans: ['PLUS'] });
    const { text, row, paid } = await world.ask(customer, {
      words: 'tokens=3000 chunk=20 pace=2',
      body: { stream: true },
    });
    expect(text.trim().slice(-30)).toContain('"code":"42902"');
    expect(row).toMatchObject({ payer: 'subscription', verdict: 'cut-by-gateway', charge_micro: 0n });
    expect(paid).toBe(0n);
  });

  it.each([
    ['a plain answer', false],
    ['a stream', true],
  ])('%s that exceeds its hold is charged in full when the client has it', async (_name, stream) => {
    // Letters by themselves are twice the tokens that their length suggests.
    const letters = Array.from({ length: 4_000 }, (_, place) => 'abcdefgh'[place % 8]).join(' ');
    const content = `${letters} [[sim tag=outgrown-${stream} tokens=5]]`;
    const { row, paid } = await world.ask(await world.customer(RICH), {
      body: { messages: [{ role: 'user', content }], max_tokens: 5, stream },
    });
    const truth = world.world.simulator.truth.find(`outgrown-${stream}`);
    expect(row.charge_micro).toBe(creditsOf(costOf(truth)));
    expect(paid).toBe(row.charge_micro);
  });

  it('a change of the account is in force for the next call', async () => {
    const customer = await world.customer(RICH);
    expect((await world.ask(customer)).status).toBe(200);
    await world.change(customer, { apiBilling: false });
    expect((await world.ask(customer)).body.code).toBe(40202);
    await world.change(customer, { apiBilling: true });
    expect((await world.ask(customer)).status).toBe(200);
  });
});
