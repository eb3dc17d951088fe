import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTimeFormat } from '../../src/kernel/time/calendar.ts';
import { operatorOf } from './admin/operator.ts';
import { codeOf, type Member, MemberWorld, newKey } from './members.ts';

let world: MemberWorld;
let ada: Member;
let eve: Member;

beforeAll(async () => {
  world = await MemberWorld.start({ TOLLGATE_TIMEZONE: 'Asia/Shanghai' });
  [ada, eve] = [await world.member({ credits: 50_000n }), await world.member()];
});
afterAll(() => world.close());

const showTime = createTimeFormat('Asia/Shanghai');
const outcome = async (answer: ReturnType<Member['ask']>) => {
  const { status, body } = await answer;
  return [status, body.code];
};

describe('rule I-66: an API key', () => {
  test('needs a name of at most 100 characters', async () => {
    const name = '𝔎é字🙂'.repeat(25);
    expect([...name]).toHaveLength(100);
    const { body } = await ada.ask('POST', '/api-key', { name });
    expect(body.data.name).toBe(name);
    for (const wrong of [
      {},
      { name: '' },
      { name: '  ' },
      { name: `${name}x` },
      { name: 5 },
      { name: 'a\nb' },
    ]) {
      const answer = await ada.ask('POST', '/api-key', wrong);
      expect([answer.status, answer.body.code], JSON.stringify(wrong)).toEqual([400, 1001]);
      expect(answer.body.message).toContain('name');
    }
  });

  test('can have a policy_id, which must exist and be open to users', async () => {
    const limited = await newKey(ada, { policy_id: 2 });
    expect((await ada.ask('GET', `/api-key/detail/${limited.id}`)).body.data.policy_id).toBe(2);
    expect((await world.call(limited.api_key)).status).toBe(200);
    expect(await codeOf(await world.call(limited.api_key))).toBe(42902);
    for (const policy_id of [99, 3, -1, 0, 1.5, '2', 2 ** 53]) {
      const answer = await ada.ask('POST', '/api-key', { name: 'x', policy_id });
      expect([answer.status, answer.body.code], String(policy_id)).toEqual([400, 1001]);
      expect(answer.body.message).toContain('policy_id');
    }
  });

  test('can have the policies that an operator opened; by default those of the plans', async () => {
    const { email } = await world.member({ patch: { role: 'operator' } });
    const operator = await operatorOf(world.world, email);
    const say = (policy: number, selectable: boolean | null) =>
      operator.write('PUT', `/policies/${policy}`, { selectable });
    const choose = async (policy: number) =>
      (await ada.ask('POST', '/api-key', { name: 'chosen', policy_id: policy })).body.code;
    // 2 is nobody's, 3 is a plan's.
    expect([await choose(2), await choose(3)]).toEqual([0, 1001]);
    expect(await say(2, false)).toMatchObject({ id: 2, selectable: false });
    expect(await say(3, true)).toMatchObject({ id: 3, selectable: true });
    expect([await choose(2), await choose(3)]).toEqual([1001, 0]);
    expect((await operator.ask('PUT', '/policies/2', { selectable: 'no' })).body.code).toBe(1001);
    await say(2, null);
    expect(await say(3, null)).toMatchObject({ id: 3, selectable: null });
    expect([await choose(2), await choose(3)]).toEqual([0, 1001]);
  });

  test('has the subscription’s policy with higher priority', async () => {
    const member = await world.member({ plan: 'PRO' });
    const { api_key: key } = await newKey(member, { policy_id: 2 });
    for (let calls = 0; calls < 3; calls++) expect((await world.call(key)).status).toBe(200);
  });

  test('has expires_at as YYYY-MM-DD hh:mm:ss, which is absent for no expiry and never in the past', async () => {
    const laterMs = Math.ceil(Date.now() / 1000) * 1000 + 3_600_000;
    const { id, api_key: lasting } = await newKey(ada, { expires_at: showTime(laterMs) });
    const { body } = await ada.ask('GET', `/api-key/detail/${id}`);
    expect(body.data.expires_at).toBe(showTime(laterMs));
    expect((await world.call(lasting)).status).toBe(200);
    const soonMs = Math.ceil(Date.now() / 1000) * 1000 + 10_000;
    const { api_key: key } = await newKey(ada, { expires_at: showTime(soonMs) });
    const never = await newKey(ada);
    expect((await ada.ask('GET', `/api-key/detail/${never.id}`)).body.data.expires_at).toBeNull();
    const wrong = [
      showTime(Date.now() - 1_000),
      '2030-02-30 00:00:00',
      '2030-01-01',
      '2030-01-01T00:00:00Z',
      5,
    ];
    for (const expires_at of wrong) {
      const answer = await ada.ask('POST', '/api-key', { name: 'x', expires_at });
      expect([answer.status, answer.body.code], String(expires_at)).toEqual([400, 1001]);
      expect(answer.body.message).toContain('expires_at');
    }
    await new Promise((resolve) => setTimeout(resolve, soonMs - Date.now() + 50));
    expect(await codeOf(await world.call(key))).toBe(40101);
  });

  test('is enabled by default', async () => {
    const { body } = await ada.ask('POST', '/api-key', { name: 'by default' });
    expect(body.data.status).toBe('enabled');
    const asleep = await newKey(ada, { status: 'disabled' });
    expect(await codeOf(await world.call(asleep.api_key))).toBe(40101);
    expect(await outcome(ada.ask('POST', '/api-key', { name: 'x', status: 'deleted' }))).toEqual([400, 1001]);
  });

  test('has its plaintext in the create response only; lists and details have a prefix', async () => {
    const { id, api_key: key } = await newKey(ada, { name: 'secretive' });
    expect(key).toMatch(/^tg-[0-9a-z]{39}$/);
    const page = await ada.ask('GET', '/api-key/page?size=100');
    const detail = await ada.ask('GET', `/api-key/detail/${id}`);
    expect(detail.body.data).toMatchObject({ id, name: 'secretive', prefix: key.slice(0, 9) });
    for (const { body } of [page, detail]) expect(JSON.stringify(body)).not.toContain(key.slice(9, 20));
    const rows = await world.world.database.query('select to_jsonb(api_keys) as row from api_keys');
    expect(JSON.stringify(rows)).not.toContain(key.slice(9));
  });

  test('is one of several in an account, in pages, newest first', async () => {
    const member = await world.member();
    const ids: number[] = [];
    for (const name of ['one', 'two', 'three']) ids.unshift((await newKey(member, { name })).id);
    const first = await member.ask('GET', '/api-key/page?size=2');
    expect(first.body).toMatchObject({ total: 3, page: 1, size: 2 });
    const second = await member.ask('GET', '/api-key/page?page=2&size=2');
    const seen = [...first.body.data, ...second.body.data].map((key: { id: number }) => key.id);
    expect(seen).toEqual(ids);
    expect((await member.ask('GET', '/api-key/page')).body).toMatchObject({ page: 1, size: 20 });
    for (const query of ['page=0', 'size=101', 'size=0', 'page=x', 'page=1e400', 'page=-1', 'size=1.5']) {
      const answer = await member.ask('GET', `/api-key/page?${query}`);
      expect([answer.status, answer.body.code], query).toEqual([400, 1001]);
      expect(answer.body.message).toContain(query.slice(0, 4));
    }
  });
});

