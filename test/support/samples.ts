import type { Account, ApiKey, Funds } from '../../src/accounts/contract.ts';
import type { CatalogSnapshot, Credential, Model, Plan, Route, Vendor } from '../../src/catalog/contract.ts';
import type { Job } from '../../src/jobs/contract.ts';

/** Small valid records for unit tests; each takes what a test wants different. */
const LIST_RATE = 100_000_000n;

export function sampleVendor(changes: Partial<Vendor> = {}): Vendor {
  return {
    code: 'openai',
    name: 'OpenAI',
    icon: 'openai',
    protocols: ['chat', 'responses', 'images'],
    baseUrl: 'http://127.0.0.1:1/v1',
    rateMicro: LIST_RATE,
    byok: true,
    customBaseUrl: false,
    ...changes,
  };
}

export function sampleCredential(changes: Partial<Credential> = {}): Credential {
  return {
    id: 1,
    name: 'openai-main',
    vendorCode: 'openai',
    secret: 'sk-sample',
    baseUrl: undefined,
    rateMicro: LIST_RATE,
    limits: {},
    status: 'enabled',
    ownerAccountId: undefined,
    ...changes,
  };
}

export function sampleRoute(changes: Partial<Route> = {}): Route {
  return {
    id: 1,
    modelId: 'gpt-5',
    vendor: sampleVendor(),
    credential: sampleCredential(),
    forwardModelId: 'gpt-5-2026-08-01',
    protocols: ['chat', 'responses'],
    priority: 10,
    weight: 1,
    rateMultiplierMicro: 1_000_000n,
    status: 'enabled',
    capabilities: undefined,
    ...changes,
  };
}

export function sampleModel(changes: Partial<Model> = {}): Model {
  return {
    modelId: 'gpt-5',
    name: 'GPT-5',
    status: 'enabled',
    clientVisible: true,
    restriction: { kind: 'none', level: 0 },
    supportFeatures: ['text'],
    prices: {
      inputMicro: 10_000_000n,
      outputMicro: 30_000_000n,
      cacheInputMicro: undefined,
      cacheOutputMicro: undefined,
      cacheWriteMicro: undefined,
      imageMicro: 300_000n,
      videoMicro: 0n,
    },
    billingModes: 1,
    contextWindow: undefined,
    maxOutputTokens: 1_000,
    routing: 'weight',
    batchRateMicro: 100_000_000n,
    routes: [sampleRoute()],
    ...changes,
  };
}

export function sampleCatalog(changes: Partial<CatalogSnapshot> = {}): CatalogSnapshot {
  return {
    version: 1,
    systemRateMicro: LIST_RATE,
    defaults: {
      policyId: undefined,
      userRateMicro: LIST_RATE,
      apiBilling: true,
      autoExchange: false,
    },
    verificationGrants: { personalMicro: 0n, enterpriseMicro: 0n },
    vendors: new Map(),
    credentials: new Map(),
    models: new Map([['gpt-5', sampleModel()]]),
    policies: new Map(),
    plans: new Map(),
    nodes: [],
    announcements: [],
    ...changes,
  };
}

export function samplePlan(changes: Partial<Plan> = {}): Plan {
  return {
    code: 'PRO',
    level: 2,
    name: 'Pro',
    priceMicro: 199_000_000n,
    days: 30,
    policyId: undefined,
    coversModels: '*',
    coverageWindows: [],
    ...changes,
  };
}

export function sampleFunds(changes: Partial<Funds> = {}): Funds {
  return {
    version: 1,
    creditsMicro: 1_000_000_000n,
    balanceMicro: 0n,
    monthSpentMicro: 0n,
    month: '2026-01',
    ...changes,
  };
}

export function sampleAccount(changes: Partial<Account> = {}): Account {
  return {
    id: 7,
    version: 1,
    email: 'user@example.com',
    status: 'enabled',
    role: 'user',
    userType: 0,
    policyId: undefined,
    userRateMicro: LIST_RATE,
    apiBilling: true,
    autoExchange: false,
    extraApiQuotaMicro: 0n,
    preference: { fallbackModel: null, byokFallback: false },
    subscriptions: [],
    byok: [],
    funds: sampleFunds(),
    ...changes,
  };
}

export function sampleKey(changes: Partial<ApiKey> = {}): ApiKey {
  return {
    id: 11,
    accountId: 7,
    name: 'main',
    prefix: 'tg-abc',
    policyId: undefined,
    expiresAtMs: undefined,
    status: 'enabled',
    ...changes,
  };
}

export function sampleJob(changes: Partial<Job> = {}): Job {
  return {
    kind: 'video',
    objectId: 'video_1',
    callId: 'req_1',
    accountId: 1,
    createdAtMs: 0,
    routeId: 1,
    credential: 'openai-main',
    own: false,
    model: 'sora-2',
    state: 'running',
    ...changes,
  };
}
