import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../../support/world.ts';
import { accountIdOf, type Operator, operatorOf } from './operator.ts';

let world: World;
let operator: Operator;

beforeAll(async () => {
  world = await startWorld();
  operator = await operatorOf(world);
});
afterAll(() => world?.close());

const VENDOR = { code: 'acme', protocols: ['chat'], base_url: 'http://127.0.0.1:9' };
const SECRET = 'sk-canary-0123456789-last';

const chat = (model: string) =>
  world.post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'hello' }] });

/** Of each kind of entry: what makes one, what changes it, and how it looks then. */
const LIFE = [
  ['vendors', 'acme', VENDOR, { rate: '80', byok: true }],
  ['models', 'new/model', { model_id: 'new/model', prices: { input: '1.5' } }, { status: 'disabled' }],
  ['policies', '77', { id: 77, name: 'tight' }, { concurrency: 3, selectable: false }],
  ['plans', 'GOLD', { code: 'GOLD', level: 3, price: '99.9' }, { days: 365 }],
  ['nodes', 'far away', { name: 'far away', base_url: 'https://far.example.com' }, { rate: '110' }],
  [
    'announcements',
    '9',
    { id: 9, title: 'Soon', starts_at: '2026-01-01 00:00:00', ends_at: '2026-02-01 00:00:00' },
    { body: 'Two\nlines' },
  ],
] as const;

describe('every entity of the catalogue is listed, read, created, changed and deleted', () => {
  test.each(LIFE)('%s', async (kind, key, made, changed) => {
    const place = `/${kind}/${encodeURIComponent(key)}`;
    expect((await operator.ask('GET', place)).body.code).toBe(1004);
    expect(await operator.write('POST', `/${kind}`, made)).toMatchObject(made);
    expect((await operator.ask('POST', `/${kind}`, made)).body.code).toBe(1005);
    const before = await operator.get(place);
    expect(await operator.write('PUT', place, changed)).toEqual({ ...before, ...changed });
    expect(await operator.get(place)).toEqual({ ...before, ...changed });
    const listed = await operator.get<unknown[]>(`/${kind}?size=100`);
    expect(listed).toContainEqual({ ...before, ...changed });
    expect(await operator.lastRecord()).toMatchObject({
      actor_email: 'operator@example.com',
      address: '127.0.0.1',
      action: `${kind}.update`,
      entity: kind,
      key,
      before,
      after: { ...before, ...changed },
    });
    expect(await operator.write('DELETE', place)).toEqual({});
    expect(await operator.lastRecord()).toMatchObject({ action: `${kind}.delete`, after: null });
    expect((await operator.ask('DELETE', place)).body.code).toBe(1004);
  });

  test('and an entry that is sent back unchanged changes nothing', async () => {
    const models = await operator.get<Record<string, unknown>[]>('/models?search=gpt-5');
    expect(models).toHaveLength(1);
    const { model_id: modelId, ...rest } = models[0] ?? {};
    expect(await operator.write('PUT', `/models/${modelId}`, rest)).toEqual(models[0]);
  });

  test('and policies and announcements get numbers by default', async () => {
    const first = await operator.write<{ id: number }>('POST', '/policies', { name: 'one' });
    const second = await operator.write<{ id: number }>('POST', '/policies', { name: 'two' });
    expect(second.id).toBe(first.id + 1);
    for (const { id } of [first, second]) await operator.write('DELETE', `/policies/${id}`);
  });
});

