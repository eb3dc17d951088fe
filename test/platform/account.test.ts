import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseMicro } from '../../src/kernel/money.ts';
import { codeOf, type Member, MemberWorld, newKey } from './members.ts';

let world: MemberWorld;
beforeAll(async () => {
  world = await MemberWorld.start();
});
afterAll(() => world.close());

const ext = async (member: Member) => (await member.ask('GET', '/ext')).body.data;
const entriesOf = (accountId: number) =>
  world.world.database.query(
    `select kind, pool, change_micro, after_micro from ledger_entries where account_id = $1 order by seq`,
    [accountId],
  );

describe('rule I-68, rule I-69: the account', () => {
  test('has the user type in its profile, which is the verification level of model admission', async () => {
    const member = await world.member({ plan: 'PRO', patch: { userType: 2 } });
    const { body } = await member.ask('GET', '/profile');
    expect(body.data).toEqual({
      id: member.id,
      email: member.email,
      role: 'user',
      user_type: 2,
      verification: 'enterprise',
      plan: 'PRO',
      plan_level: 2,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    });
    const plain = await (await world.member()).ask('GET', '/profile');
    expect(plain.body.data).toMatchObject({
      user_type: 0,
      verification: 'unverified',
      plan: null,
      plan_level: 0,
    });
  });

  test('has balance, Credits, rates and switches in ext', async () => {
    const patch = { userRateMicro: 87_500_000n, extraApiQuotaMicro: 7_000_000n } as const;
    const member = await world.member({ credits: 1_234n, yuan: 56n, patch });
    expect(await ext(member)).toEqual({
      balance: '56',
      credits: '1234',
      user_rate: 87.5,
      system_rate: 90,
      api_billing: true,
      auto_exchange: false,
      extra_api_quota: '7',
      month_spent: '0',
    });
  });

  test('has the amount of this month, and not that of another month', async () => {
    const member = await world.member({ credits: 50_000n });
    const { api_key: key } = await newKey(member);
    await world.call(key, 'gpt', 'tokens=3000');
    await world.world.settled();
    const { month_spent: spent, credits } = await ext(member);
    expect(Number(spent)).toBeGreaterThan(0);
    expect(50_000_000_000n - (parseMicro(credits) ?? 0n)).toBe((parseMicro(spent) ?? 0n) * 1_000n);
    await world.world.database.query(`update accounts set month = '2020-01' where id = $1`, [member.id]);
    expect((await ext(member)).month_spent).toBe('0');
  });

  test('without API billing, subscription and BYOK has its calls refused with 40202', async () => {
    const member = await world.member({ credits: 5_000n });
    const { api_key: key } = await newKey(member);
    const off = await member.ask('PUT', '/api-billing', { enabled: false });
    expect([off.body.code, off.body.data]).toEqual([0, { enabled: false }]);
    expect((await ext(member)).api_billing).toBe(false);
    const refused = await world.call(key);
    expect([refused.status, await codeOf(refused)]).toEqual([403, 40202]);
    await member.ask('PUT', '/api-billing', { enabled: true });
    expect((await world.call(key)).status).toBe(200);
  });

  test('pays with Credits, and with balance only when automatic exchange is on', async () => {
    const member = await world.member({ yuan: 10n });
    const { api_key: key } = await newKey(member);
    expect((await world.call(key)).status).toBe(403);
    expect((await member.ask('PUT', '/points/auto-exchange', { enabled: true })).body.data).toEqual({
      enabled: true,
    });
    expect((await world.call(key, 'gpt', 'tokens=3000')).status).toBe(200);
    await world.world.settled();
    expect(Number((await ext(member)).balance)).toBeLessThan(10);
    await member.ask('PUT', '/points/auto-exchange', { enabled: false });
    expect((await ext(member)).auto_exchange).toBe(false);
  });

  test('takes only booleans as switches', async () => {
    const member = await world.member();
    for (const path of ['/api-billing', '/points/auto-exchange']) {
      for (const body of [{}, { enabled: 'true' }, { enabled: 1 }, { enabled: null }, [], 'enabled']) {
        const answer = await member.ask('PUT', path, body);
        expect([answer.status, answer.body.code], JSON.stringify(body)).toEqual([400, 1001]);
      }
    }
  });

  test('has a monthly cap outside the subscription as a hard limit in yuan, and 0 is unlimited', async () => {
    const member = await world.member({ credits: 50_000n });
    const { api_key: key } = await newKey(member);
    const set = await member.ask('PUT', '/extra-api-quota', { amount: '0.000001' });
    expect(set.body.data).toEqual({ amount: '0.000001' });
    const refused = await world.call(key);
    expect([refused.status, await codeOf(refused)]).toEqual([403, 40204]);
    await member.ask('PUT', '/extra-api-quota', { amount: '0' });
    expect((await world.call(key)).status).toBe(200);
    for (const amount of ['-1', '1e3', '', 'x', '0.0000001', '99999999999999', 5, null]) {
      const answer = await member.ask('PUT', '/extra-api-quota', { amount });
      expect([answer.status, answer.body.code], String(amount)).toEqual([400, 1001]);
    }
  });
});

