import { describe, expect, it } from 'vitest';
import { POLICY_WINDOWS_MAX } from '../../bounds.ts';
import { formatProblem, Problems } from './problems.ts';
import type { Reader } from './reader.ts';
import { catalogShape } from './shape.ts';
import { modelShape } from './shape-model.ts';
import { accountShape, credentialShape, vendorShape } from './shape-party.ts';
import { announcementShape, nodeShape, planShape, policyShape } from './shape-terms.ts';
import { readTree } from './yaml-tree.ts';

function use<T>(read: Reader<T>, yaml: string): { value: T; problems: string[] } {
  const problems = new Problems();
  const tree = readTree(yaml, {}, problems);
  if (tree === undefined) throw new Error('the test writes good YAML');
  return { value: read({ tree, path: '', problems }), problems: problems.list().map(formatProblem) };
}

function good<T>(read: Reader<T>, yaml: string): T {
  const { value, problems } = use(read, yaml);
  expect(problems).toEqual([]);
  return value;
}

describe('a left-out field', () => {
  it('of a vendor defaults to its code, list price and no BYOK', () => {
    expect(good(vendorShape, '{ code: openai, protocols: [chat], base_url: "https://x/v1" }')).toEqual({
      code: 'openai',
      name: 'openai',
      icon: 'openai',
      protocols: ['chat'],
      baseUrl: 'https://x/v1',
      rateMicro: 100_000_000n,
      byok: false,
      customBaseUrl: false,
    });
  });

  it('of a credential defaults to list price, no limits and enabled', () => {
    expect(good(credentialShape, '{ name: main, vendor: openai, secret: sk }')).toEqual({
      name: 'main',
      vendorCode: 'openai',
      secret: 'sk',
      baseUrl: undefined,
      rateMicro: 100_000_000n,
      limits: {},
      status: 'enabled',
    });
  });

  it('of a model defaults to its id as name, everybody, text, and free tokens', () => {
    expect(good(modelShape, '{ model_id: m }')).toMatchObject({
      name: 'm',
      status: 'enabled',
      clientVisible: true,
      restriction: { kind: 'none', level: 0 },
      supportFeatures: ['text'],
      billingModes: 1,
      routing: 'weight',
      batchRateMicro: 100_000_000n,
      capabilities: undefined,
      routes: undefined,
    });
    expect(good(modelShape, '{ model_id: m, routes: [{ vendor: v, credential: c }] }').routes).toEqual([
      {
        vendorCode: 'v',
        credentialName: 'c',
        forwardModelId: 'm',
        protocols: undefined,
        priority: 100,
        weight: 1,
        rateMultiplierMicro: 1_000_000n,
        status: 'enabled',
        capabilities: undefined,
      },
    ]);
  });

  it('of a plan defaults to thirty days, every model and no windows', () => {
    expect(good(planShape, '{ code: PLUS, level: 1 }')).toEqual({
      code: 'PLUS',
      level: 1,
      name: 'PLUS',
      priceMicro: 0n,
      days: 30,
      policyId: undefined,
      coversModels: '*',
      coverageWindows: [],
    });
  });

  it('of a policy defaults to no limit, of a node to list price, of an announcement to no body', () => {
    expect(good(policyShape, '{ id: 3, name: p }')).toEqual({
      id: 3,
      name: 'p',
      concurrency: undefined,
      windows: [],
      selectable: undefined,
    });
    for (const selectable of [true, false]) {
      const said = good(policyShape, `{ id: 3, name: p, selectable: ${selectable} }`);
      expect(said).toMatchObject({ selectable });
    }
    expect(good(nodeShape, '{ name: n, base_url: "http://n" }')).toMatchObject({
      region: 'default',
      rateMicro: 100_000_000n,
    });
    const times = 'starts_at: "2026-01-01 00:00:00", ends_at: "2026-01-01 00:00:01"';
    expect(good(announcementShape, `{ id: 1, title: t, ${times} }`).body).toBe('');
  });

  it('of an account defaults to a user without money, with the defaults of the catalogue', () => {
    expect(good(accountShape, '{ email: A@Example.com, password: long enough }')).toEqual({
      email: 'a@example.com',
      password: 'long enough',
      role: 'user',
      status: 'enabled',
      userType: 0,
      userRateMicro: undefined,
      apiBilling: undefined,
      autoExchange: undefined,
      extraApiQuotaMicro: 0n,
      fallbackModel: null,
      byokFallback: false,
      balanceMicro: 0n,
      creditsMicro: 0n,
      subscription: undefined,
    });
  });

  it('of the file leaves the stored value', () => {
    expect(good(catalogShape, '{}')).toMatchObject({
      systemRateMicro: undefined,
      defaults: undefined,
      vendors: [],
    });
    expect(good(catalogShape, 'defaults: {}').defaults).toEqual({
      policyId: undefined,
      userRateMicro: 100_000_000n,
      apiBilling: true,
      autoExchange: false,
    });
  });
});

