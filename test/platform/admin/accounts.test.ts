import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { examine } from '../../../src/store/operations/doctor.ts';
import { startWorld, type World } from '../../support/world.ts';
import { accountIdOf, type Operator, operatorOf } from './operator.ts';

let world: World;
let operator: Operator;
let userId: number;

beforeAll(async () => {
  world = await startWorld();
  operator = await operatorOf(world);
  userId = await accountIdOf(operator, 'user@example.com');
});
afterAll(() => world?.close());

interface Shown {
  readonly id: number;
  readonly email: string;
  readonly status: string;
  readonly user_type: number;
  readonly credits: string;
  readonly balance: string;
}

const chat = (model = 'gpt-5', key?: string) =>
  world.post(
    '/v1/chat/completions',
    { model, messages: [{ role: 'user', content: 'hello' }] },
    key === undefined ? {} : { authorization: `Bearer ${key}` },
  );
const account = (id = userId) => operator.get<Shown>(`/accounts/${id}`);

describe('accounts are found', () => {
  test('by a part of the address, status, role and level, with %% and _ as plain characters', async () => {
    const find = async (query: string) =>
      (await operator.get<Shown[]>(`/accounts?${query}`)).map(({ email }) => email);
    expect(await find('email=USER@')).toEqual(['user@example.com']);
    expect(await find('role=operator')).toEqual(['operator@example.com']);
    expect(await find('user_type=1')).toEqual(['user@example.com']);
    expect(await find('status=disabled')).toEqual([]);
    for (const text of ['%25', '_', 'us%25', '%27%20or%201=1'])
      expect(await find(`email=${text}`)).toEqual([]);
    const page = await operator.ask('GET', '/accounts?size=2&page=2');
    expect(page.body).toMatchObject({ total: 4, page: 2, size: 2 });
    expect(page.body.data).toHaveLength(2);
  });

  test('with money, switches, subscriptions, keys and BYOK credentials, and no secret', async () => {
    const token = await world.login('user@example.com');
    const byok = { vendor_code: 'openai', name: 'mine', secret: 'sk-canary-byok-0123456789-tail' };
    expect((await world.api('POST', '/credential', { token, body: byok })).body.code).toBe(0);
    const answer = await operator.ask('GET', `/accounts/${userId}`);
    expect(answer.body.data).toMatchObject({
      email: 'user@example.com',
      status: 'enabled',
      role: 'user',
      user_type: 1,
      user_rate: '100',
      credits: '50000',
      balance: '100',
      api_billing: true,
      auto_exchange: false,
      extra_api_quota: '0',
      keys_total: 1,
      keys: [{ name: 'test', status: 'enabled' }],
      credentials: [{ vendor: 'openai', name: 'mine', secret: '…tail', status: 'enabled' }],
    });
    expect(JSON.stringify(answer.body)).not.toMatch(/canary|scrypt|password|hash/);
    const [own] = (await world.api('GET', '/credential/page', { token })).body.data;
    await world.api('DELETE', `/credential?ids=${own.id}`, { token });
    expect((await operator.ask('GET', '/accounts/999999')).body.code).toBe(1004);
  });
});

