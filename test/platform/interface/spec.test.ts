import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/operations/table.ts';
import { endpointPath } from '../../../src/platform/http/router.ts';
import { updateAccount } from '../../../src/store/accounts/accounts.ts';
import { grantSubscription } from '../../../src/store/accounts/subscriptions.ts';
import { announceAndWait } from '../../../src/store/changes.ts';
import { postMovement } from '../../../src/store/ledger/movement.ts';
import { newMember } from '../../support/logins.ts';
import { STANDARD_CATALOG, startWorld, type World } from '../../support/world.ts';

/** Rules of the interface that no other file of this folder is about. */

const ROUTE =
  'routes: [{ vendor: openai, credential: openai-main, forward_model_id: gpt-4o, protocols: [chat] }]';
const LEVELS = [
  ...['none', 'verification_-1', 'verification_0', 'verification_1', 'verification_2'],
  ...['plan_0', 'plan_1', 'plan_2', 'plan_3'],
];
const MODELS = LEVELS.map((name) => {
  const [kind, level] = name.split('_');
  const restriction = level === undefined ? `{ kind: ${kind} }` : `{ kind: ${kind}, level: ${level} }`;
  return `  - { model_id: "${name}", restriction: ${restriction}, prices: { input: "10", output: "30" }, ${ROUTE} }\n`;
}).join('');
const CATALOG = `${STANDARD_CATALOG.replace('policies:', `${MODELS}policies:`)}
plans:
  - { code: PLUS, level: 1, name: Plus }
  - { code: PRO, level: 2, name: Pro }
  - { code: PROMAX, level: 3, name: Promax }
`;

let world: World;
let token: string;
beforeAll(async () => {
  world = await startWorld({ catalog: CATALOG });
  await newMember(world.database, 'reader@example.com');
  token = await world.login('reader@example.com');
});
afterAll(() => world.close());

const rows = OPERATIONS;

describe('rule I-58: every endpoint is there, under its method and path', () => {
  const PUBLIC = [
    ...['GET /models', 'GET /pricing', 'GET /gateway-nodes', 'GET /model-rank/list', 'GET /model-rank/speed'],
    ...['GET /announcement/active', 'POST /feedback'],
  ];
  const LOGIN = [
    ...['POST /api-key', 'GET /api-key/page', 'GET /api-key/detail/:id', 'DELETE /api-key'],
    ...[
      'GET /call-log/page',
      'GET /call-log/detail/:id',
      'GET /consumption-log/page',
      'GET /balance-log/page',
    ],
    ...['GET /stats/overview', 'GET /stats/trend', 'GET /stats/models', 'GET /profile', 'GET /ext'],
    ...['PUT /api-billing', 'PUT /points/auto-exchange', 'POST /points/exchange', 'PUT /extra-api-quota'],
    ...['GET /preference', 'PUT /preference', 'GET /subscription/page', 'GET /subscription/policy-limit'],
    ...['GET /credential/vendors', 'GET /credential/page', 'POST /credential/test', 'POST /credential'],
    ...['PUT /credential', 'DELETE /credential', 'GET /credential/stats'],
  ];
  const found = new Map(rows.map((row) => [`${row.method} ${endpointPath(row)}`, row]));
  const rowOf = (name: string) => found.get(name.replace(' ', ' /api/v1/user/user'));

  test.each(PUBLIC)('in public (no login): %s', (name) => {
    expect(['public', 'optional']).toContain(rowOf(name)?.access);
  });

  test.each(LOGIN)('with a login token: %s', async (name) => {
    const row = rowOf(name);
    expect(row?.access).toBe('user');
    const path = endpointPath(row ?? { surface: 'user', path: '' }).replace(':id', '1');
    const refused = await world.api(row?.method ?? 'GET', path);
    expect([refused.status, refused.body.code]).toEqual([401, 1002]);
  });

  test('with page (integer, starts at 1) and size (integer) on paged endpoints, in request and answer', async () => {
    const paged = rows.filter(({ path, surface }) => surface === 'user' && path.endsWith('/page'));
    expect(paged).toHaveLength(6);
    for (const row of paged) {
      expect(row.paged, row.name).toBe(true);
      const { body } = await world.api('GET', `${endpointPath(row)}?page=3&size=7`, { token });
      expect(body, row.name).toMatchObject({ code: 0, data: [], page: 3, size: 7, total: 0 });
      for (const wrong of ['page=0', 'page=1.5', 'size=0', 'size=many']) {
        const refused = await world.api('GET', `${endpointPath(row)}?${wrong}`, { token });
        expect([refused.body.code, refused.body.message], row.name).toEqual([
          1001,
          expect.stringContaining(wrong.split('=')[0] ?? ''),
        ]);
      }
    }
  });

  test.each(['/api-key', '/credential'])(
    'with ids in the query string, not in a body: DELETE %s',
    async (path) => {
      const { status, body } = await world.api('DELETE', path, { token, body: { ids: '1' } });
      expect([status, body.code, body.message]).toEqual([400, 1001, expect.stringContaining('ids')]);
    },
  );
});