it.each([
  ['{ input: "1" }', 1],
  ['{ image: "0.3" }', 2],
  ['{ video: 2 }', 4],
  ['{ output: 1, image: 1, video: 1 }', 7],
  ['{}', 1],
])('a model with the prices %s is billed by mode %i', (prices, modes) => {
  expect(good(modelShape, `{ model_id: m, prices: ${prices} }`).billingModes).toBe(modes);
});

it('limits are counts, and micro-yuan for amounts', () => {
  const windows =
    '[{ dimension: tokens, seconds: 60, limit: 1000000 }, { dimension: amount, seconds: 18000, limit: "50.5" }]';
  expect(good(policyShape, `{ id: 1, name: p, windows: ${windows} }`).windows).toEqual([
    { dimension: 'tokens', seconds: 60, limit: 1_000_000n },
    { dimension: 'amount', seconds: 18_000, limit: 50_500_000n },
  ]);
});

const window = (dimension: string, limit: string): string =>
  `{ dimension: ${dimension}, seconds: 60, limit: ${limit} }`;
const announcement = (starts: string, ends: string): string =>
  `{ id: 1, title: t, starts_at: "${starts}", ends_at: "${ends}" }`;
const manyWindows = Array.from(
  { length: POLICY_WINDOWS_MAX + 1 },
  (_none, index) => `{ dimension: tokens, seconds: ${index + 1}, limit: 1 }`,
).join(', ');

it.each<[Reader<unknown>, string, string]>([
  [policyShape, `{ id: 1, name: p, windows: [${window('requests', '1.5')}] }`, 'whole number'],
  [policyShape, `{ id: 1, name: p, windows: [${window('speed', '1')}] }`, 'must be one of requests'],
  [
    policyShape,
    `{ id: 1, name: p, windows: [${window('tokens', '1')}, ${window('tokens', '2')}] }`,
    'same length',
  ],
  [policyShape, `{ id: 1, name: p, windows: [${manyWindows}] }`, 'more than 16'],
  [policyShape, '{ id: 1, name: p, selectable: perhaps }', 'selectable: must be true or false'],
  [policyShape, '{ id: 0, name: p }', 'id: must be a whole number'],
  [planShape, '{ code: GOLD, level: 4 }', 'from 1 to 3'],
  [planShape, '{ code: GOLD, level: 1, covers: { models: some } }', 'covers.models: must be a list'],
  [announcementShape, announcement('2026-02-30 00:00:00', '2026-03-01 00:00:00'), 'YYYY-MM-DD'],
  [announcementShape, announcement('2026-02-03T00:00:00', '2026-03-01 00:00:00'), 'YYYY-MM-DD'],
  [announcementShape, announcement('2026-02-03 00:00:00', '2026-02-03 00:00:00'), 'after'],
  [accountShape, '{ email: nobody, password: long enough }', 'email: must be an e-mail address'],
  [accountShape, '{ email: a@b, password: short }', 'must have 8 to'],
  [accountShape, '{ email: a@b, password: 12345678 }', 'put it into quotes'],
  [accountShape, '{ email: a@b, password: long enough, user_type: 3 }', 'from 0 to 2'],
  [accountShape, '{ email: a@b, password: long enough, subscription: {} }', 'subscription.plan: is required'],
  [vendorShape, '{ code: a, protocols: [], base_url: "https://a" }', 'at least one'],
  [vendorShape, '{ code: a, protocols: [chat, chat], base_url: "https://a" }', 'none twice'],
  [vendorShape, '{ code: a b, protocols: [chat], base_url: "https://a" }', 'letters, digits'],
  [credentialShape, '{ name: n, vendor: v, secret: "a b" }', 'without spaces'],
  [credentialShape, '{ name: n, vendor: v, secret: s, limits: { rpm: 0 } }', 'limits.rpm: must be'],
  [modelShape, '{ model_id: "a b" }', 'without spaces'],
  [modelShape, '{ model_id: m, restriction: { kind: verification, level: 3 } }', 'at most 2'],
  [modelShape, '{ model_id: m, restriction: { kind: plan, level: 4 } }', 'at most 3'],
  [modelShape, '{ model_id: m, support_features: [smell] }', 'must be one of text'],
  [modelShape, '{ model_id: m, billing_modes: 8 }', 'from 1 to 7'],
  [modelShape, '{ model_id: m, prices: { input: -1 } }', 'prices.input: must be a decimal'],
])('%# refuses %s', (read, yaml, problem) => {
  const { problems } = use(read, yaml);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(problem);
});

it('a level of 0 or less is accepted: it admits everybody', () => {
  expect(good(modelShape, '{ model_id: m, restriction: { kind: plan, level: -1 } }').restriction.level).toBe(
    -1,
  );
});
