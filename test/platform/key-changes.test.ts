import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTimeFormat } from '../../src/kernel/time/calendar.ts';
import { codeOf, type Member, MemberWorld, newKey } from './members.ts';

const showTime = createTimeFormat('UTC');
let world: MemberWorld;
let member: Member;

beforeAll(async () => {
  world = await MemberWorld.start();
  member = await world.member({ credits: 5_000n });
});
afterAll(() => world.close());

const change = async (body: object) => (await member.ask('PUT', '/api-key', body)).body;

describe('a key is changed by its owner, in force for the next call', () => {
  test('in its policy, which can be set and removed', async () => {
    const { id, api_key: key } = await newKey(member);
    expect(await change({ id, policy_id: 2 })).toMatchObject({ code: 0, data: { policy_id: 2 } });
    expect((await world.call(key)).status).toBe(200);
    expect((await world.call(key)).status).toBe(429);
    expect(await change({ id, policy_id: null })).toMatchObject({ code: 0, data: { policy_id: null } });
    expect((await world.call(key)).status).toBe(200);
  });

  test('in its expiry, which can be set, moved and removed', async () => {
    const { id, api_key: key } = await newKey(member);
    const soonMs = Math.ceil(Date.now() / 1_000) * 1_000 + 1_000;
    const later = '2099-01-01 00:00:00';
    expect(await change({ id, expires_at: showTime(soonMs) })).toMatchObject({ code: 0 });
    await expect.poll(async () => codeOf(await world.call(key)), { timeout: 30_000 }).toBe(40101);
    expect((await change({ id, expires_at: later })).data.expires_at).toBe(later);
    expect((await world.call(key)).status).toBe(200);
    expect((await change({ id, expires_at: null })).data.expires_at).toBeNull();
  });

  test('in its name and status, and missing fields stay unchanged', async () => {
    const { id, api_key: key } = await newKey(member, { policy_id: 2, expires_at: '2099-01-01 00:00:00' });
    const { data } = await change({ id, name: 'renamed', status: 'disabled' });
    expect(data).toMatchObject({
      ...{ name: 'renamed', status: 'disabled', policy_id: 2, expires_at: '2099-01-01 00:00:00' },
    });
    expect(await codeOf(await world.call(key))).toBe(40101);
    await change({ id, status: 'enabled' });
    expect((await world.call(key)).status).toBe(200);
  });

  test.each([
    [{ policy_id: 3 }, 'policy_id is not a policy that a key may have'],
    [{ policy_id: 4711 }, 'policy_id is not a policy that a key may have'],
    [{ expires_at: '2027-02-30 00:00:00' }, 'expires_at is a date or time that does not exist'],
    [{ expires_at: '2020-01-01 00:00:00' }, 'expires_at is in the past: the time is '],
  ])('but %j is refused, and nothing is changed', async (body, message) => {
    const { id } = await newKey(member);
    const answer = await change({ id, name: 'other', ...body });
    expect(answer.code).toBe(1001);
    expect(answer.message).toContain(message);
    expect((await member.ask('GET', `/api-key/detail/${id}`)).body.data.name).toBe('a key');
  });

  test('but not by another account', async () => {
    const { id } = await newKey(member);
    const stranger = await world.member();
    const { status, body } = await stranger.ask('PUT', '/api-key', { id, policy_id: 2 });
    expect([status, body.code]).toEqual([404, 1004]);
  });
});
