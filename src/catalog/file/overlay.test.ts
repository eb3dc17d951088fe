import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NOTHING_STORED } from '../../../test/support/catalog.ts';
import { runs } from '../../../test/support/property-runs.ts';
import type { StoredCatalog } from '../document.ts';
import { type Extent, editCatalog } from '../edit.ts';
import { type EntryKind, listEntries } from '../entries.ts';
import { type EntryJson, settingsJson } from '../entry-json.ts';
import { parseCatalog } from './file.ts';
import { formatProblem } from './problems.ts';

function applied(file: object | string, stored: StoredCatalog, extent: Extent): StoredCatalog {
  const text = typeof file === 'string' ? file : JSON.stringify(file);
  const read = parseCatalog(text, {}, stored, extent);
  if (read.kind === 'invalid') throw new Error(read.problems.map(formatProblem).join('\n'));
  return editCatalog(read.document, stored, extent, new Set()).after;
}

const amount = fc.integer({ min: 0, max: 9_999 }).map(String);
const flag = fc.boolean();
const count = fc.integer({ min: 1, max: 1_000_000 });
const status = fc.constantFrom('enabled', 'disabled');
const word = fc.constantFrom('one', 'two', 'three');
/** Any of the fields, also none. */
const some = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] });

const PROTOCOLS = fc.subarray(['chat', 'responses'], { minLength: 1 });
const CAPABILITIES = some({
  thinking: fc.constantFrom('none', 'effort'),
  prefill: flag,
  web_search: flag,
}).filter((each) => Object.keys(each).length > 0);
const PRICES = some({
  input: amount,
  output: amount,
  cache_input: amount,
  cache_output: amount,
  cache_write: amount,
  image: amount,
  video: amount,
});
const WINDOWS = fc.constantFrom(
  [],
  [{ dimension: 'requests', seconds: 60, limit: '10' }],
  [{ dimension: 'amount', seconds: 3_600, limit: '2.5' }],
);
const ROUTE = some({
  protocols: PROTOCOLS,
  priority: count,
  weight: count,
  rate_multiplier: amount,
  status,
  capabilities: CAPABILITIES,
});

/** The fields of each kind that may change, without those that name an entry and those that it must have. */
const FIELDS = {
  vendors: some({ name: word, icon: word, rate: amount, byok: flag, custom_base_url: flag }),
  credentials: some({
    base_url: fc.constant('https://other.example'),
    rate: amount,
    status,
    limits: some({ concurrency: count, rpm: count, tpm: count }),
  }),
  models: some({
    name: word,
    status,
    client_visible: flag,
    prices: PRICES,
    restriction: fc.record({ kind: fc.constantFrom('none', 'plan'), level: fc.integer({ min: 0, max: 2 }) }),
    support_features: fc.subarray(['text', 'image'], { minLength: 1 }),
    billing_modes: fc.integer({ min: 1, max: 7 }),
    context_window: count,
    max_output_tokens: count,
    batch_rate: amount,
    routing: fc.constantFrom('weight', 'cost'),
    capabilities: CAPABILITIES,
  }),
  policies: some({ concurrency: count, windows: WINDOWS, selectable: flag }),
  plans: some({
    name: word,
    price: amount,
    days: fc.integer({ min: 1, max: 99 }),
    policy: fc.constant(1),
    covers: some({
      models: fc.constantFrom('*', ['m1']),
      windows: fc.constant([{ seconds: 60, amount: '5' }]),
    }),
  }),
  nodes: some({ region: word, rate: amount }),
  announcements: some({ body: word }),
} as const;
type Section = keyof typeof FIELDS;

/** What an entry cannot be without; the first field names it. */
const NAMES: Readonly<Record<Section, readonly EntryJson[]>> = {
  vendors: ['v1', 'v2'].map((code) => ({
    code,
    protocols: ['chat', 'responses'],
    base_url: 'https://v.example',
  })),
  credentials: ['c1', 'c2'].map((name) => ({ name, vendor: 'v1', secret: `sk-${name}` })),
  models: ['m1', 'm2'].map((id) => ({ model_id: id })),
  policies: [1, 2].map((id) => ({ id, name: `p${id}` })),
  plans: ['PLUS', 'PRO'].map((code) => ({ code, level: 1 })),
  nodes: ['n1', 'n2'].map((name) => ({ name, base_url: 'https://n.example' })),
  announcements: [1, 2].map((id) => ({
    id,
    title: 't',
    starts_at: '2026-01-01 00:00:00',
    ends_at: '2026-02-01 00:00:00',
  })),
};

const SETTINGS = some({
  system_rate: amount,
  defaults: some({ policy: fc.constant(1), user_rate: amount, api_billing: flag, auto_exchange: flag }),
  verification_grants: some({ personal: amount, enterprise: amount }),
});

function routesOf(each: EntryJson): readonly EntryJson[] {
  return [{ vendor: 'v1', credential: 'c1', forward_model_id: 'f', ...each }];
}

/** A file with every entry, and each field or not. */
const WHOLE: fc.Arbitrary<EntryJson> = fc
  .tuple(SETTINGS, fc.tuple(...sections().map((name) => fc.tuple(FIELDS[name], FIELDS[name]))), ROUTE)
  .map(([settings, lists, route]) => ({
    ...settings,
    ...Object.fromEntries(
      sections().map((name, at) => [
        name,
        NAMES[name].map((base, place) => ({
          ...base,
          ...lists[at]?.[place],
          ...(name === 'models' && place === 0 && { routes: routesOf(route) }),
        })),
      ]),
    ),
  }));

