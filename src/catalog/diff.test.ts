import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CATALOG_TEXT, catalogDocument } from '../../test/support/catalog.ts';
import { runs } from '../../test/support/property-runs.ts';
import { diffCatalog, formatChange } from './diff.ts';
import { type CatalogFile, routeKey, type StoredCatalog } from './document.ts';
import { ofCredential, ofPolicy, ofRoute } from './fields.ts';

const NOBODY: ReadonlySet<string> = new Set();

/** What the store would hold after the document was applied to an empty one. */
function storedOf(document: CatalogFile): StoredCatalog {
  const { systemRateMicro = 0n, defaults, verificationGrants } = document;
  if (defaults === undefined || verificationGrants === undefined)
    throw new Error('the fixture has all settings');
  const byKey = <T, Key>(list: readonly T[], keyOf: (entry: T) => Key): Map<Key, T> =>
    new Map(list.map((entry) => [keyOf(entry), entry]));
  const credentials = document.credentials.map((entry, id) => ({ ...entry, id, ownerAccountId: undefined }));
  const models = document.models.map((model) => ({
    ...model,
    routes: (model.routes ?? []).map((route, id) => ({ ...route, id })),
  }));
  return {
    version: 1,
    systemRateMicro,
    defaults,
    verificationGrants,
    vendors: byKey(document.vendors, (each) => each.code),
    credentials: byKey(credentials, (each) => each.name),
    models: byKey(models, (each) => each.modelId),
    policies: byKey(document.policies, (each) => each.id),
    plans: byKey(document.plans, (each) => each.code),
    nodes: byKey(document.nodes, (each) => each.name),
    announcements: byKey(document.announcements, (each) => each.id),
  };
}

const DOCUMENT = catalogDocument(CATALOG_TEXT);
const STORED = storedOf(DOCUMENT);
const EMAILS = new Set(DOCUMENT.accounts.map((account) => account.email));

function changes(text: string, emails: ReadonlySet<string> = EMAILS): string[] {
  return diffCatalog(catalogDocument(text), STORED, emails).map(formatChange);
}

