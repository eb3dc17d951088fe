import { describe, expect, it } from 'vitest';
import { CATALOG_TEXT } from '../../test/support/catalog.ts';
import type { Credential, Vendor } from './contract.ts';
import type { KnownCatalog } from './document.ts';
import { formatProblem, Problems } from './file/problems.ts';
import { catalogShape } from './file/shape.ts';
import { readTree } from './file/yaml-tree.ts';
import { checkReferences } from './references.ts';

const NOTHING: KnownCatalog = {
  vendors: new Map(),
  credentials: new Map(),
  models: new Map(),
  policies: new Map(),
  plans: new Map(),
};

function problemsOf(yaml: string, known: KnownCatalog = NOTHING): string[] {
  const problems = new Problems();
  const tree = readTree(yaml, {}, problems);
  if (tree === undefined) throw new Error('the test writes good YAML');
  const document = catalogShape({ tree, path: '', problems });
  checkReferences({ document, tree, known, problems });
  return problems.list().map(formatProblem);
}

const PARTIES = `
vendors:
  - { code: a, protocols: [chat], base_url: "https://a" }
  - { code: b, protocols: [messages], base_url: "https://b" }
credentials: [{ name: of-a, vendor: a, secret: s }]
`;

describe('references of a catalogue file', () => {
  it('that exist are accepted', () => {
    expect(problemsOf(CATALOG_TEXT)).toEqual([]);
  });

  it('are reported once where a value was misspelt, and not for its replacement', () => {
    expect(
      problemsOf(`
defaults: { policy: many }
vendors:
  - { code: a, protocols: [responses, mesages], base_url: "https://a" }
  - { code: b, protocols: [mesages], base_url: "https://b" }
  - { code: c, protocols: [messages], base_url: "https://c" }
credentials:
  - { name: a, vendor: a, secret: s }
  - { name: b, vendor: b, secret: s }
  - { name: c, vendor: c, secret: s }
models:
  - model_id: m
    routes:
      - { vendor: a, credential: a, protocols: [messages] }
      - { vendor: b, credential: b, protocols: [messages, chat] }
      - { vendor: c, credential: c, protocols: [mesages] }
policies:
  - { id: one, name: x, concurrency: 1, windows: [] }
  - { id: two, name: y, concurrency: 1, windows: [] }
  - { id: 1, name: z, concurrency: 1, windows: [] }
plans: [{ code: P, level: 1, policy: few }]
announcements:
  - { id: x, title: t, starts_at: "2026-01-01 00:00:00", ends_at: "2026-02-01 00:00:00" }
  - { id: 1, title: t, starts_at: "2026-01-01 00:00:00", ends_at: "2026-02-01 00:00:00" }`).map(
        (problem) => problem.split(':', 1)[0],
      ),
    ).toEqual([
      'defaults.policy',
      'vendors[0].protocols[1]',
      'vendors[1].protocols[0]',
      'models[0].routes[2].protocols[0]',
      'policies[0].id',
      'policies[1].id',
      'plans[0].policy',
      'announcements[0].id',
    ]);
  });

  it('that do not exist are reported', () => {
    expect(
      problemsOf(`
defaults: { policy: 9 }
credentials: [{ name: main, vendor: opnai, secret: s }]
models: [{ model_id: m, routes: [{ vendor: opnai, credential: nobody }] }]
plans: [{ code: PRO, level: 1, policy: 8, covers: { models: [m, x] } }]
accounts: [{ email: a@b, password: long enough, subscription: { plan: GOLD }, fallback_model: y }]`),
    ).toEqual([
      'defaults.policy: unknown policy 9 (line 2)',
      'credentials[0].vendor: unknown vendor "opnai" (line 3)',
      'models[0].routes[0].vendor: unknown vendor "opnai" (line 4)',
      'models[0].routes[0].credential: unknown credential "nobody" (line 4)',
      'plans[0].policy: unknown policy 8 (line 5)',
      'plans[0].covers.models[1]: unknown model "x" (line 5)',
      'accounts[0].subscription.plan: unknown plan "GOLD" (line 6)',
      'accounts[0].fallback_model: unknown model "y" (line 6)',
    ]);
  });

  it('never send a key to another vendor or use a protocol that the vendor lacks', () => {
    expect(
      problemsOf(`${PARTIES}
models:
  - { model_id: m, routes: [{ vendor: b, credential: of-a }] }
  - { model_id: n, routes: [{ vendor: a, credential: of-a, protocols: [messages] }] }`),
    ).toEqual([
      'models[0].routes[0].credential: "of-a" belongs to vendor "a" (line 8)',
      'models[1].routes[0].protocols: vendor "a" does not speak messages (line 9)',
    ]);
  });

  it('to an unknown vendor are one error, not two', () => {
    expect(
      problemsOf(`${PARTIES}models: [{ model_id: m, routes: [{ vendor: x, credential: of-a }] }]`),
    ).toEqual(['models[0].routes[0].vendor: unknown vendor "x" (line 6)']);
  });

  it('are not reported when their target exists but is wrong otherwise', () => {
    expect(
      problemsOf(`
vendors: [{ code: a, protocols: [chat], base_url: nowhere }]
credentials: [{ name: of-a, vendor: a, secret: s }]`),
    ).toEqual([expect.stringContaining('vendors[0].base_url')]);
  });
});