/** A file with some of the settings, and one entry of each kind or none, each with some of its fields. */
const PART = fc.record({
  settings: SETTINGS,
  entries: fc.record(
    Object.fromEntries(sections().map((name) => [name, FIELDS[name]])) as Record<
      Section,
      fc.Arbitrary<object>
    >,
    { requiredKeys: [] },
  ),
  route: fc.option(ROUTE, { nil: undefined }),
});

function sections(): readonly Section[] {
  return Object.keys(FIELDS) as Section[];
}

/** The rule in the words of JSON. */
function merged(before: EntryJson, given: EntryJson): EntryJson {
  const isObject = (value: unknown): value is EntryJson =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const made = Object.entries(given).map(([name, value]) => {
    const old = before[name];
    return [name, isObject(old) && isObject(value) ? { ...old, ...value } : value];
  });
  return { ...before, ...Object.fromEntries(made) };
}

const entriesOf = (kind: EntryKind, stored: StoredCatalog): readonly EntryJson[] =>
  listEntries(kind, stored).map((each) => each.json);

describe('a file that is a part', () => {
  test('leaves every field that it does not name as it is stored', () => {
    fc.assert(
      fc.property(WHOLE, PART, (whole, { settings, entries, route }) => {
        const before = applied(whole, NOTHING_STORED, 'whole');
        const routes = route === undefined || entries.models === undefined ? {} : { routes: routesOf(route) };
        const named = sections().flatMap((name) => {
          const [key = ''] = Object.keys(NAMES[name][0] ?? {});
          const given = entries[name];
          if (given === undefined) return [];
          return [
            [
              name,
              [
                {
                  [key]: NAMES[name][0]?.[key],
                  ...given,
                  ...(name === 'models' && routes),
                },
              ],
            ],
          ];
        });
        const after = applied({ ...settings, ...Object.fromEntries(named) }, before, 'part');
        expect(settingsJson(after)).toEqual(merged(settingsJson(before), settings));
        for (const name of sections()) {
          const [first = {}, second] = entriesOf(name, before);
          expect(entriesOf(name, after), name).toEqual([
            merged(first, (entries[name] ?? {}) as EntryJson),
            second,
          ]);
        }
        const [stored = {}] = entriesOf('routes', before);
        const wanted = 'routes' in routes ? merged(stored, route as EntryJson) : stored;
        expect(entriesOf('routes', after)).toEqual([wanted]);
      }),
      { numRuns: runs(80) },
    );
  });

  test('removes what it names with null, and nothing else', () => {
    const before = applied(
      {
        vendors: NAMES.vendors,
        credentials: [{ ...NAMES.credentials[0], rate: 90, limits: { rpm: 5, tpm: 6 } }],
        models: [
          {
            model_id: 'm1',
            prices: { input: 1, output: 2, cache_input: 3 },
            context_window: 9,
            routes: routesOf({ protocols: ['chat'] }),
          },
        ],
      },
      NOTHING_STORED,
      'whole',
    );
    const after = applied(
      `credentials: [{ name: c1, rate: null, limits: { rpm: null } }]
models:
  - model_id: m1
    prices: { cache_input: null }
    context_window: ~
    routes: [{ credential: c1, forward_model_id: f, protocols: null }]`,
      before,
      'part',
    );
    expect(entriesOf('credentials', after)).toMatchObject([
      { rate: '100', limits: { concurrency: null, rpm: null, tpm: 6 } },
    ]);
    expect(entriesOf('models', after)).toMatchObject([
      { prices: { input: '1', output: '2', cache_input: null }, context_window: null },
    ]);
    expect(entriesOf('routes', after)).toMatchObject([{ vendor: 'v1', protocols: null }]);
  });

  test('disables the routes that a named list leaves out, and no others', () => {
    const two = [
      { vendor: 'v1', credential: 'c1' },
      { vendor: 'v1', credential: 'c2', rate_multiplier: '2' },
    ];
    const before = applied(
      { vendors: NAMES.vendors, credentials: NAMES.credentials, models: [{ model_id: 'm1', routes: two }] },
      NOTHING_STORED,
      'whole',
    );
    expect(entriesOf('routes', applied('models: [{ model_id: m1, routes: }]', before, 'part'))).toEqual(
      entriesOf('routes', before),
    );
    const after = applied(
      'models: [{ model_id: m1, routes: [{ credential: c2, priority: 1 }] }]',
      before,
      'part',
    );
    expect(entriesOf('routes', after)).toMatchObject([
      { credential: 'c2', priority: 1, rate_multiplier: '2', status: 'enabled' },
      { credential: 'c1', status: 'disabled' },
    ]);
  });
});

describe('a file that is the whole', () => {
  test('makes the catalogue what it would make of nothing', () => {
    fc.assert(
      fc.property(WHOLE, WHOLE, (old, file) => {
        const made = applied(file, applied(old, NOTHING_STORED, 'whole'), 'whole');
        const wanted = applied(file, NOTHING_STORED, 'whole');
        expect(settingsJson(made)).toEqual(settingsJson(wanted));
        for (const kind of [...sections(), 'routes'] as const)
          expect(entriesOf(kind, made)).toEqual(entriesOf(kind, wanted));
      }),
      { numRuns: runs(40) },
    );
  });
});