describe('a change is checked by the rules of the catalogue file', () => {
  test.each([
    [
      'POST',
      '/vendors',
      { ...VENDOR, code: 'bad', base_url: 'ftp://example.com' },
      'base_url: must be an http',
    ],
    ['POST', '/vendors', { ...VENDOR, code: 'bad', protocols: [] }, 'protocols: must name at least one'],
    ['POST', '/vendors', { ...VENDOR, code: 'a b' }, 'code: must be letters'],
    [
      'POST',
      '/vendors',
      { ...VENDOR, code: 'bad', rate: '1000001' },
      'rate: must be a decimal from 0 to 1000000',
    ],
    ['POST', '/vendors', { ...VENDOR, code: 'bad', nonsense: 1 }, 'nonsense is not known'],
    ['PUT', '/vendors/openai', { code: 'other' }, 'code is not known'],
    ['POST', '/credentials', { name: 'x', vendor: 'nobody', secret: 'k' }, 'vendor: unknown vendor'],
    ['POST', '/credentials', { name: 'x', vendor: 'openai', secret: 'a b' }, 'secret: must be printable'],
    ['POST', '/models', { model_id: 'x', restriction: { kind: 'plan', level: 9 } }, 'restriction: a level'],
    ['POST', '/models', { model_id: 'x', capabilities: { wings: true } }, 'capabilities.wings: unknown key'],
    [
      'POST',
      '/routes',
      { model_id: 'no', vendor: 'openai', credential: 'openai-main' },
      'model_id: there is no',
    ],
    ['POST', '/routes', { model_id: 'gpt-5', vendor: 'google', credential: 'openai-main' }, 'credential'],
    ['POST', '/plans', { code: 'X', level: 1, policy: 4711 }, 'policy: unknown policy 4711'],
    [
      'POST',
      '/plans',
      { code: 'X', level: 1, covers: { models: ['no'] } },
      'covers.models[0]: unknown model',
    ],
    [
      'POST',
      '/announcements',
      { title: 'x', starts_at: '2026-02-30 00:00:00', ends_at: '2026-03-01 00:00:00' },
      'starts_at: must be a time',
    ],
    ['PUT', '/settings', { defaults: { policy: 4711 } }, 'defaults.policy: unknown policy 4711'],
  ])('%s %s %j', async (method, path, body, message) => {
    const { body: answer } = await operator.ask(method, path, body);
    expect(answer).toMatchObject({ code: 1001, message: expect.stringContaining(message) });
  });

  test('and a variable of the environment is plain text', async () => {
    const made = { name: 'literal', vendor: 'openai', secret: ['$', '{DATABASE_URL}'].join('') };
    const { id } = await operator.write<{ id: number }>('POST', '/credentials', made);
    const [row] = await world.database.query<{ secret_hint: string }>(
      `select secret_hint from credentials where name = 'literal'`,
    );
    expect(row?.secret_hint).toBe('');
    await operator.write('DELETE', `/credentials/${id}`);
  });
});

describe('an entry in use is not deleted', () => {
  test.each([
    ['/vendors/openai', 'credential openai-main'],
    ['/models/gpt-5', 'of gpt-5'],
    ['/policies/1', 'the default for accounts'],
  ])('%s', async (path, user) => {
    const { body } = await operator.ask('DELETE', path);
    expect(body).toMatchObject({ code: 1005, message: expect.stringContaining(user) });
    expect((await operator.ask('GET', path)).body.code).toBe(0);
  });

  test('such as a credential of routes, by its number', async () => {
    const [main] = await operator.get<{ id: number }[]>('/credentials?search=openai-main');
    const { body } = await operator.ask('DELETE', `/credentials/${main?.id}`);
    expect(body).toMatchObject({ code: 1005, message: expect.stringMatching(/route \d+ of gpt-5/) });
  });

  test('such as a policy of a key, a plan of a subscription, a fallback model', async () => {
    await operator.write('POST', '/plans', { code: 'KEPT', level: 1 });
    await operator.write('POST', '/models', { model_id: 'kept' });
    const id = await accountIdOf(operator, 'user@example.com');
    await operator.write('POST', `/accounts/${id}/subscriptions`, { plan: 'KEPT', days: 1 });
    await operator.write('PUT', `/accounts/${id}`, { fallback_model: 'kept' });
    await world.newKey('user@example.com', { policyId: 5 });
    const messages = ['/plans/KEPT', '/models/kept', '/policies/5'].map(async (path) => {
      const { body } = await operator.ask('DELETE', path);
      return `${body.code} ${body.message}`;
    });
    expect(await Promise.all(messages)).toEqual([
      '1005 The entry is in use by 1 subscriptions',
      '1005 The entry is in use by 1 accounts that fall back to it',
      '1005 The entry is in use by 1 keys',
    ]);
    await operator.write('PUT', `/accounts/${id}`, { fallback_model: null });
  });
});

