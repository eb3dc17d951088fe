import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assert } from '../kernel/assert.ts';
import type { Credential } from './contract.ts';
import type { KnownCatalog } from './document.ts';
import { parseCatalog } from './file.ts';
import { formatProblem } from './problems.ts';

const ENVIRONMENT = {
  OPENAI_API_KEY: 'sk-openai',
  ANTHROPIC_API_KEY: 'sk-anthropic',
  GEMINI_API_KEY: 'AIza',
  OPERATOR_PASSWORD: 'operator password',
  USER_PASSWORD: 'user password',
  RATE: '85.5',
  YES: 'true',
  WEIGHT: '7',
};

function problemsOf(text: string, environment: Record<string, string> = ENVIRONMENT): string[] {
  const result = parseCatalog(text, environment);
  return result.kind === 'invalid' ? result.problems.map(formatProblem) : [];
}

function documentOf(text: string) {
  const result = parseCatalog(text, ENVIRONMENT);
  if (result.kind === 'invalid') throw new Error(result.problems.map(formatProblem).join('\n'));
  return result.document;
}

const VENDOR = 'vendors: [{ code: openai, protocols: [chat], base_url: "https://api.example.com/v1/" }]';
const CREDENTIAL = `credentials: [{ name: main, vendor: openai, secret: "\${OPENAI_API_KEY}" }]`;
const EXAMPLE = new URL('../../../shared/catalog.example.yaml', import.meta.url);
const exampleExists = existsSync(EXAMPLE);