describe('the difference between a file and the store', () => {
  it('is nothing when the store holds what the file says', () => {
    expect(changes(CATALOG_TEXT)).toEqual([]);
  });

  it('is nothing for an empty file: entries that are not mentioned stay', () => {
    expect(changes('')).toEqual([]);
    expect(changes('vendors: []\nmodels: []')).toEqual([]);
  });

  it('is everything when the store is empty', () => {
    const empty = storedOf({
      ...catalogDocument(''),
      defaults: DOCUMENT.defaults,
      verificationGrants: DOCUMENT.verificationGrants,
    });
    const created = diffCatalog(DOCUMENT, empty, NOBODY);
    expect(created.map((change) => `${change.kind} ${change.entity}`)).toEqual([
      ...['created policy', 'created policy', 'updated settings', 'created vendor', 'created vendor'],
      ...['created credential', 'created credential', 'created model', 'created model'],
      ...['created route', 'created route', 'created plan', 'created node', 'created announcement'],
      ...['created account', 'created account'],
    ]);
  });

  it.each([
    ['rate: 85.5', 'rate: 86', 'updated vendor google: rate 85.5 → 86'],
    [
      '[chat, responses]',
      '[responses, chat]',
      'updated vendor openai: protocols [chat, responses] → [responses, chat]',
    ],
    [
      'limits: { rpm: 60 }',
      'limits: { tpm: 60 }',
      'updated credential main: limits.rpm 60 → none, limits.tpm none → 60',
    ],
    ['cache_input: "1"', 'cache_input: "0"', 'updated model gpt: prices.cache_input 1 → 0'],
    [', cache_input: "1"', '', 'updated model gpt: prices.cache_input 1 → none'],
    ['weight: 3', 'weight: 4', 'updated route gpt via main as gpt: weight 3 → 4'],
    ['protocols: [responses], ', '', 'updated route gpt via main as gpt: protocols [responses] → none'],
    [
      'context_window: 1000',
      'capabilities: { thinking: none, efforts: [high, low], prefill: false }\n    context_window: 1000',
      'updated model gpt: capabilities.thinking unset → none, capabilities.efforts unset → [low, high], ' +
        'capabilities.prefill unset → false',
    ],
    [
      'weight: 3',
      'weight: 3, capabilities: { max_output_tokens: 4096 }',
      'updated route gpt via main as gpt: capabilities.max_output_tokens unset → 4096',
    ],
    ['limit: 10 }', 'limit: 11 }', 'updated policy 1: windows [requests/60s 10] → [requests/60s 11]'],
    ['name: pro,', 'name: pro, selectable: true,', 'updated policy 2: selectable unset → true'],
    ['models: [gpt]', 'models: "*"', 'updated plan PRO: covers.models [gpt] → *'],
    [
      'personal: "10"',
      'personal: "10.000001"',
      'updated settings catalog: verification_grants.personal 10 → 10.000001',
    ],
    ['rate: 101', 'rate: 102', 'updated node local: rate 101 → 102'],
    ['title: Hello', 'title: Bye', 'updated announcement 1: title Hello → Bye'],
  ])('contains %s when it becomes %s', (before, after, change) => {
    expect(CATALOG_TEXT).toContain(before);
    expect(changes(CATALOG_TEXT.replace(before, after))).toEqual([change]);
  });

  it('contains no secret, old or new', () => {
    const [change, ...rest] = changes(CATALOG_TEXT.replace('sk-first-secret-value', 'sk-new-secret'));
    expect([change, rest]).toEqual(['updated credential main: secret changed', []]);
  });

  it('disables a route that its model no longer lists, once, and keeps the routes of a model without a list', () => {
    const dropped = CATALOG_TEXT.replace(/ {6}- \{ vendor: openai, credential: spare.*\n/, '');
    expect(changes(dropped)).toEqual(['disabled route gpt via spare as gpt-x']);
    const model = { ...DOCUMENT.models[0], routes: undefined } as (typeof DOCUMENT.models)[number];
    expect(diffCatalog({ ...DOCUMENT, models: [model] }, STORED, EMAILS)).toEqual([]);
    const gpt = STORED.models.get('gpt');
    if (gpt === undefined) throw new Error('the fixture has the model');
    const disabled = {
      ...gpt,
      routes: gpt.routes.map((route) => ({ ...route, status: 'disabled' as const })),
    };
    const stored = { ...STORED, models: new Map([['gpt', disabled]]) };
    expect(diffCatalog({ ...catalogDocument(''), models: [{ ...gpt, routes: [] }] }, stored, EMAILS)).toEqual(
      [],
    );
  });

  it('creates accounts that do not exist and never changes existing ones', () => {
    const text = CATALOG_TEXT.replace('user-password', 'other-password').replace(
      'user_type: 1',
      'user_type: 2',
    );
    expect(changes(text)).toEqual([]);
    expect(changes(text, new Set(['operator@example.com']))).toEqual(['created account user@example.com']);
  });
});

describe('entries as texts', () => {
  it('are different whenever the entries are', () => {
    const window = fc.record({
      dimension: fc.constantFrom('requests' as const, 'amount' as const),
      seconds: fc.constantFrom(1, 10, 100),
      limit: fc.constantFrom(0n, 1n, 10n, 1_000_000n, 10_000_000n),
    });
    const policy = fc.record({
      id: fc.constant(1),
      name: fc.constantFrom('a', 'none', '[]'),
      concurrency: fc.constantFrom(undefined, 0, 1),
      windows: fc.array(window, { maxLength: 2 }),
      selectable: fc.constantFrom(undefined, true, false),
    });
    fc.assert(
      fc.property(policy, policy, (one, other) => {
        const isSame = JSON.stringify(ofPolicy(one)) === JSON.stringify(ofPolicy(other));
        const plain = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);
        expect(isSame).toBe(JSON.stringify(one, plain) === JSON.stringify(other, plain));
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('mask the secret of a credential', () => {
    for (const credential of DOCUMENT.credentials)
      expect(ofCredential(credential).secrets).toEqual(['secret']);
  });

  it('identify a route by the fields that cannot be changed', () => {
    const [first, second] = DOCUMENT.models[0]?.routes ?? [];
    if (first === undefined || second === undefined) throw new Error('the fixture has two routes');
    expect(ofRoute('gpt', first).key).toBe('gpt via spare as gpt-x');
    expect(routeKey(first)).not.toBe(routeKey(second));
    expect(routeKey({ ...first, priority: 1 } as typeof first)).toBe(routeKey(first));
  });
});
