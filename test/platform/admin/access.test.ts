import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCalendar } from '../../../src/kernel/time/calendar.ts';
import { createLedgerStore } from '../../../src/store/ledger/ledger.ts';
import { callOf } from '../../support/calls.ts';
import { newMember } from '../../support/logins.ts';
import { startWorld, type World } from '../../support/world.ts';
import { type Operator, operatorOf } from './operator.ts';

const HOUR = 3_600_000;
/** The first moment of an hour some days ago. */
const BEGIN = Math.floor(Date.now() / HOUR) * HOUR - 60 * HOUR;
const AUTH = '/api/v1/user/auth';
let world: World;
let operator: Operator;
let accountId: number;
const email = 'searched@example.com';

beforeAll(async () => {
  world = await startWorld();
  await newMember(world.database, 'boss@example.com', 'operator');
  operator = await operatorOf(world, 'boss@example.com');
  accountId = await newMember(world.database, email);
});
afterAll(() => world.close());

const login = async (password: string) =>
  (await world.api('POST', `${AUTH}/login`, { body: { email, password } })).body;

describe('the access to an account', () => {
  test('gets a reset password that is shown once, works, and ends the old one with every login', async () => {
    const token = await world.login(email);
    expect((await operator.get<unknown[]>(`/accounts/${accountId}/sessions`)).length).toBeGreaterThan(0);
    const path = `/accounts/${accountId}/password-reset`;
    const told = await operator.write<{ password: string; ended_sessions: number }>('POST', path);
    expect(told.password.length).toBeGreaterThanOrEqual(20);
    expect(told.ended_sessions).toBeGreaterThan(0);
    expect((await world.api('GET', '/profile', { token })).body.code).toBe(1002);
    expect((await login('a test password')).code).toBe(1002);
    expect((await login(told.password)).code).toBe(0);
    expect(JSON.stringify(await operator.lastRecord())).not.toContain(told.password);
    const { body } = await operator.ask('POST', '/accounts/4711/password-reset');
    expect(body.code).toBe(1004);
  });

  test('of the operator cannot be reset this way', async () => {
    const [own] = await operator.get<{ id: number }[]>('/accounts?email=boss@example.com');
    const { body } = await operator.ask('POST', `/accounts/${own?.id}/password-reset`);
    expect(body.code).toBe(1005);
  });

  test('by keys is listed, disabled and deleted, in force for the next call', async () => {
    const [user] = await operator.get<{ id: number }[]>('/accounts?email=user@example.com');
    const path = `/accounts/${user?.id}/keys`;
    const listed = await operator.ask('GET', path);
    const [key] = listed.body.data;
    expect([listed.body.total, key.status]).toEqual([1, 'enabled']);
    expect(JSON.stringify(listed.body)).not.toContain(world.key);
    const status = async () => {
      const messages = [{ role: 'user', content: 'hello' }];
      return (await world.post('/v1/chat/completions', { model: 'gpt-5', messages })).status;
    };
    expect(await status()).toBe(200);
    await operator.write('PUT', `${path}/${key.id}`, { status: 'disabled' });
    expect(await status()).toBe(401);
    await operator.write('PUT', `${path}/${key.id}`, { status: 'enabled' });
    expect(await status()).toBe(200);
    const wrong = await operator.ask('PUT', `${path}/${key.id}`, { policy_id: 4711 });
    expect(wrong.body).toMatchObject({ code: 1001, message: 'policy_id: there is no such policy' });
    // A key of another account is none of this one's.
    expect((await operator.ask('PUT', `/accounts/${accountId}/keys/${key.id}`, {})).body.code).toBe(1004);
    await operator.write('DELETE', `${path}/${key.id}`);
    expect(await status()).toBe(401);
    expect((await operator.ask('GET', path)).body.total).toBe(0);
  });
});

