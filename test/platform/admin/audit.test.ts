import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemRandom } from '../../../src/kernel/random.ts';
import type { Operation } from '../../../src/operations/operation.ts';
import { OPERATIONS } from '../../../src/operations/table.ts';
import { createKey } from '../../../src/store/accounts/api-keys.ts';
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

interface Numbered {
  readonly id: number;
}

/** What a write of each row is, after the ground for it was laid: the path and the body. */
type Scene = () => Promise<readonly [path: string, body?: unknown]>;

const PERIOD = { starts_at: '2026-01-01 00:00:00', ends_at: '2027-01-01 00:00:00' };
const ROUTE = { model_id: 'gpt-5', vendor: 'openai', credential: 'openai-main', protocols: ['chat'] };

/** Of each kind: a new one, a change of it, and where it stands. */
const ENTRIES: Readonly<
  Record<string, { readonly made: object; readonly change: object; readonly key: string }>
> = {
  vendors: {
    made: { code: 'v', protocols: ['chat'], base_url: 'http://v' },
    change: { rate: '1' },
    key: 'code',
  },
  credentials: {
    made: { name: 'c', vendor: 'openai', secret: 'sk-AUDIT-CANARY-0123456789' },
    change: { secret: 'sk-AUDIT-CANARY-9876543210' },
    key: 'id',
  },
  models: { made: { model_id: 'm' }, change: { name: 'M' }, key: 'model_id' },
  routes: { made: ROUTE, change: { weight: 2 }, key: 'id' },
  policies: { made: { name: 'p' }, change: { concurrency: 1 }, key: 'id' },
  plans: { made: { code: 'P', level: 1 }, change: { days: 7 }, key: 'code' },
  nodes: { made: { name: 'n', base_url: 'http://n' }, change: { region: 'r' }, key: 'name' },
  announcements: { made: { title: 'a', ...PERIOD }, change: { body: 'b' }, key: 'id' },
};

const made = new Map<string, string>();
const entryScenes = Object.entries(ENTRIES).flatMap(([kind, entry]): [string, Scene][] => [
  [`${kind}.create`, async () => [`/${kind}`, entry.made]],
  [
    `${kind}.update`,
    async () => {
      const all = await operator.get<Record<string, unknown>[]>(`/${kind}?size=100`);
      const own = Object.entries(entry.made).find(([name]) => name !== 'secret' && name !== 'protocols');
      const mine = all.filter((each) => each[own?.[0] ?? ''] === own?.[1]).at(-1);
      made.set(kind, encodeURIComponent(String(mine?.[entry.key])));
      return [`/${kind}/${made.get(kind)}`, entry.change];
    },
  ],
  [`${kind}.delete`, async () => [`/${kind}/${made.get(kind)}`]],
]);

const HOOK = {
  ...{ kind: 'webhook', name: 'hook', address: 'https://example.com/hook?key=AUDIT-CANARY' },
  alerts: ['route-down'],
};