describe('accounts are created and changed', () => {
  test('with a generated password that is shown once, and money from the ledger', async () => {
    const body = { email: 'New@Example.com', balance: '5', credits: '7.5' };
    const made = await operator.write<{ id: number; password: string }>('POST', '/accounts', body);
    expect(await operator.lastRecord()).toMatchObject({
      action: 'accounts.create',
      key: String(made.id),
      before: null,
      after: { email: 'new@example.com', role: 'user', balance: '5', credits: '7.5' },
    });
    expect(await world.login('new@example.com', made.password)).toEqual(expect.any(String));
    expect((await operator.ask('POST', '/accounts', body)).body.code).toBe(1005);
    const log = await operator.get<{ kind: string }[]>(`/accounts/${made.id}/balance-log/page`);
    expect(log.map(({ kind }) => kind).sort()).toEqual(['grant', 'top_up']);
  });

  test('and a disabled account is refused at once: its keys, its tokens, its logins', async () => {
    const token = await world.login('poor@example.com');
    const key = await world.newKey('poor@example.com');
    const id = await accountIdOf(operator, 'poor@example.com');
    expect(await operator.write('PUT', `/accounts/${id}`, { status: 'disabled' })).toMatchObject({
      status: 'disabled',
    });
    expect((await chat('gpt-5', key)).status).toBe(401);
    expect((await world.api('GET', '/profile', { token })).body.code).toBe(1002);
    await expect(world.login('poor@example.com')).rejects.toThrow();
    await operator.write('PUT', `/accounts/${id}`, { status: 'enabled' });
    expect((await world.api('GET', '/profile', { token })).body.code).toBe(0);
    expect(await operator.lastRecord()).toMatchObject({
      entity: 'accounts',
      before: { status: 'disabled' },
      after: { status: 'enabled' },
    });
  });

  test('and a rate is in force for the next call', async () => {
    const cost = async () => {
      await chat();
      await world.settled();
      const [last] = await operator.get<{ amount: string }[]>(`/accounts/${userId}/call-log/page?size=1`);
      return Number(last?.amount);
    };
    const full = await cost();
    await operator.write('PUT', `/accounts/${userId}`, { user_rate: '200' });
    expect(await cost()).toBeCloseTo(full * 2, 6);
    await operator.write('PUT', `/accounts/${userId}`, { user_rate: '100' });
  });

  test.each([
    [{ user_rate: '1000001' }, 'user_rate must be at most'],
    [{ fallback_model: 'nobody' }, 'fallback_model: there is no such model'],
    [{ credits: '1000000' }, 'credits is not known'],
    [{ password_hash: 'x' }, 'password_hash is not known'],
    [{ user_type: 3 }, 'user_type'],
  ])('but %j is refused', async (body, message) => {
    const { body: answer } = await operator.ask('PUT', `/accounts/${userId}`, body);
    expect(answer).toMatchObject({ code: 1001, message: expect.stringContaining(message) });
  });

  test('but operators cannot remove their own rights', async () => {
    const id = await accountIdOf(operator, 'operator@example.com');
    for (const body of [{ status: 'disabled' }, { role: 'user' }]) {
      expect((await operator.ask('PUT', `/accounts/${id}`, body)).body.code).toBe(1005);
    }
  });

  test('and ended sessions are void at once', async () => {
    const token = await world.login('empty@example.com');
    const id = await accountIdOf(operator, 'empty@example.com');
    expect(await operator.write('DELETE', `/accounts/${id}/sessions`)).toEqual({ ended: 1 });
    expect((await world.api('GET', '/profile', { token })).body.code).toBe(1002);
  });
});

describe('money', () => {
  test('of top-ups, grants and adjustments is in the ledger with its reason', async () => {
    const before = await account();
    const move = (what: string, body: object) =>
      operator.write(`POST`, `/accounts/${userId}/${what}`, { reason: 'order 4711', ...body });
    await move('top-up', { pool: 'balance', amount: '12.5' });
    await move('top-up', { pool: 'credits', amount: '100' });
    const funds = await move('adjust', { pool: 'credits', amount: '-30.25', reason: 'charged twice' });
    expect(Number(funds.credits)).toBeCloseTo(Number(before.credits) + 69.75, 6);
    expect(funds.balance).toBe('112.5');
    expect(await operator.lastRecord()).toMatchObject({
      action: 'accounts.adjust',
      entity: 'funds',
      key: String(userId),
      after: { credits: funds.credits, change: '-30.25', kind: 'adjustment', reason: 'charged twice' },
    });
    const log = await operator.get<object[]>(`/accounts/${userId}/balance-log/page?size=3`);
    expect(log).toMatchObject([
      { kind: 'adjustment', pool: 'credits', change: '-30.25', ref: 'charged twice' },
      { kind: 'grant', pool: 'credits', change: '100', ref: 'order 4711' },
      { kind: 'top_up', pool: 'balance', change: '12.5', ref: 'order 4711' },
    ]);
  });

  test('below zero is refused with 1007, and nothing is changed or recorded', async () => {
    const before = await account();
    const last = await operator.lastRecord();
    const body = { pool: 'balance', amount: '-1000000', reason: 'too much' };
    const { body: answer } = await operator.ask('POST', `/accounts/${userId}/adjust`, body);
    expect(answer.code).toBe(1007);
    expect(await account()).toEqual(before);
    expect(await operator.lastRecord()).toEqual(last);
  });

  test.each([
    ['top-up', { pool: 'balance', amount: '0', reason: 'x' }],
    ['top-up', { pool: 'balance', amount: '-1', reason: 'x' }],
    ['top-up', { pool: 'balance', amount: '1' }],
    ['top-up', { pool: 'balance', amount: '1', reason: ' ' }],
    ['top-up', { pool: 'credits', amount: '9999999999999', reason: 'x' }],
    ['top-up', { pool: 'gold', amount: '1', reason: 'x' }],
    ['adjust', { pool: 'credits', amount: '0', reason: 'x' }],
    ['adjust', { pool: 'credits', amount: '1e3', reason: 'x' }],
  ])('by %s %j is 1001', async (what, body) => {
    expect((await operator.ask('POST', `/accounts/${userId}/${what}`, body)).body.code).toBe(1001);
  });

  test('is consistent in the books afterwards', async () => {
    await world.settled();
    expect(await examine(world.database)).toEqual([]);
  });
});