describe('rule I-50: success is decided by code == 0', () => {
  const FAILING: readonly [string, string, object, number][] = [
    ['no such path', '/no/such/path', {}, 404],
    ['a wrong method', '/profile', { method: 'POST' }, 405],
    ['no login', '/profile', {}, 401],
    ['broken JSON', '/feedback', { method: 'POST', body: '{"content":' }, 400],
    [
      'a body that is too large',
      '/feedback',
      { method: 'POST', body: JSON.stringify('x'.repeat(2_000_000)) },
      413,
    ],
  ];

  test.each(FAILING)(
    'and %s has the envelope with a code, a text, an error and no data',
    async (_what, path, options, wanted) => {
      const { method = 'GET', ...rest } = options as { method?: string };
      const { status, body } = await world.api(method, path, rest);
      expect(status).toBe(wanted);
      expect(Object.keys(body).sort()).toEqual(['code', 'data', 'error', 'message']);
      expect([body.code > 1_000, body.message.length > 3, body.data]).toEqual([true, true, null]);
    },
  );
});

const NO_SUBSCRIPTION = 0;

interface Person {
  readonly userType: number;
  readonly planLevel: number;
  readonly key: string;
}

async function person(userType: number, planLevel: number): Promise<Person> {
  const email = `level-${userType}-${planLevel}@example.com`;
  const accountId = await newMember(world.database, email);
  await updateAccount(world.database, accountId, { userType });
  const opening = { accountId, kind: 'top_up', ref: 'opening', pool: 'credits' } as const;
  await world.database.transaction((transaction) =>
    postMovement(transaction, { ...opening, changeMicro: 100_000_000n }),
  );
  if (planLevel !== NO_SUBSCRIPTION) {
    const planCode = ['', 'PLUS', 'PRO', 'PROMAX'][planLevel] ?? '';
    const nowMs = Date.now();
    const span = { startsAtMs: nowMs - 60_000, endsAtMs: nowMs + 3_600_000 };
    const granted = await grantSubscription(world.database, { accountId, planCode, ...span });
    expect(granted.kind).toBe('granted');
  }
  const key = await world.newKey(email);
  await announceAndWait(world.database);
  return { userType, planLevel, key };
}

async function call(
  key: string,
  model: string,
): Promise<{ status: number; code?: number; message?: string }> {
  const messages = [{ role: 'user', content: 'hello [[sim tokens=2]]' }];
  const response = await world.post(
    '/v1/chat/completions',
    { model, max_tokens: 9, messages },
    world.headers(key),
  );
  return { ...((await response.json()) as { code?: number; message?: string }), status: response.status };
}

describe('rule S-9: levels used in model admission', () => {
  const PEOPLE = [0, 1, 2].flatMap((userType) => [0, 1, 2, 3].map((plan) => [userType, plan] as const));
  const VERIFICATIONS = ['', 'personal verification', 'enterprise verification'];
  const PLANS = ['', 'PLUS', 'PRO', 'PROMAX'];

  test.each(PEOPLE)(
    'with verification %i and plan %i admit every model at or below them, no other',
    async (type, plan) => {
      const { key, userType, planLevel } = await person(type, plan);
      for (const name of LEVELS) {
        const [kind, text = '0'] = name.split('_');
        const level = Number(text);
        const own = kind === 'plan' ? planLevel : userType;
        const { status, code, message } = await call(key, name);
        if (kind === 'none' || own >= level) {
          expect(status, `${name}: ${message}`).toBe(200);
        } else {
          expect([status, code], name).toEqual([403, 40203]);
          expect(message, name).toContain(
            (kind === 'plan' ? PLANS : VERIFICATIONS)[level] ?? 'no such level',
          );
        }
      }
    },
  );
});

describe('rule I-15: authentication', () => {
  test('reads only Authorization: Bearer at the gateway; a key in x-api-key is 40001', async () => {
    const headers = { 'content-type': 'application/json', 'x-api-key': world.key };
    const body = JSON.stringify({ model: 'gpt-5', messages: [] });
    for (const path of ['/v1/chat/completions', '/v1/messages', '/v1/responses']) {
      const response = await fetch(world.url + path, { method: 'POST', headers, body });
      expect(await response.json()).toMatchObject({
        code: 40001,
        message: expect.stringContaining('api_key'),
      });
    }
  });

  test('without BYOK, subscription and API-billing balance ends in 40202, which points the unverified to verification', async () => {
    const unverified = await call(await world.newKey('empty@example.com'), 'none');
    expect(unverified).toMatchObject({ status: 403, code: 40202, message: expect.stringMatching(/verif/i) });
    const verifiedId = await newMember(world.database, 'verified-empty@example.com');
    await updateAccount(world.database, verifiedId, { userType: 1 });
    const verified = await call(await world.newKey('verified-empty@example.com'), 'none');
    expect(verified).toMatchObject({ status: 403, code: 40202 });
    expect(verified.message).not.toMatch(/verif/i);
  });

  test('is not needed for public endpoints, and a wrong one is ignored there', async () => {
    const reads = rows.filter(({ access, method, surface }) => {
      return surface === 'user' && method === 'GET' && (access === 'public' || access === 'optional');
    });
    expect(reads.length).toBeGreaterThan(4);
    for (const row of reads) {
      const plain = await world.api('GET', endpointPath(row));
      const wrong = await world.api('GET', endpointPath(row), { token: 'garbage' });
      expect([plain.body.code, wrong.body.code], row.name).toEqual([0, 0]);
    }
  });
});