const SCENES: ReadonlyMap<string, Scene> = new Map<string, Scene>([
  ...entryScenes,
  [
    'catalog.reprice',
    async () => {
      const messages = [{ role: 'user', content: 'Hi there. '.repeat(100) }];
      await world.post('/v1/chat/completions', { model: 'gpt-5', messages });
      await world.settled();
      await operator.write('PUT', '/settings', { system_rate: '50' });
      const from = `${new Date(Date.now() - 86_400_000).getUTCFullYear()}-01-01 00:00:00`;
      return ['/catalog/reprice', { model_id: 'gpt-5', from, reason: 'r' }];
    },
  ],
  ['catalog.apply', async () => ['/catalog/apply', { yaml: 'system_rate: "99"' }]],
  [
    'routes.test',
    async () => {
      const [route] = await operator.get<Numbered[]>('/routes?search=gpt-4o');
      return [`/routes/${route?.id}/test`];
    },
  ],
  [
    'credentials.test',
    async () => {
      const [credential] = await operator.get<Numbered[]>('/credentials?search=openai-main');
      return [`/credentials/${credential?.id}/test`, {}];
    },
  ],
  [
    'credentials.testNew',
    async () => [
      '/credentials/test',
      { vendor: 'openai', protocol: 'chat', secret: 'sk-AUDIT-CANARY-3456789012', model: 'gpt-4o' },
    ],
  ],
  ['settings.update', async () => ['/settings', { system_rate: '100' }]],
  [
    'accounts.create',
    async () => ['/accounts', { email: 'audited@example.com', password: 'AUDIT-CANARY password' }],
  ],
  ['accounts.update', async () => [`/accounts/${userId}`, { user_rate: '99' }]],
  ['accounts.addNote', async () => [`/accounts/${userId}/notes`, { text: 'a good customer' }]],
  [
    'accounts.deleteNote',
    async () => {
      const [note] = await operator.get<Numbered[]>(`/accounts/${userId}/notes`);
      return [`/accounts/${userId}/notes/${note?.id}`];
    },
  ],
  ['accounts.resetPassword', async () => [`/accounts/${userId}/password-reset`]],
  [
    'accounts.updateKey',
    async () => [`/accounts/${userId}/keys/${await newKeyOf(userId)}`, { name: 'seen' }],
  ],
  ['accounts.deleteKey', async () => [`/accounts/${userId}/keys/${await newKeyOf(userId)}`]],
  ['accounts.endSessions', async () => [`/accounts/${userId}/sessions`]],
  [
    'accounts.topUp',
    async () => [`/accounts/${userId}/top-up`, { pool: 'balance', amount: '1', reason: 'r' }],
  ],
  [
    'accounts.adjust',
    async () => [`/accounts/${userId}/adjust`, { pool: 'credits', amount: '-1', reason: 'r' }],
  ],
  [
    'accounts.grantSubscription',
    async () => {
      await operator.write('POST', '/plans', { code: 'GIVEN', level: 1 });
      return [`/accounts/${userId}/subscriptions`, { plan: 'GIVEN' }];
    },
  ],
  [
    'accounts.cancelSubscription',
    async () => {
      const [last] = await operator.get<Numbered[]>(`/accounts/${userId}/subscriptions`);
      return [`/accounts/${userId}/subscriptions/${last?.id}`];
    },
  ],
  [
    'verifications.decide',
    async () => [`/verifications/${await submit('empty@example.com')}/decision`, { decision: 'approve' }],
  ],
  [
    'feedback.update',
    async () => {
      await world.api('POST', '/feedback', { body: { content: 'well done' } });
      const [message] = await operator.get<Numbered[]>('/feedback?status=open');
      return [`/feedback/${message?.id}`, { status: 'done' }];
    },
  ],
  ['platformAlerts.createChannel', async () => ['/alerts/channels', HOOK]],
  ['platformAlerts.updateChannel', async () => [`/alerts/channels/${await newChannel()}`, { name: 'other' }]],
  ['platformAlerts.testChannel', async () => [`/alerts/channels/${await newChannel()}/test`]],
  ['platformAlerts.deleteChannel', async () => [`/alerts/channels/${await newChannel()}`]],
  [
    'platformAlerts.resend',
    async () => {
      const [dead] = await world.database.query<{ id: bigint }>(
        `insert into alert_outbox (message_id, kind, state, key, details, status, ended_at)
         values ('msg_dead', 'route-down', 'raised', 'k', '{}', 'dead', now()) returning id`,
      );
      return [`/alerts/deliveries/${dead?.id}/resend`];
    },
  ],
  ['registration.update', async () => ['/registration', { registration: 'closed' }]],
]);

async function newChannel(): Promise<number> {
  await operator.write('POST', '/alerts/channels', HOOK);
  return (await operator.get<Numbered[]>('/alerts/channels')).at(-1)?.id ?? 0;
}