describe('rule I-69: exchange of balance into Credits', () => {
  test('is previewed with the figures that the exchange then has, and moves nothing', async () => {
    const member = await world.member({ credits: 1n, yuan: 100n });
    for (const amount of ['12.345678', '0.000001', '87.654321']) {
      const before = await ext(member);
      const preview = await member.ask('GET', `/points/exchange/preview?amount=${amount}`);
      expect(await ext(member)).toEqual(before);
      const done = await member.ask('POST', '/points/exchange', { amount });
      expect(preview.body.data).toEqual(done.body.data);
    }
    for (const [amount, code] of [
      ...[['0', 1001] as const, ['-1', 1001] as const, ['1e3', 1001] as const, ['', 1001] as const],
      ['0.000001', 1007] as const,
    ]) {
      const answer = await member.ask('GET', `/points/exchange/preview?amount=${amount}`);
      expect([amount, answer.body.code]).toEqual([amount, code]);
      const done = await member.ask('POST', '/points/exchange', { amount });
      expect(done.body).toMatchObject({ code: answer.body.code, message: answer.body.message });
    }
  });

  test('is exact to the last of six decimals, and leaves both entries in the balance log', async () => {
    const member = await world.member({ yuan: 100n, credits: 1n });
    const { body } = await member.ask('POST', '/points/exchange', { amount: '12.345678' });
    expect(body.data).toEqual({
      amount: '12.345678',
      received: '12345.678',
      balance: '87.654322',
      credits: '12346.678',
    });
    expect(await ext(member)).toMatchObject({ balance: '87.654322', credits: '12346.678' });
    expect((await entriesOf(member.id)).slice(2)).toEqual([
      { kind: 'exchange', pool: 'balance', change_micro: -12_345_678n, after_micro: 87_654_322n },
      { kind: 'exchange', pool: 'credits', change_micro: 12_345_678_000n, after_micro: 12_346_678_000n },
    ]);
  });

  test('can be spent by the next call', async () => {
    const member = await world.member({ yuan: 10n });
    const { api_key: key } = await newKey(member);
    expect((await world.call(key)).status).toBe(403);
    await member.ask('POST', '/points/exchange', { amount: '10' });
    expect((await world.call(key)).status).toBe(200);
  });

  test('of more than the balance is refused with 1007 and changes nothing; zero is not an amount', async () => {
    const member = await world.member({ yuan: 5n });
    const short = await member.ask('POST', '/points/exchange', { amount: '5.000001' });
    expect([short.status, short.body.code]).toEqual([400, 1007]);
    for (const amount of ['0', '0.0', '-5', '5.0000001', '1e2', 'all', '', '9999999999999', 5, null, ['5']]) {
      const answer = await member.ask('POST', '/points/exchange', { amount });
      expect([answer.status, answer.body.code], JSON.stringify(amount)).toEqual([400, 1001]);
    }
    expect(await ext(member)).toMatchObject({ balance: '5', credits: '0' });
    expect(await entriesOf(member.id)).toHaveLength(1);
  });

  test('never raises Credits above the maximum of an account, and is no line of the audit log', async () => {
    const member = await world.member({ yuan: 999_999_999_000n });
    // The first amount in Credits would not even fit into the column.
    for (const amount of ['999999999000', '1000000000.000001']) {
      const { status, body } = await member.ask('POST', '/points/exchange', { amount });
      expect([status, body.code, body.message], amount).toEqual([
        ...[400, 1001, 'amount would raise the account above 1000000000000'],
      ]);
    }
    expect(await entriesOf(member.id)).toHaveLength(1);
    const most = await member.ask('POST', '/points/exchange', { amount: '1000000000' });
    expect(most.body.data).toMatchObject({ credits: '1000000000000' });
    const lines = await world.world.database.query(
      `select 1 from audit_log where entity = 'funds' and entity_key = $1`,
      [String(member.id)],
    );
    expect(lines).toEqual([]);
  });

  test('takes exactly the balance when a hundred run at once', async () => {
    const member = await world.member({ yuan: 10n });
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => member.ask('POST', '/points/exchange', { amount: '3' })),
    );
    const codes = answers.map(({ body }) => body.code);
    expect(codes.filter((code) => code === 0)).toHaveLength(3);
    expect(codes.every((code) => [0, 1007, 1006].includes(code))).toBe(true);
    expect(await ext(member)).toMatchObject({ balance: '1', credits: '9000' });
  });
});

