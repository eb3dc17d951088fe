import { expect, it } from 'vitest';
import type { CapabilityOverrides } from '../kernel/capability.ts';
import type { Credential, Vendor } from './contract.ts';
import type { StoredCatalog, StoredModel, StoredRoute } from './document.ts';
import { resolveCatalog } from './resolve.ts';

const VENDOR: Vendor = {
  code: 'v',
  name: 'V',
  icon: 'v',
  protocols: ['chat', 'responses'],
  baseUrl: 'https://v',
  rateMicro: 0n,
  byok: false,
  customBaseUrl: false,
};
const CREDENTIAL: Credential = {
  id: 5,
  name: 'c',
  vendorCode: 'v',
  secret: 's',
  baseUrl: undefined,
  rateMicro: 0n,
  limits: {},
  status: 'enabled',
  ownerAccountId: undefined,
};

function route(id: number, change: Partial<StoredRoute> = {}): StoredRoute {
  return {
    id,
    vendorCode: 'v',
    credentialName: 'c',
    forwardModelId: `m-${id}`,
    protocols: undefined,
    priority: 10,
    weight: 1,
    rateMultiplierMicro: 1_000_000n,
    status: 'enabled',
    capabilities: undefined,
    ...change,
  };
}

interface Sketch {
  readonly credential?: Credential;
  readonly capabilities?: CapabilityOverrides;
  readonly maxOutputTokens?: number;
}

function catalogWith(
  routes: readonly StoredRoute[],
  { credential = CREDENTIAL, capabilities, maxOutputTokens }: Sketch = {},
): StoredCatalog {
  const model: StoredModel = {
    modelId: 'm',
    name: 'M',
    status: 'enabled',
    clientVisible: true,
    restriction: { kind: 'none', level: 0 },
    supportFeatures: [],
    prices: {
      inputMicro: 0n,
      outputMicro: 0n,
      cacheInputMicro: undefined,
      cacheOutputMicro: undefined,
      cacheWriteMicro: undefined,
      imageMicro: 0n,
      videoMicro: 0n,
    },
    billingModes: 1,
    contextWindow: undefined,
    maxOutputTokens,
    routing: 'weight',
    batchRateMicro: 100_000_000n,
    capabilities,
    routes,
  };
  return {
    version: 7,
    systemRateMicro: 1n,
    defaults: { policyId: undefined, userRateMicro: 0n, apiBilling: true, autoExchange: false },
    verificationGrants: { personalMicro: 0n, enterpriseMicro: 0n },
    vendors: new Map([['v', VENDOR]]),
    credentials: new Map([[credential.name, credential]]),
    models: new Map([['m', model]]),
    policies: new Map(),
    plans: new Map(),
    nodes: new Map(),
    announcements: new Map(),
  };
}

function routesOf(routes: readonly StoredRoute[], sketch: Sketch = {}) {
  return resolveCatalog(catalogWith(routes, sketch)).models.get('m')?.routes ?? [];
}

it('routes contain their vendor and credential', () => {
  const [only] = routesOf([route(1)]);
  expect(only).toMatchObject({ id: 1, modelId: 'm', forwardModelId: 'm-1' });
  expect(only?.vendor).toBe(VENDOR);
  expect(only?.credential).toBe(CREDENTIAL);
});

it('routes are sorted by priority number, then by age, disabled ones included', () => {
  const routes = [
    route(3),
    route(1, { priority: 20 }),
    route(2, { status: 'disabled' }),
    route(4, { priority: -1 }),
  ];
  expect(routesOf(routes).map((each) => each.id)).toEqual([4, 2, 3, 1]);
});

it('a route uses the protocols that it names and the vendor still has, or all of the vendor', () => {
  const routes = [
    route(1),
    route(2, { protocols: ['responses', 'chat'] }),
    route(3, { protocols: ['messages', 'chat'] }),
    route(4, { protocols: ['messages'] }),
  ];
  expect(routesOf(routes).map((each) => each.protocols)).toEqual([
    ['chat', 'responses'],
    ['responses', 'chat'],
    ['chat'],
    [],
  ]);
});

it('capabilities of the route win over those of the model, and both are kept', () => {
  const routes = [
    route(1, { capabilities: { thinking: 'budget', prefill: true } }),
    route(2),
    route(3, { capabilities: { thinking: 'level' } }),
  ];
  const capabilities = { thinking: 'effort', cacheMarks: true } as const;
  expect(routesOf(routes, { capabilities }).map((each) => each.capabilities)).toEqual([
    { thinking: 'budget', prefill: true, cacheMarks: true },
    { thinking: 'effort', cacheMarks: true },
    { thinking: 'level', cacheMarks: true },
  ]);
  expect(routesOf(routes, { capabilities }).every((each) => Object.isFrozen(each.capabilities))).toBe(true);
});

it('the longest answer is the vendor’s, unless the model or the route sets it', () => {
  const routes = [route(1), route(2, { capabilities: { maxOutputTokens: 100 } })];
  expect(routesOf(routes, { maxOutputTokens: 64_000 }).map((each) => each.capabilities)).toEqual([
    { maxOutputTokens: 64_000 },
    { maxOutputTokens: 100 },
  ]);
});

it('a route without settings has no capabilities of its own', () => {
  expect(routesOf([route(1)])[0]?.capabilities).toBeUndefined();
  const model = resolveCatalog(catalogWith([route(1)], { capabilities: { prefill: true } })).models.get('m');
  expect(model).not.toHaveProperty('capabilities');
});

it('a route with a key of another vendor is a broken invariant', () => {
  const stranger = { ...CREDENTIAL, vendorCode: 'w' };
  expect(() => resolveCatalog(catalogWith([route(1)], { credential: stranger }))).toThrow(/stranger/);
  expect(() => routesOf([route(1, { credentialName: 'nobody' })])).toThrow(/vendor and credential/);
});