it.each([
  ['vendors', 'code: a, protocols: [chat], base_url: "https://a"', 'code: "a"'],
  ['policies', 'id: 1, name: p', 'id: "1"'],
  ['plans', 'code: PRO, level: 1', 'code: "PRO"'],
  ['nodes', 'name: n, base_url: "http://n"', 'name: "n"'],
  ['models', 'model_id: m', 'model_id: "m"'],
])('two %s of one name are refused', (name, entry, problem) => {
  expect(problemsOf(`${name}: [{ ${entry} }, { ${entry} }]`)).toEqual([
    `${name}[1].${problem} stands in ${name}[0] already (line 1)`,
  ]);
});

it('two accounts of one address are refused, however it is written', () => {
  const accounts = 'accounts: [{ email: A@b, password: long enough }, { email: a@B, password: long enough }]';
  expect(problemsOf(accounts)).toEqual(['accounts[1].email: "a@b" stands in accounts[0] already (line 1)']);
});

it('two routes of one model over one credential to one name are refused', () => {
  const route = '{ vendor: a, credential: of-a }';
  expect(problemsOf(`${PARTIES}models: [{ model_id: m, routes: [${route}, ${route}] }]`)).toEqual([
    'models[0].routes[1].credential: "of-a m" stands in models[0].routes[0] already (line 6)',
  ]);
});

describe('a stored entry', () => {
  const vendor: Vendor = {
    code: 'a',
    name: 'a',
    icon: 'a',
    protocols: ['chat'],
    baseUrl: 'https://a',
    rateMicro: 0n,
    byok: false,
    customBaseUrl: false,
  };
  const credential: Credential = {
    id: 1,
    name: 'of-a',
    vendorCode: 'a',
    secret: 's',
    baseUrl: undefined,
    rateMicro: 0n,
    limits: {},
    status: 'enabled',
    ownerAccountId: undefined,
  };
  const known: KnownCatalog = {
    ...NOTHING,
    vendors: new Map([['a', vendor]]),
    credentials: new Map([['of-a', credential]]),
    policies: new Map([[4, { id: 4, name: 'p', concurrency: undefined, windows: [] }]]),
  };

  it('can be referred to without being repeated', () => {
    const yaml =
      'defaults: { policy: 4 }\nmodels: [{ model_id: m, routes: [{ vendor: a, credential: of-a }] }]';
    expect(problemsOf(yaml, known)).toEqual([]);
    expect(problemsOf(yaml)).toHaveLength(3);
  });

  it('is not moved: a credential stays with its vendor, because its routes do', () => {
    const yaml = `
vendors: [{ code: b, protocols: [chat], base_url: "https://b" }]
credentials: [{ name: of-a, vendor: b, secret: s }]`;
    expect(problemsOf(yaml, known)).toEqual([
      'credentials[0].vendor: credential "of-a" belongs to "a"; use another name (line 3)',
    ]);
  });
});