describe('rule I-70: preferences', () => {
  test('have a fallback model, which must be an enabled model of the platform or empty', async () => {
    const member = await world.member();
    expect((await member.ask('GET', '/preference')).body.data).toEqual({
      fallback_model: null,
      byok_fallback: false,
    });
    const set = await member.ask('PUT', '/preference', { fallback_model: 'claude', byok_fallback: true });
    expect(set.body.data).toEqual({ fallback_model: 'claude', byok_fallback: true });
    for (const fallback_model of ['asleep', 'nothing', '', '__proto__', 5, 'x'.repeat(300)]) {
      const answer = await member.ask('PUT', '/preference', { fallback_model });
      expect([answer.status, answer.body.code], String(fallback_model)).toEqual([400, 1001]);
      expect(answer.body.message).toContain('fallback_model');
    }
    expect((await member.ask('PUT', '/preference', { byok_fallback: false })).body.data).toEqual({
      fallback_model: 'claude',
      byok_fallback: false,
    });
    await member.ask('PUT', '/preference', { fallback_model: null });
    expect((await member.ask('GET', '/preference')).body.data.fallback_model).toBeNull();
  });

  test('are in force for the next call', async () => {
    const member = await world.member({ credits: 50_000n });
    const { api_key: key } = await newKey(member);
    const broken = { match: { model: 'gpt-4o' }, times: 4, answer: { status: 500 } };
    world.world.simulator.script(broken);
    expect((await world.call(key)).status).toBeGreaterThanOrEqual(500);
    await member.ask('PUT', '/preference', { fallback_model: 'claude' });
    world.world.simulator.script(broken);
    const served = await world.call(key);
    expect([served.status, ((await served.json()) as { model: string }).model]).toEqual([200, 'claude']);
  });
});

describe('an unexpected field', () => {
  test('changes nothing, even if it is privileged', async () => {
    const member = await world.member({ yuan: 5n });
    const privileged = {
      balance: '1000',
      credits: '1000',
      user_type: 2,
      role: 'operator',
      user_rate: 1,
      id: 1,
    };
    await member.ask('PUT', '/api-billing', { enabled: true, ...privileged });
    await member.ask('PUT', '/preference', { byok_fallback: false, ...privileged });
    await member.ask('PUT', '/extra-api-quota', { amount: '9', ...privileged });
    expect(await ext(member)).toMatchObject({
      balance: '5',
      credits: '0',
      user_rate: 100,
      extra_api_quota: '0',
    });
    expect((await member.ask('GET', '/profile')).body.data).toMatchObject({ id: member.id, user_type: 0 });
  });
});