describe('a change is in force for the next call', () => {
  test('such as a model with its route, which is callable after the answers and gone after the deletion', async () => {
    const before = (await chat('fresh')).status;
    expect(before).not.toBe(200);
    await operator.write('POST', '/models', { model_id: 'fresh', prices: { input: '1', output: '2' } });
    const route = {
      model_id: 'fresh',
      vendor: 'openai',
      credential: 'openai-main',
      forward_model_id: 'gpt-4o',
    };
    const made = await operator.write<{ id: number }>('POST', '/routes', { ...route, protocols: ['chat'] });
    expect((await operator.ask('POST', '/routes', route)).body.code).toBe(1005);
    expect((await chat('fresh')).status).toBe(200);
    expect(await operator.write('PUT', `/routes/${made.id}`, { status: 'disabled' })).toMatchObject({
      ...route,
      id: made.id,
      status: 'disabled',
    });
    expect((await chat('fresh')).status).not.toBe(200);
    await operator.write('PUT', `/routes/${made.id}`, { status: 'enabled' });
    expect((await chat('fresh')).status).toBe(200);
    await operator.write('DELETE', `/routes/${made.id}`);
    await operator.write('DELETE', '/models/fresh');
    expect((await chat('fresh')).status).toBe(before);
  });

  test('such as the settings, where missing fields stay unchanged', async () => {
    const before = await operator.get<Record<string, unknown>>('/settings');
    const after = await operator.write('PUT', '/settings', {
      system_rate: '90',
      defaults: { user_rate: '95' },
      verification_grants: { personal: '1000' },
    });
    expect(after).toEqual({
      system_rate: '90',
      defaults: { ...(before.defaults as object), user_rate: '95' },
      verification_grants: { ...(before.verification_grants as object), personal: '1000' },
    });
    await operator.write('PUT', '/settings', before);
    expect(await operator.get('/settings')).toEqual(before);
  });
});

describe('the secret of a credential', () => {
  test('is stored and never shown except its last four characters, and calls use it', async () => {
    const made = { name: 'second', vendor: 'openai', secret: SECRET, limits: { rpm: 60 } };
    const created = await operator.write<{ id: number }>('POST', '/credentials', made);
    expect(created).toMatchObject({ name: 'second', secret: '…last', limits: { rpm: 60, tpm: null } });
    const place = `/credentials/${created.id}`;
    // What is shown of it is no secret, and is not taken for one.
    expect((await operator.ask('PUT', place, { secret: '…last' })).body.code).toBe(1001);
    expect(await operator.write('PUT', place, { rate: '50' })).toEqual({ ...created, rate: '50' });
    const other = await operator.write('PUT', place, { secret: 'sk-other-0123456789-next' });
    expect(other).toEqual({ ...created, rate: '50', secret: '…next' });
    expect(await operator.lastRecord()).toMatchObject({
      before: { secret: '…last' },
      after: { secret: '…next', secret_replaced: true },
    });
    const logged = await world.database.query('select before::text, after::text from audit_log');
    expect(JSON.stringify(logged)).not.toMatch(/canary|sk-other/);
    expect(await operator.get(`/credentials?search=last`)).toEqual([]);
    await operator.write('DELETE', place);
  });

  test('never goes to the address of another vendor, because the vendor of a credential is fixed', async () => {
    const [main] = await operator.get<{ id: number }[]>('/credentials?search=openai-main');
    const { body } = await operator.ask('PUT', `/credentials/${main?.id}`, { vendor: 'google' });
    expect(body).toMatchObject({ code: 1001, message: 'vendor is not known' });
  });
});

describe('the administration', () => {
  test('is closed to users, without further information', async () => {
    const token = await world.login('user@example.com');
    const paths = ['/vendors', '/credentials', '/accounts', '/audit', '/overview', '/accounts/1'];
    for (const path of paths) {
      const user = await world.api('GET', `/api/v1/admin${path}`, { token });
      expect([user.status, user.body.code]).toEqual([403, 1003]);
      const nobody = await world.api('GET', `/api/v1/admin${path}`);
      expect([nobody.status, nobody.body.code]).toEqual([401, 1002]);
    }
  });
});
