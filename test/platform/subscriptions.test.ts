import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTimeFormat } from '../../src/kernel/time/calendar.ts';
import { needs, REDIS } from '../needs.ts';
import { startRedis } from '../support/redis.ts';
import { MemberWorld, newKey } from './members.ts';

const showTime = createTimeFormat('UTC');

const GATES = { 'in memory': {}, 'on Redis': needs(REDIS) };

for (const [gate, options] of Object.entries(GATES)) {
  describe(`with the gate ${gate}`, options, () => {
    let world: MemberWorld;
    let redis: Awaited<ReturnType<typeof startRedis>> | undefined;
    beforeAll(async () => {
      redis = gate === 'in memory' ? undefined : await startRedis();
      world = await MemberWorld.start(redis === undefined ? {} : { REDIS_URL: redis.url });
    });
    afterAll(async () => {
      await world.close();
      await redis?.close();
    });

    test('the current subscription has its policy and coverage with their use', async () => {
      const member = await world.member({ plan: 'PRO' });
      const fresh = (await member.ask('GET', '/subscription/policy-limit')).body.data;
      expect(fresh).toEqual({
        subscription: expect.objectContaining({ plan: 'PRO', plan_name: 'Pro', plan_level: 2 }),
        policy: {
          id: 3,
          name: 'pro',
          concurrency: 20,
          concurrency_used: 0,
          windows: [
            { dimension: 'requests', seconds: 60, limit: '100', used: '0', ends_at: null, resets_in: null },
            { dimension: 'amount', seconds: 3_600, limit: '5', used: '0', ends_at: null, resets_in: null },
          ],
        },
        coverage: {
          models: ['gpt'],
          windows: [
            { seconds: 18_000, amount: '2', used: '0', ends_at: null, resets_in: null },
            { seconds: 604_800, amount: '10', used: '0', ends_at: null, resets_in: null },
          ],
        },
      });
    });

    test('the use of calls is shown, with the end of each window', async () => {
      const member = await world.member({ plan: 'PRO' });
      const { api_key: key } = await newKey(member);
      const beforeMs = Date.now();
      await world.call(key, 'gpt', 'tokens=300');
      const afterMs = Date.now();
      await world.world.settled();
      const { policy, coverage } = (await member.ask('GET', '/subscription/policy-limit')).body.data;
      const [call] = await world.world.database.query<{ amount_micro: bigint; payer: string }>(
        'select amount_micro, payer from calls where account_id = $1',
        [member.id],
      );
      const amount = Number(call?.amount_micro) / 1_000_000;
      expect([call?.payer, amount > 0]).toEqual(['subscription', true]);
      expect(policy.windows.map((window: { used: string }) => window.used)).toEqual(['1', String(amount)]);
      expect(policy.concurrency_used).toBe(0);
      for (const { used, seconds, ends_at } of coverage.windows) {
        expect(used).toBe(String(amount));
        // The moment of the first use lies between; a second more for what is cut off and for two clocks.
        expect(ends_at >= showTime(beforeMs + seconds * 1_000 - 1_000), ends_at).toBe(true);
        expect(ends_at <= showTime(afterMs + seconds * 1_000 + 1_000), ends_at).toBe(true);
      }
    });

    test('an account without a subscription gets null', async () => {
      const member = await world.member();
      const { body } = await member.ask('GET', '/subscription/policy-limit');
      expect(body.data).toEqual({ subscription: null, policy: null, coverage: null });
    });

    test('the limits of an account and of each key with its own policy show use and reset', async () => {
      const member = await world.member({ credits: 1_000n });
      const slow = await newKey(member, { name: 'slow', policy_id: 2 });
      await newKey(member, { name: 'plain' });
      const limits = async (query = '') => (await member.ask('GET', `/limits${query}`)).body.data;
      const fresh = await limits();
      expect(fresh.coverage).toBeNull();
      expect(fresh.scopes).toMatchObject([
        { scope: 'account', key_id: null, key_name: null, policy: { id: 1, concurrency: 500, windows: [] } },
        {
          ...{ scope: 'key', key_id: slow.id, key_name: 'slow' },
          policy: {
            ...{ id: 2, name: 'one-a-minute', concurrency: null, concurrency_used: 0 },
            windows: [
              {
                ...{ dimension: 'requests', seconds: 60, limit: '1', used: '0' },
                ...{ ends_at: null, resets_in: null },
              },
            ],
          },
        },
      ]);
      expect((await world.call(slow.api_key)).status).toBe(200);
      const refused = await world.call(slow.api_key);
      expect(refused.status).toBe(429);
      const [, ofKey] = (await limits(`?key_id=${slow.id}`)).scopes;
      const [window] = ofKey.policy.windows;
      expect([window.used, window.limit]).toEqual(['1', '1']);
      expect(window.resets_in).toBeGreaterThan(0);
      // The time to wait, as the refusal told it a moment before.
      expect(window.resets_in).toBeLessThanOrEqual(Number(refused.headers.get('retry-after')));
      const foreign = await world.member();
      const { status, body } = await foreign.ask('GET', `/limits?key_id=${slow.id}`);
      expect([status, body.code]).toEqual([404, 1004]);
    });

    test('the limits with a subscription show its policy and coverage', async () => {
      const member = await world.member({ plan: 'PRO' });
      const { api_key: key } = await newKey(member);
      await world.call(key, 'gpt', 'tokens=300');
      await world.world.settled();
      const { body } = await member.ask('GET', '/limits');
      const { policy, coverage } = (await member.ask('GET', '/subscription/policy-limit')).body.data;
      const [account] = body.data.scopes;
      expect(account.policy.name).toBe('pro');
      expect(account.policy.windows.map(({ used }: { used: string }) => used)).toEqual(
        policy.windows.map(({ used }: { used: string }) => used),
      );
      expect(body.data.coverage).toMatchObject({ plan: 'PRO', models: ['gpt'] });
      expect(body.data.coverage.windows.map(({ used }: { used: string }) => used)).toEqual(
        coverage.windows.map(({ used }: { used: string }) => used),
      );
    });

    test('a plan without policy and windows has none', async () => {
      const member = await world.member({ plan: 'PLUS' });
      const { body } = await member.ask('GET', '/subscription/policy-limit');
      expect(body.data).toMatchObject({
        subscription: { plan: 'PLUS' },
        policy: null,
        coverage: { models: ['claude'], windows: [] },
      });
    });
  });
}