describe('a catalogue file', () => {
  it.skipIf(!exampleExists)('that is the contract example is taken whole (needs ../shared)', () => {
    const document = documentOf(readFileSync(EXAMPLE, 'utf8'));
    expect(document.vendors.map((vendor) => vendor.code)).toEqual(['openai', 'anthropic', 'google']);
    expect(document.models.map((model) => model.billingModes)).toEqual([1, 1, 2]);
    expect(document.policies[1]?.windows[3]).toEqual({
      dimension: 'amount',
      seconds: 18_000,
      limit: 50_000_000n,
    });
    expect(document.accounts[1]).toMatchObject({
      password: 'user password',
      creditsMicro: 50_000_000_000n,
      subscription: { planCode: 'PRO', days: 30 },
    });
  });

  it('may be empty: it mentions nothing', () => {
    for (const text of ['', '# nothing\n', '---\n', 'vendors:\n', '{}']) {
      expect(documentOf(text)).toMatchObject({
        systemRateMicro: undefined,
        defaults: undefined,
        vendors: [],
      });
    }
  });

  it('fills in what is left out', () => {
    const document = documentOf(`${VENDOR}
${CREDENTIAL}
models: [{ model_id: m, routes: [{ vendor: openai, credential: main }] }]
policies: [{ id: 3, name: p }]
plans: [{ code: PLUS, level: 1 }]
nodes: [{ name: n, base_url: "http://127.0.0.1:8080" }]
accounts: [{ email: A@Example.com, password: long enough }]
defaults: {}`);
    expect(document.vendors[0]).toEqual({
      code: 'openai',
      name: 'openai',
      icon: 'openai',
      protocols: ['chat'],
      baseUrl: 'https://api.example.com/v1',
      rateMicro: 100_000_000n,
      byok: false,
      customBaseUrl: false,
    });
    expect(document.credentials[0]).toMatchObject({ secret: 'sk-openai', limits: {}, status: 'enabled' });
    expect(document.models[0]).toMatchObject({
      name: 'm',
      clientVisible: true,
      billingModes: 1,
      restriction: { kind: 'none' },
    });
    expect(document.models[0]?.routes?.[0]).toMatchObject({
      forwardModelId: 'm',
      protocols: undefined,
      weight: 1,
      rateMultiplierMicro: 1_000_000n,
    });
    expect(document.policies[0]).toEqual({ id: 3, name: 'p', concurrency: undefined, windows: [] });
    expect(document.plans[0]).toMatchObject({
      name: 'PLUS',
      days: 30,
      coversModels: '*',
      coverageWindows: [],
    });
    expect(document.accounts[0]).toMatchObject({
      email: 'a@example.com',
      role: 'user',
      apiBilling: undefined,
    });
    expect(document.defaults).toEqual({
      policyId: undefined,
      userRateMicro: 100_000_000n,
      apiBilling: true,
      autoExchange: false,
    });
  });

  it('takes decimals exactly as they are written, as numbers or texts', () => {
    for (const written of ['0.85', '"0.85"', "'0.85'"]) {
      expect(documentOf(`system_rate: ${written}`).systemRateMicro).toBe(850_000n);
    }
    // A binary float would make 0.1 + 0.2 of this one.
    expect(documentOf('system_rate: 100.300001').systemRateMicro).toBe(100_300_001n);
    for (const written of ['1e2', '0x10', '1.0000001', '-1', 'true', '.5', 'NaN', '1000001', '[1]']) {
      expect(problemsOf(`system_rate: ${written}`), written).toHaveLength(1);
    }
  });

  it('reports every problem at once, with its path and line', () => {
    const problems = problemsOf(`
vendors:
  - { code: openai, protocol: chat, base_url: "ftp://x", rate: cheap }
  - { code: openai, protocols: [chat, smoke], base_url: "https://x" }
credentials:
  - { name: main, vendor: opnai, secret: "\${NOT_SET}" }
models:
  - model_id: m
    routes: [{ vendor: opnai, credential: nobody, weight: 0 }]
  - { model_id: m, restriction: { kind: verification, level: 3 } }
plans: [{ code: PRO, level: 4, policy: 9, covers: { models: [x] } }]
sytem_rate: 100
`);
    const expected = [
      'vendors[0].protocol: unknown key "protocol"',
      'vendors[0].protocols: is required',
      'vendors[0].base_url: must be an http or https address',
      'vendors[0].rate: must be a decimal',
      'vendors[1].code: "openai" stands in vendors[0] already',
      'vendors[1].protocols[1]: must be one of chat, responses, messages, gemini, images',
      'credentials[0].vendor: unknown vendor "opnai"',
      'credentials[0].secret: the environment variable NOT_SET is not set (line 6)',
      'models[0].routes[0].vendor: unknown vendor "opnai" (line 9)',
      'models[0].routes[0].credential: unknown credential "nobody"',
      'models[0].routes[0].weight: must be a whole number from 1',
      'models[1].model_id: "m" stands in models[0] already',
      'models[1].restriction: a level of kind verification is at most 2',
      'plans[0].level: must be a whole number from 1 to 3',
      'plans[0].policy: unknown policy 9',
      'plans[0].covers.models[0]: unknown model "x"',
      'sytem_rate: unknown key "sytem_rate" (known: system_rate, defaults,',
    ];
    for (const start of expected) {
      expect(
        problems.filter((problem) => problem.startsWith(start)),
        start,
      ).toHaveLength(1);
    }
    // One more: two protocols, both read as the stand-in, are the same one twice.
    expect(problems.length).toBeLessThanOrEqual(expected.length + 1);
  });

  it('refuses routes that would send a key to the wrong vendor or speak what the vendor does not', () => {
    const problems = problemsOf(`
vendors:
  - { code: a, protocols: [chat], base_url: "https://a" }
  - { code: b, protocols: [messages], base_url: "https://b" }
credentials: [{ name: of-a, vendor: a, secret: s }]
models:
  - { model_id: m, routes: [{ vendor: b, credential: of-a }] }
  - { model_id: n, routes: [{ vendor: a, credential: of-a, protocols: [messages] }] }
  - { model_id: o, routes: [{ vendor: a, credential: of-a }, { vendor: a, credential: of-a }] }`);
    expect(problems).toEqual([
      'models[0].routes[0].credential: "of-a" belongs to vendor "a" (line 7)',
      'models[1].routes[0].protocols: vendor "a" does not speak messages (line 8)',
      expect.stringContaining(
        'models[2].routes[1].credential: "of-a o" stands in models[2].routes[0] already',
      ),
    ]);
  });

  it.each([
    [
      'policies: [{ id: 1, name: p, windows: [{ dimension: requests, seconds: 60, limit: 1.5 }] }]',
      'whole number',
    ],
    [
      'policies: [{ id: 1, name: p, windows: [{ dimension: speed, seconds: 60, limit: 1 }] }]',
      'must be one of requests',
    ],
    [
      'policies: [{ id: 1, name: p, windows: [{ dimension: tokens, seconds: 60, limit: 1 }, { dimension: tokens, seconds: 60, limit: 2 }] }]',
      'same length',
    ],
    ['policies: [{ id: 1.5, name: p }]', 'policies[0].id: must be a whole number'],
    ['policies: [{ id: "1", name: p }]', 'policies[0].id: must be a whole number'],
    [
      'announcements: [{ id: 1, title: t, starts_at: "2026-02-30 00:00:00", ends_at: "2026-03-01 00:00:00" }]',
      'YYYY-MM-DD',
    ],
    [
      'announcements: [{ id: 1, title: t, starts_at: "2026-02-03 00:00:00", ends_at: "2026-02-01 00:00:00" }]',
      'after',
    ],
    ['accounts: [{ email: nobody, password: long enough }]', 'accounts[0].email'],
    ['accounts: [{ email: a@b, password: short }]', 'must have 8 to'],
    ['accounts: [{ email: a@b, password: 12345678 }]', 'put it into quotes'],
    ['accounts: [{ email: a@b, password: 12345678a, subscription: { plan: PRO } }]', 'unknown plan "PRO"'],
    ['accounts: [{ email: a@b, password: 12345678a, fallback_model: m }]', 'unknown model "m"'],
    ['vendors: [{ code: a, protocols: [], base_url: "https://a" }]', 'at least one'],
    ['vendors: [{ code: a, protocols: [chat, chat], base_url: "https://a" }]', 'none twice'],
    ['vendors: [{ code: a, protocols: [chat], base_url: "https://user:pw@a" }]', 'without user'],
    ['vendors: [{ code: a b, protocols: [chat], base_url: "https://a" }]', 'letters, digits'],
    ['vendors: [{ code: a, byok: 1, protocols: [chat], base_url: "https://a" }]', 'true or false'],
    [
      'vendors: [{ code: a, name: "a\\u0007", protocols: [chat], base_url: "https://a" }]',
      'control characters',
    ],
    ['vendors: { code: a }', 'vendors: must be a list'],
    ['vendors: [text]', 'vendors[0]: must be a map'],
    ['text', 'must be a map'],
    [`${VENDOR}\ncredentials: [{ name: n, vendor: openai, secret: "a b" }]`, 'without spaces'],
    [`${VENDOR}\ncredentials: [{ name: n, vendor: openai, secret: "" }]`, 'must have 1 to'],
  ])('refuses %s', (text, problem) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  it('may refer to what is stored, but not move a stored credential to another vendor', () => {
    const text = `
credentials: [{ name: main, vendor: other, secret: s }]
models: [{ model_id: m, routes: [{ vendor: openai, credential: second }] }]
vendors: [{ code: other, protocols: [chat], base_url: "https://x" }]
defaults: { policy: 4 }`;
    const [vendor] = documentOf(VENDOR).vendors;
    const [entry] = documentOf(`${VENDOR}\n${CREDENTIAL}`).credentials;
    assert(vendor !== undefined && entry !== undefined, 'the fixture is read');
    const credential: Credential = { ...entry, id: 1, ownerAccountId: undefined };
    const known: KnownCatalog = {
      vendors: new Map([['openai', vendor]]),
      credentials: new Map([
        ['main', credential],
        ['second', credential],
      ]),
      models: new Map(),
      policies: new Map([[4, { id: 4, name: 'p', concurrency: undefined, windows: [] }]]),
      plans: new Map(),
    };
    const result = parseCatalog(text, ENVIRONMENT, known);
    expect(result.kind === 'invalid' ? result.problems.map(formatProblem) : []).toEqual([
      'credentials[0].vendor: credential "main" belongs to "openai"; use another name (line 2)',
    ]);
  });
});

describe('variables of the environment', () => {
  it('stand for numbers and switches too, and inside longer values', () => {
    const document = documentOf(`
system_rate: "\${RATE}"
vendors: [{ code: openai, name: "The \${WEIGHT} of \${YES}", protocols: [chat], base_url: "https://a", byok: "\${YES}" }]
${CREDENTIAL}
models: [{ model_id: m, routes: [{ vendor: openai, credential: main, weight: "\${WEIGHT}" }] }]`);
    expect(document.systemRateMicro).toBe(85_500_000n);
    expect(document.vendors[0]).toMatchObject({ name: 'The 7 of true', byok: true });
    expect(document.models[0]?.routes?.[0]?.weight).toBe(7);
  });

  it('are read once: what they hold is not read as a variable again', () => {
    expect(parseCatalog(`nodes: [{ name: "\${A}", base_url: "http://a" }]`, { A: `\${B}` })).toMatchObject({
      kind: 'catalog',
      document: { nodes: [{ name: `\${B}` }] },
    });
  });

  it('can be written as they are with a second dollar', () => {
    expect(documentOf(`nodes: [{ name: "$\${A} $5", base_url: "http://a" }]`).nodes[0]?.name).toBe(
      `\${A} $5`,
    );
  });

  it('that are not set or malformed are named with their place, without any value', () => {
    const problems = problemsOf(
      `nodes: [{ name: "\${OPENAI_API_KEY} \${MISSING} \${1}", base_url: "http://a" }]`,
    );
    expect(problems).toHaveLength(2);
    expect(problems[0]).toBe('nodes[0].name: the environment variable MISSING is not set (line 1)');
    expect(problems.join()).not.toContain('sk-openai');
  });

  it('never read from the prototype of the environment', () => {
    expect(problemsOf(`nodes: [{ name: "\${constructor}", base_url: "http://a" }]`)[0]).toContain('not set');
  });
});

describe('hostile files', () => {
  it.each([
    ['a tag', 'system_rate: !!js/function "x"'],
    ['an unknown tag', 'system_rate: !x 1'],
    ['two documents', 'system_rate: 1\n---\nsystem_rate: 2'],
    ['a key twice', 'system_rate: 1\nsystem_rate: 2'],
    ['a cycle', 'vendors: &a [*a]'],
    ['an unknown alias', 'vendors: *nobody'],
    ['deep nesting', `vendors: ${'['.repeat(50_000)}`],
    ['a merge key', 'defaults: { <<: { policy: 1 } }'],
    ['a map as key', '? { a: b }\n: c'],
    ['a prototype', '__proto__: { a: 1 }'],
  ])('with %s are refused', (_name, text) => {
    expect(problemsOf(text).length).toBeGreaterThan(0);
  });

  it('with a bomb of aliases end at once', () => {
    let text = 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n';
    for (let level = 1; level < 12; level++) {
      const before = `*a${level - 1}`;
      text += `a${level}: &a${level} [${Array(10).fill(before).join(', ')}]\n`;
    }
    const started = performance.now();
    expect(problemsOf(text).some((problem) => problem.includes('aliases'))).toBe(true);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('larger than the bound are not parsed', () => {
    expect(problemsOf(`# ${'x'.repeat(4 * 1024 * 1024)}`)).toEqual(['the file is larger than 4194304 bytes']);
  });

  it('of any kind never throw, and many problems are counted, not listed', () => {
    const piece = fc.constantFrom(
      'vendors',
      ':',
      ' ',
      '\n',
      '- ',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      '&a ',
      '*a',
      '!',
      '|',
      `\${`,
      '}',
      'code',
      '1',
      '#',
      '? ',
      '%',
      '\t',
      '<<',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => void problemsOf(pieces.join(''))),
      { numRuns: 1_000 },
    );
    const many = problemsOf(`nodes: [${Array(500).fill('{ name: 1 }').join(', ')}]`);
    expect(many).toHaveLength(101);
    expect(many.at(-1)).toMatch(/^\d+ more problems$/);
  });
});
