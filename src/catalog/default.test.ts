import { describe, expect, it } from 'vitest';
import type { Credential, Model } from './contract.ts';
import { defaultCatalog } from './default.ts';
import type { KnownCatalog } from './document.ts';

const NOTHING: KnownCatalog = {
  vendors: new Map(),
  credentials: new Map(),
  models: new Map(),
  policies: new Map(),
  plans: new Map(),
};
const ALL = { OPENAI_API_KEY: 'sk-1', ANTHROPIC_API_KEY: 'sk-2', GEMINI_API_KEY: 'AI-3' };

/** What is known after a first start with these keys. */
function knownAfter(environment: Record<string, string>): KnownCatalog {
  const document = defaultCatalog(environment, NOTHING);
  return {
    vendors: new Map(document.vendors.map((each) => [each.code, each])),
    credentials: new Map(
      document.credentials.map((each, id) => [each.name, { ...each, id, ownerAccountId: undefined }]),
    ),
    models: new Map(document.models.map((each) => [each.modelId, { ...each, routes: [] } as Model])),
    policies: new Map(document.policies.map((each) => [each.id, each])),
    plans: new Map(document.plans.map((each) => [each.code, each])),
  };
}

describe('the default catalogue', () => {
  it('offers models of every vendor whose key is in the environment', () => {
    const document = defaultCatalog(ALL, NOTHING);
    expect(document.credentials.map(({ vendorCode, secret }) => [vendorCode, secret])).toEqual([
      ['openai', 'sk-1'],
      ['anthropic', 'sk-2'],
      ['google', 'AI-3'],
    ]);
    const routed = new Set(
      document.models.flatMap((model) => model.routes ?? []).map((route) => route.vendorCode),
    );
    expect(routed).toEqual(new Set(['openai', 'anthropic', 'google']));
    expect(document.defaults?.policyId).toBe(1);
    expect(document.plans.map((plan) => [plan.code, plan.level])).toEqual([
      ['PLUS', 1],
      ['PRO', 2],
      ['PROMAX', 3],
    ]);
  });

  it('is consistent: every name refers to something and every model has a price', () => {
    const document = defaultCatalog(ALL, NOTHING);
    const policies = new Set(document.policies.map((policy) => policy.id));
    expect(document.plans.every((plan) => plan.policyId !== undefined && policies.has(plan.policyId))).toBe(
      true,
    );
    expect(new Set(document.models.map((model) => model.modelId)).size).toBe(document.models.length);
    for (const { prices, billingModes, routes = [] } of document.models) {
      const isPriced =
        billingModes === 2 ? prices.imageMicro > 0n : prices.inputMicro > 0n && prices.outputMicro > 0n;
      expect(isPriced).toBe(true);
      for (const route of routes) {
        const vendor = document.vendors.find((each) => each.code === route.vendorCode);
        const credential = document.credentials.find((each) => each.name === route.credentialName);
        expect(credential?.vendorCode).toBe(vendor?.code);
        expect(route.protocols?.length).toBeGreaterThan(0);
        expect(route.protocols?.every((protocol) => vendor?.protocols.includes(protocol))).toBe(true);
      }
    }
  });

  it('without any key has the vendors, for users with keys of their own, and no model', () => {
    for (const environment of [{}, { OPENAI_API_KEY: '', GEMINI_API_KEY: ' ' }]) {
      const document = defaultCatalog(environment, NOTHING);
      expect([document.vendors.length, document.credentials.length, document.models.length]).toEqual([
        3, 0, 0,
      ]);
    }
  });
});

describe('a later start', () => {
  it('offers nothing again', () => {
    const document = defaultCatalog(ALL, knownAfter(ALL));
    expect(document).toMatchObject({ vendors: [], models: [], policies: [], plans: [], defaults: undefined });
  });

  it('brings the models of a new key, and only those', () => {
    const document = defaultCatalog(ALL, knownAfter({ OPENAI_API_KEY: 'sk-1', GEMINI_API_KEY: 'AI-3' }));
    expect(document.models.map((model) => model.modelId.split('-')[0])).toEqual([
      'claude',
      'claude',
      'claude',
    ]);
    expect(document.vendors).toEqual([]);
  });

  it('takes over a changed key, and keeps what the operator changed', () => {
    const known = knownAfter(ALL);
    const stored = known.credentials.get('openai-environment');
    if (stored === undefined) throw new Error('the first start made it');
    const changed: Credential = { ...stored, rateMicro: 80_000_000n, status: 'disabled' };
    const credentials = new Map([...known.credentials, [changed.name, changed] as const]);
    const [entry] = defaultCatalog({ OPENAI_API_KEY: 'sk-newer' }, { ...known, credentials }).credentials;
    expect(entry).toMatchObject({ secret: 'sk-newer', rateMicro: 80_000_000n, status: 'disabled' });
    expect(entry).not.toHaveProperty('id');
  });

  it('changes nothing for an operator who uses other vendors', () => {
    const [vendor] = knownAfter(ALL).vendors.values();
    if (vendor === undefined) throw new Error('there is a vendor');
    const own = { ...NOTHING, vendors: new Map([['mine', { ...vendor, code: 'mine' }]]) };
    expect(defaultCatalog({}, own)).toMatchObject({ vendors: [], policies: [], defaults: undefined });
    expect(defaultCatalog({ GEMINI_API_KEY: 'k' }, own).vendors.map((each) => each.code)).toEqual(['google']);
  });
});