async function newKeyOf(accountId: number): Promise<number> {
  const wanted = { accountId, name: 'audited', policyId: undefined, expiresAtMs: undefined };
  const made = await createKey(world.database, { ...wanted, status: 'enabled' }, systemRandom);
  if (made.kind !== 'created') throw new Error(made.kind);
  return made.key.id;
}

async function submit(email: string, kind = 'personal'): Promise<number> {
  const token = await world.login(email);
  const body = { kind, name: 'Ada', document_number: 'X1234567' };
  const { body: answer } = await world.api('POST', '/verification', { token, body });
  if (answer.code !== 0) throw new Error(answer.message);
  return answer.data.id;
}

/** Their question is too long for an address, or has a secret. They change nothing. */
const QUESTIONS: ReadonlySet<string> = new Set([
  'catalog.diff',
  'catalog.whatIf',
  'catalog.readPrices',
  'vendors.models',
]);

const WRITES: readonly Operation[] = OPERATIONS.filter(
  ({ surface, method, name }) => surface === 'admin' && method !== 'GET' && !QUESTIONS.has(name),
);

const count = async () => (await operator.ask('GET', '/audit?size=1')).body.total ?? 0;

describe('every write of an operator leaves one line in the audit log', () => {
  test('there is a case for each row, and no row without one', () => {
    expect(WRITES.map(({ name }) => name).sort()).toEqual([...SCENES.keys()].sort());
    for (const { access } of WRITES) expect(access).toBe('operator');
  });

  test.each([...SCENES.keys()])('%s', async (name) => {
    const row = WRITES.find((each) => each.name === name);
    const scene = SCENES.get(name);
    if (row === undefined || scene === undefined) throw new Error(`${name} is no row`);
    const [path, body] = await scene();
    const before = await count();
    await operator.write(row.method, path, body);
    expect(await count()).toBe(before + 1);
    expect(await operator.lastRecord()).toMatchObject({
      action: name,
      actor_email: 'operator@example.com',
      address: '127.0.0.1',
    });
  });

  test('but a refused write leaves none', async () => {
    const before = await count();
    expect((await operator.ask('POST', '/models', { model_id: 'gpt-5' })).body.code).toBe(1005);
    expect((await operator.ask('PUT', '/models/none', { name: 'x' })).body.code).toBe(1004);
    expect((await operator.ask('PUT', '/feedback/999', { status: 'done' })).body.code).toBe(1004);
    expect(await count()).toBe(before);
  });

  test('and it contains no secret, and cannot be changed', async () => {
    const [text] = await world.database.query<{ all: string }>(
      'select string_agg(audit_log::text, chr(10)) as all from audit_log',
    );
    expect(text?.all).toContain('…6789');
    expect(text?.all).not.toMatch(/AUDIT-CANARY|scrypt/);
    for (const change of [
      'update audit_log set address = $$x$$',
      'delete from audit_log',
      'truncate audit_log',
    ]) {
      await expect(world.database.query(change)).rejects.toThrow('never changed');
    }
  });

  test('and it is read by pages, by actor, entity, thing and action', async () => {
    const find = async (query: string) => (await operator.ask('GET', `/audit?${query}`)).body;
    const actor = await accountIdOf(operator, 'operator@example.com');
    // All but one: the catalogue file was applied at the start, by nobody's account.
    expect((await find('action=apply')).data).toMatchObject([{ actor_id: null, address: 'terminal' }]);
    expect((await find(`actor=${actor}`)).total).toBe((await count()) - 1);
    expect((await find(`actor=${userId}`)).total).toBe(0);
    expect((await find('entity=vendors&size=2')).data).toMatchObject([
      { action: 'vendors.delete' },
      { action: 'vendors.update' },
    ]);
    expect((await find('entity=vendors&key=v&action=vendors.create')).data).toMatchObject([
      { key: 'v', before: null, after: { code: 'v' } },
    ]);
    const ofUser = await find(`account_id=${userId}&size=100`);
    const entities = new Set(ofUser.data.map(({ entity }: { entity: string }) => entity));
    for (const owned of ['accounts', 'api_keys', 'funds', 'subscriptions']) expect(entities).toContain(owned);
    for (const not of ['vendors', 'catalogue', 'settings']) expect(entities).not.toContain(not);
    expect((await find(`account_id=${userId}&entity=funds`)).total).toBeGreaterThan(0);
    const verified = await accountIdOf(operator, 'empty@example.com');
    expect((await find(`account_id=${verified}`)).data).toMatchObject([{ entity: 'verifications' }]);
  });
});