describe('rule I-71: the subscription records', () => {
  let world: MemberWorld;
  beforeAll(async () => {
    world = await MemberWorld.start();
  });
  afterAll(() => world.close());

  test('are paged, for the account only, with their state', async () => {
    const [member, stranger] = [await world.member(), await world.member({ plan: 'PLUS' })];
    const nowMs = Date.now();
    await world.world.database.query(
      `insert into subscriptions (account_id, plan_code, starts_at, ends_at, status) values
         ($1, 'PRO', $2, $3, 'active'), ($1, 'PLUS', $3, $4, 'active'), ($1, 'PLUS', $3, $5, 'cancelled'),
         ($1, 'PRO', $4, $5, 'active')`,
      [member.id, ...[-9_000, -1_000, 60_000, 120_000].map((ms) => new Date(nowMs + ms).toISOString())],
    );
    const first = await member.ask('GET', '/subscription/page?size=3');
    const second = await member.ask('GET', '/subscription/page?size=3&page=2');
    expect(first.body).toMatchObject({ total: 4, page: 1, size: 3 });
    const rows = [...first.body.data, ...second.body.data];
    expect(rows.map(({ plan, status }) => [plan, status])).toEqual([
      ['PRO', 'upcoming'],
      ['PLUS', 'cancelled'],
      ['PLUS', 'active'],
      ['PRO', 'ended'],
    ]);
    expect(rows[2]).toMatchObject({ plan_name: 'Plus', ends_at: showTime(nowMs + 60_000) });
    expect((await stranger.ask('GET', '/subscription/page')).body.total).toBe(1);
  });
});