describe('the calls of all accounts', () => {
  const made = Array.from({ length: 130 }, (_, at) => ({
    createdAtMs: BEGIN + at * 17 * 60_000,
    modelUsed: at % 40 === 7 ? 'rare' : `model-${at % 3}`,
    keyId: 900 + (at % 4),
    status: at % 10 === 0 ? 502 : 200,
    ...(at % 10 === 0 && { verdict: 'failed' as const }),
  }));
  let ids: readonly string[];

  beforeAll(async () => {
    const others = await Promise.all(
      [1, 2].map((each) => newMember(world.database, `other-${each}@example.com`)),
    );
    const ledger = createLedgerStore({
      database: world.database,
      creditsPerYuan: world.config.creditsPerYuan,
      calendar: createCalendar('UTC'),
    });
    const calls = made.map((each, at) =>
      callOf({
        ...each,
        accountId: [accountId, ...others][at % 3] ?? 0,
        chargeMicro: 0n,
        freeReason: 'covered',
        payer: 'subscription',
      }),
    );
    await ledger.settle(calls);
    ids = calls.map(({ callId }) => callId);
  });

  interface Page {
    readonly calls: readonly { readonly request_id: string; readonly email: string }[];
    readonly next: string | null;
  }

  /** All pages of a search, one after the other. */
  async function all(query: string, size: number): Promise<readonly string[]> {
    const found: string[] = [];
    let next: string | null = '';
    for (let pages = 0; next !== null && pages < 200; pages++) {
      const cursor = next === '' ? '' : `&cursor=${next}`;
      const page: Page = await operator.get<Page>(`/calls?size=${size}&${query}${cursor}`);
      expect(page.calls.length).toBeLessThanOrEqual(size);
      found.push(...page.calls.map(({ request_id: id }) => id));
      next = page.next;
    }
    return found;
  }

  const wanted = (fits: (each: (typeof made)[number], at: number) => boolean): readonly string[] =>
    ids.filter((_, at) => fits(made[at] ?? (made[0] as (typeof made)[number]), at)).toReversed();
  const PAYER = 'payer=subscription';

  test.each([1, 7, 50, 100])('are read in pages of %i, each call once', async (size) => {
    expect(await all(PAYER, size)).toEqual(wanted(() => true));
  });

  test.each<[string, Parameters<typeof wanted>[0]]>([
    ['model=rare', ({ modelUsed }) => modelUsed === 'rare'],
    ['key_id=902', ({ keyId }) => keyId === 902],
    ['status=502', ({ status }) => status === 502],
    ['status=failed', ({ status }) => status === 502],
    ['status=ok&model=model-1', ({ status, modelUsed }) => status === 200 && modelUsed === 'model-1'],
    [`email=${email}`, (_, at) => at % 3 === 0],
    ['model=nobody', () => false],
    ['email=nobody@example.com', () => false],
  ])('are found by %s', async (query, fits) => {
    expect(await all(`${PAYER}&${query}`, 9)).toEqual(wanted(fits));
  });

  test('are found by account, by a time within an hour, and by the request id', async () => {
    expect(await all(`${PAYER}&account_id=${accountId}`, 9)).toEqual(wanted((_, at) => at % 3 === 0));
    const shown = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', '%20');
    const [fromMs, toMs] = [BEGIN + 5 * HOUR + 60_000, BEGIN + 20 * HOUR + 1_000];
    const range = `from=${shown(fromMs)}&to=${shown(toMs)}`;
    expect(await all(`${PAYER}&${range}`, 4)).toEqual(
      wanted(({ createdAtMs }) => createdAtMs >= fromMs && createdAtMs < toMs),
    );
    const one = await operator.get<Page>(`/calls?request_id=${ids[3]}`);
    expect(one.calls).toMatchObject([{ request_id: ids[3], email }]);
    expect((await operator.get<Page>('/calls?request_id=req_nobody')).calls).toEqual([]);
  });

  test('refuse an invalid cursor', async () => {
    for (const cursor of ['x', '1', '999999999999999999-1']) {
      expect((await operator.ask('GET', `/calls?cursor=${cursor}`)).body.code, cursor).toBe(1001);
    }
  });

  test('over time add up to the overview', async () => {
    const shown = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', '%20');
    const range = `from=${shown(BEGIN)}&to=${shown(BEGIN + 40 * HOUR)}`;
    const whole = await operator.get<Overview>(`/overview?${range}`);
    for (const [granularity, points] of [
      ['hour', 40],
      ['day', undefined],
    ] as const) {
      const series = await operator.get<Series>(`/overview/series?${range}&granularity=${granularity}`);
      if (points !== undefined) expect(series.times).toHaveLength(points);
      const sum = (list: readonly { calls: number }[]) => list.reduce((all_, { calls }) => all_ + calls, 0);
      expect(sum(series.traffic)).toBe(whole.traffic.calls);
      expect(sum(series.sales)).toBe(whole.sales.calls);
      expect(series.vendors.map(({ vendor }) => vendor)).toEqual(whole.vendors.map(({ vendor }) => vendor));
      const cost = series.sales.reduce((all_, each) => all_ + Number(each.cost), 0);
      expect(cost).toBeCloseTo(Number(whole.sales.cost), 6);
    }
    expect(whole.models.reduce((all_, { calls }) => all_ + calls, 0)).toBe(whole.sales.calls);
    const tooLong = `from=${shown(BEGIN - 50 * 24 * HOUR)}&to=${shown(BEGIN)}`;
    expect((await operator.ask('GET', `/overview/series?${tooLong}`)).body.code).toBe(1001);
  });

  interface Counted {
    readonly calls: number;
    readonly cost: string;
  }

  interface Overview {
    readonly traffic: { readonly calls: number };
    readonly sales: Counted;
    readonly vendors: readonly { readonly vendor: string }[];
    readonly models: readonly Counted[];
  }

  interface Series {
    readonly times: readonly string[];
    readonly traffic: readonly { readonly calls: number }[];
    readonly sales: readonly Counted[];
    readonly vendors: readonly { readonly vendor: string }[];
  }
});