describe('subscriptions', () => {
  test('are granted, listed and cancelled; a call is covered in between', async () => {
    await operator.write('POST', '/plans', {
      code: 'PRO',
      level: 2,
      covers: { models: '*', windows: [{ seconds: 3600, amount: '50' }] },
    });
    const payer = async () => {
      expect((await chat('gpt-5')).status).toBe(200);
      await world.settled();
      const [last] = await operator.get<{ payer: string }[]>(`/accounts/${userId}/call-log/page?size=1`);
      return last?.payer;
    };
    const place = `/accounts/${userId}/subscriptions`;
    const granted = await operator.write<{ id: number }>('POST', place, { plan: 'PRO', days: 2 });
    expect(await operator.get(place)).toMatchObject([{ id: granted.id, plan: 'PRO', status: 'active' }]);
    expect(await payer()).toBe('subscription');
    await operator.write('DELETE', `${place}/${granted.id}`);
    expect(await payer()).toBe('credits');
    expect(await operator.get(place)).toMatchObject([{ id: granted.id, status: 'cancelled' }]);
    expect((await operator.ask('DELETE', `${place}/${granted.id}`)).body.code).toBe(1004);
    expect((await operator.ask('POST', place, { plan: 'NONE' })).body.code).toBe(1001);
    expect((await operator.ask('POST', '/accounts/999999/subscriptions', { plan: 'PRO' })).body.code).toBe(
      1004,
    );
  });

  test('of another account cannot be reached through this one', async () => {
    const other = await accountIdOf(operator, 'empty@example.com');
    const granted = await operator.write<{ id: number }>('POST', `/accounts/${other}/subscriptions`, {
      plan: 'PRO',
    });
    const { body } = await operator.ask('DELETE', `/accounts/${userId}/subscriptions/${granted.id}`);
    expect(body.code).toBe(1004);
    expect(await operator.get(`/accounts/${other}/subscriptions`)).toMatchObject([{ status: 'active' }]);
  });
});

describe('an account’s logs', () => {
  test('are those that the account sees itself', async () => {
    const token = await world.login('user@example.com');
    for (const path of ['/call-log/page', '/consumption-log/page', '/balance-log/page', '/stats/overview']) {
      const own = (await world.api('GET', path, { token })).body.data;
      expect(await operator.get(`/accounts/${userId}${path}`)).toEqual(own);
    }
    const [call] = (await world.api('GET', '/call-log/page', { token })).body.data;
    expect(await operator.get(`/accounts/${userId}/call-log/detail/${call.id}`)).toMatchObject({
      id: call.id,
    });
    const other = await accountIdOf(operator, 'empty@example.com');
    const { body } = await operator.ask('GET', `/accounts/${other}/call-log/detail/${call.id}`);
    expect(body.code).toBe(1004);
    expect((await operator.ask('GET', '/accounts/999999/call-log/page')).body.code).toBe(1004);
  });
});