describe('verification', () => {
  test('counts one of a hundred approvals: one grant, one level, in force for the next call', async () => {
    await operator.write('PUT', '/settings', {
      verification_grants: { personal: '1000', enterprise: '5000' },
    });
    const id = await accountIdOf(operator, 'poor@example.com');
    const key = await world.newKey('poor@example.com');
    const call = () =>
      world.post(
        '/v1/chat/completions',
        { model: 'verified-only', max_tokens: 5, messages: [{ role: 'user', content: 'hello' }] },
        { authorization: `Bearer ${key}` },
      );
    expect((await call()).status).toBe(403);
    const place = `/verifications/${await submit('poor@example.com', 'enterprise')}/decision`;
    const approvals = Array.from({ length: 100 }, () => operator.ask('POST', place, { decision: 'approve' }));
    const codes = (await Promise.all(approvals)).map(({ body }) => body.code);
    // The platform may turn some away before they are asked; one is done, and no other.
    expect(codes.filter((code) => code === 0)).toHaveLength(1);
    expect(codes.filter((code) => ![0, 1005, 1006].includes(code))).toEqual([]);
    expect(await operator.get(`/accounts/${id}`)).toMatchObject({
      user_type: 2,
      credits: '5003',
      verification: { status: 'approved', granted: '5000' },
    });
    expect((await call()).status).toBe(200);
    const grants = await operator.get<{ ref: string }[]>(`/accounts/${id}/balance-log/page`);
    expect(grants.filter(({ ref }) => ref === 'verification: enterprise')).toHaveLength(1);
  });

  test('of a kind that was granted once grants nothing again', async () => {
    const id = await accountIdOf(operator, 'poor@example.com');
    await operator.write('PUT', `/accounts/${id}`, { user_type: 0 });
    const again = await submit('poor@example.com', 'enterprise');
    const decided = await operator.write('POST', `/verifications/${again}/decision`, { decision: 'approve' });
    expect(decided).toMatchObject({ status: 'approved', granted: '0' });
    expect(await operator.get(`/accounts/${id}`)).toMatchObject({ user_type: 2 });
  });

  test('is refused with a reason, which the account reads', async () => {
    const id = await submit('operator@example.com');
    const place = `/verifications/${id}/decision`;
    expect((await operator.ask('POST', place, { decision: 'refuse' })).body.code).toBe(1001);
    await operator.write('POST', place, { decision: 'refuse', reason: 'not readable' });
    const token = await world.login('operator@example.com');
    expect((await world.api('GET', '/verification', { token })).body.data).toMatchObject({
      verification: { status: 'refused', reason: 'not readable' },
    });
    // Lists show of a document its end; all of it stands where the one account is judged.
    expect(await operator.get('/verifications?status=refused')).toMatchObject([
      { id, name: 'Ada', document_number: '…4567' },
    ]);
    const account = await accountIdOf(operator, 'operator@example.com');
    expect(await operator.get(`/accounts/${account}`)).toMatchObject({
      verification: { id, document_number: 'X1234567' },
    });
    expect(
      (await operator.ask('POST', '/verifications/999/decision', { decision: 'approve' })).body.code,
    ).toBe(1004);
  });
});