describe('rule I-67: keys', () => {
  test('work at once, and deleted ones are refused at once with 40101', async () => {
    const { id, api_key: key } = await newKey(ada);
    expect((await world.call(key)).status).toBe(200);
    expect((await ada.ask('DELETE', `/api-key?ids=${id}`)).body.data).toEqual({ deleted: 1 });
    expect(await codeOf(await world.call(key))).toBe(40101);
    expect(await outcome(ada.ask('GET', `/api-key/detail/${id}`))).toEqual([404, 1004]);
    expect(await outcome(ada.ask('DELETE', `/api-key?ids=${id}`))).toEqual([404, 1004]);
  });

  test('that are disabled are refused at once with 40101, and work again when they are enabled', async () => {
    const { id, api_key: key } = await newKey(ada);
    const disabled = await ada.ask('PUT', '/api-key', { id, status: 'disabled', name: 'tired' });
    expect(disabled.body.data).toMatchObject({ id, name: 'tired', status: 'disabled' });
    expect(await codeOf(await world.call(key))).toBe(40101);
    expect((await ada.ask('PUT', '/api-key', { id, status: 'enabled' })).body.data.name).toBe('tired');
    expect((await world.call(key)).status).toBe(200);
  });

  test('are deleted by a comma-separated list of ids: malformed ones are refused and nothing is deleted', async () => {
    const { id } = await newKey(ada);
    const wrong = [
      '',
      'abc',
      `${id},`,
      `,${id}`,
      `${id};1`,
      `${id},-1`,
      `${id},1.5`,
      `${id},0x1`,
      '9'.repeat(20),
    ];
    for (const ids of [...wrong, `${id} or 1=1`, `[${id}]`, `${id},9007199254740993`]) {
      const answer = await ada.ask('DELETE', `/api-key?ids=${encodeURIComponent(ids)}`);
      expect([answer.status, answer.body.code], ids).toEqual([400, 1001]);
    }
    expect(await outcome(ada.ask('DELETE', '/api-key'))).toEqual([400, 1001]);
    expect(await outcome(ada.ask('DELETE', `/api-key?ids=${id}&ids=${id}`))).toEqual([400, 1001]);
    expect(await outcome(ada.ask('GET', `/api-key/detail/${id}`))).toEqual([200, 0]);
  });

  test('are deleted together; with a foreign or absent one among them none is', async () => {
    const [first, second, foreign] = [await newKey(ada), await newKey(ada), await newKey(eve)];
    for (const stranger of [foreign.id, 999_999_999]) {
      const answer = await ada.ask('DELETE', `/api-key?ids=${first.id},${stranger},${second.id}`);
      expect([answer.status, answer.body.code], String(stranger)).toEqual([404, 1004]);
    }
    for (const { id } of [first, second]) {
      expect(await outcome(ada.ask('GET', `/api-key/detail/${id}`))).toEqual([200, 0]);
    }
    expect(await outcome(eve.ask('GET', `/api-key/detail/${foreign.id}`))).toEqual([200, 0]);
    const both = await ada.ask('DELETE', `/api-key?ids=${first.id},${second.id},${first.id}`);
    expect(both.body.data).toEqual({ deleted: 2 });
  });

  test('of another account are answered exactly like absent ones', async () => {
    const { id } = await newKey(eve, { name: 'eve alone' });
    for (const [method, path, body] of [
      ['GET', '/api-key/detail/:id'],
      ['DELETE', '/api-key?ids=:id'],
      ['PUT', '/api-key', { name: 'stolen' }],
    ] as const) {
      const ask = (which: number) =>
        ada.ask(method, path.replace(':id', String(which)), body && { ...body, id: which });
      const [foreign, absent] = [await ask(id), await ask(987_654_321)];
      expect(foreign.body, path).toEqual(absent.body);
      expect([foreign.status, foreign.body.code]).toEqual([404, 1004]);
    }
    expect((await eve.ask('GET', `/api-key/detail/${id}`)).body.data.name).toBe('eve alone');
  });

  test('have the time of their last use', async () => {
    const { id, api_key: key } = await newKey(ada);
    expect((await ada.ask('GET', `/api-key/detail/${id}`)).body.data.last_used_at).toBeNull();
    const beforeMs = Date.now();
    await world.call(key);
    await world.world.settled();
    const { body } = await ada.ask('GET', `/api-key/detail/${id}`);
    const [first, last] = [showTime(beforeMs), showTime(Date.now())];
    expect(body.data.last_used_at >= first && body.data.last_used_at <= last, body.data.last_used_at).toBe(
      true,
    );
  });

  test.each([
    ['account_id', 1],
    ['id', 1],
    ['prefix', 'tg-zzzzzz'],
    ['api_key', 'tg-x'],
    ['balance', '9'],
  ])('do not take %s from the caller', async (name, value) => {
    const { body } = await ada.ask('POST', '/api-key', { name: 'mine', [name]: value });
    expect(body).toMatchObject({ code: 1001, message: `${name} is not known`, data: null });
  });

  test('are deleted once by a hundred simultaneous deletions', async () => {
    const { id, api_key: key } = await newKey(ada);
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => ada.ask('DELETE', `/api-key?ids=${id}`)),
    );
    expect(answers.filter(({ body }) => body.code === 0)).toHaveLength(1);
    expect(answers.every(({ body }) => [0, 1004, 1006].includes(body.code))).toBe(true);
    expect(await codeOf(await world.call(key))).toBe(40101);
  });
});

describe('rule I-17: authentication', () => {
  test('refuses an API key at a platform endpoint, and an access token at the gateway', async () => {
    const { api_key: key } = await newKey(ada);
    const refused = await world.world.api('GET', '/api-key/page', { token: key });
    expect([refused.status, refused.body.code]).toEqual([401, 1002]);
    expect(await codeOf(await world.call(ada.token))).toBe(40101);
    expect(await outcome(world.world.api('GET', '/api-key/page'))).toEqual([401, 1002]);
  });
});
