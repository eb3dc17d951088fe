import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ATTEMPTS_MAX } from '../../bounds.ts';
import type { Credential, Model, Route } from '../../catalog/contract.ts';
import { isRefusal } from '../../kernel/errors.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { seededRandom } from '../../kernel/random.ts';
import type { RouteCondition } from '../../upstream/health/health.ts';
import { chooseRoutes, classify, orderRoutes, RetryBudget, type RouteHealth } from './route.ts';

interface RouteSketch {
  readonly priority?: number;
  readonly weight?: number;
  readonly protocols?: readonly Protocol[];
  readonly status?: 'enabled' | 'disabled';
  readonly credential?: Partial<Credential>;
}

function route(id: number, sketch: RouteSketch = {}): Route {
  return {
    id,
    modelId: 'm',
    vendor: {
      code: 'v',
      name: 'V',
      icon: '',
      protocols: ['chat'],
      baseUrl: 'http://v/v1',
      rateMicro: 100_000_000n,
      byok: true,
      customBaseUrl: false,
    },
    credential: {
      id,
      name: 'c',
      vendorCode: 'v',
      secret: 's',
      baseUrl: undefined,
      rateMicro: 100_000_000n,
      limits: {},
      status: 'enabled',
      ownerAccountId: undefined,
      ...sketch.credential,
    },
    forwardModelId: 'm',
    protocols: sketch.protocols ?? ['chat'],
    priority: sketch.priority ?? 10,
    weight: sketch.weight ?? 1,
    rateMultiplierMicro: 1_000_000n,
    capabilities: undefined,
    status: sketch.status ?? 'enabled',
  };
}

function model(routes: readonly Route[], status: Model['status'] = 'enabled'): Model {
  return {
    modelId: 'm',
    name: 'M',
    status,
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
    maxOutputTokens: undefined,
    routing: 'weight',
    batchRateMicro: 100_000_000n,
    routes,
  };
}

function health(
  conditions: Record<number, RouteCondition> = {},
  freeInMs: Record<number, number> = {},
): RouteHealth {
  return {
    condition: ({ id }) => conditions[id] ?? 'ready',
    freeInMs: ({ id }) => freeInMs[id] ?? 0,
    firstTokenMs: () => undefined,
  };
}

const random = seededRandom(7);
const body = Buffer.from('{}');

const choiceOf = (protocol: Protocol, state = health(), by = random) => ({
  ...{ protocol, health: state, random: by, body, routing: 'weight' as const },
});

function ids(routes: readonly Route[], state = health(), protocol: Protocol = 'chat'): number[] | string {
  const chosen = chooseRoutes(model(routes), choiceOf(protocol, state));
  if (isRefusal(chosen)) return `${chosen.error.code} ${chosen.retryAfterSeconds ?? ''}`.trim();
  return chosen.map(({ id }) => id);
}

test('an unknown or disabled model, and one without an enabled route, is 50201', () => {
  const none = chooseRoutes(undefined, choiceOf('chat'));
  expect(isRefusal(none) && none.error.code).toBe(50201);
  const disabled = chooseRoutes(model([route(1)], 'disabled'), choiceOf('chat'));
  expect(isRefusal(disabled) && disabled.error.code).toBe(50201);
  expect(ids([])).toBe('50201');
  expect(ids([route(1, { status: 'disabled' })])).toBe('50201');
  expect(ids([route(1, { credential: { status: 'disabled' } })])).toBe('50201');
});

test('a model whose routes cannot serve a protocol is 40004, and the message names that protocol', () => {
  const chosen = chooseRoutes(model([route(1, { protocols: ['messages'] })]), choiceOf('images'));
  expect(isRefusal(chosen) && [chosen.error.code, chosen.message]).toEqual([
    40004,
    expect.stringContaining('images'),
  ]);
});

test('a vendor with the client’s protocol comes first at equal priority', () => {
  const converted = { priority: 10, weight: 1_000_000, protocols: ['messages'] } as const;
  const native = { priority: 10, weight: 1, protocols: ['responses', 'chat'] } as const;
  for (let round = 0; round < 20; round++) {
    expect(ids([route(1, converted), route(2, native), route(3, converted)])).toEqual([
      2,
      expect.any(Number),
      expect.any(Number),
    ]);
  }
});

test('only enabled routes that can serve the protocol are tried, in order of priority', () => {
  const routes = [
    route(1, { priority: 30 }),
    route(2, { priority: 10, protocols: ['images'] }),
    route(3, { priority: 20, protocols: ['responses', 'chat'] }),
    route(4, { priority: 5, status: 'disabled' }),
    route(5, { priority: 1, credential: { status: 'disabled' } }),
  ];
  expect(ids(routes)).toEqual([3, 1]);
});

test('routes that cannot serve now are left out, and routes with refused credentials come last', () => {
  const routes = [1, 2, 3, 4, 5].map((id) => route(id, { priority: id }));
  const state = health({ 1: 'suspect', 2: 'ejected', 3: 'cooling', 4: 'at-limit' });
  expect(ids(routes, state)).toEqual([5, 1]);
});

test('the last route is never ejected: the best ejected one is tried', () => {
  const routes = [route(1, { priority: 2 }), route(2, { priority: 1 })];
  expect(ids(routes, health({ 1: 'ejected', 2: 'ejected' }))).toEqual([2]);
  expect(ids([route(1)], health({ 1: 'ejected' }))).toEqual([1]);
  expect(ids(routes, health({ 1: 'ejected', 2: 'cooling' }, { 2: 50_000 }))).toEqual([1]);
  expect(ids([route(1)], health({ 1: 'suspect' }))).toEqual([1]);
});

test('the route that is free within a second is tried when all cool down; else 50301 says when', () => {
  const routes = [route(1), route(2)];
  const cooling = { 1: 'cooling', 2: 'at-limit' } as const;
  expect(ids(routes, health(cooling, { 1: 900, 2: 30_000 }))).toEqual([1]);
  expect(ids(routes, health(cooling, { 1: 12_300, 2: 30_000 }))).toBe('50301 13');
});

test('no call tries more routes than the bound', () => {
  const routes = Array.from({ length: 30 }, (_, index) => route(index + 1));
  expect(ids(routes)).toHaveLength(ATTEMPTS_MAX);
});

test('every usable route appears once, in order of priority, whatever the weights', () => {
  const sketch = fc.record({
    priority: fc.integer({ min: 0, max: 3 }),
    weight: fc.integer({ min: 0, max: 50 }),
  });
  fc.assert(
    fc.property(
      fc.array(sketch, { minLength: 1, maxLength: ATTEMPTS_MAX }),
      fc.integer(),
      (sketches, seed) => {
        const routes = sketches.map((one, index) => route(index, one));
        const chosen = orderRoutes(routes, choiceOf('chat', health(), seededRandom(seed)));
        if (isRefusal(chosen)) return false;
        const priorities = chosen.map(({ priority }) => priority);
        const sorted = [...priorities].sort((one, other) => one - other);
        return (
          new Set(chosen.map(({ id }) => id)).size === routes.length &&
          JSON.stringify(priorities) === JSON.stringify(sorted)
        );
      },
    ),
  );
});

test('the weights determine the first choice inside a priority, and the second', () => {
  const routes = [
    route(1, { weight: 6 }),
    route(2, { weight: 3 }),
    route(3, { weight: 1 }),
    route(4, { weight: 0 }),
  ];
  const first = [0, 0, 0, 0, 0];
  let secondAfterOne = 0;
  const seeded = seededRandom(42);
  const draws = 20_000;
  for (let draw = 0; draw < draws; draw++) {
    const chosen = orderRoutes(routes, choiceOf('chat', health(), seeded));
    if (isRefusal(chosen)) throw new Error('refused');
    const [one = 0, two = 0, , four = 0] = chosen.map(({ id }) => id);
    first[one] = (first[one] ?? 0) + 1;
    if (one === 1 && two === 2) secondAfterOne += 1;
    expect(four).toBe(4);
  }
  const share = (count: number | undefined, of: number): number => (count ?? 0) / of;
  expect(share(first[1], draws)).toBeCloseTo(0.6, 1);
  expect(share(first[2], draws)).toBeCloseTo(0.3, 1);
  expect(share(first[3], draws)).toBeCloseTo(0.1, 1);
  // Of those that remain after the first, weights 3 and 1: three quarters.
  expect(share(secondAfterOne, first[1] ?? 1)).toBeCloseTo(0.75, 1);
});

test('a status decides whether the route failed, the client erred or the call succeeded', () => {
  const said = (statuses: number[]): string[] => [...new Set(statuses.map(classify))];
  expect(said([200, 201, 202])).toEqual(['success']);
  expect(said([400, 402, 405, 409, 413, 415, 418, 422, 451])).toEqual(['client-error']);
  expect(said([401, 403])).toEqual(['unauthorized']);
  expect(said([404])).toEqual(['not-found']);
  expect(said([429])).toEqual(['rate-limited']);
  expect(
    said([101, 103, 204, 205, 301, 302, 303, 304, 307, 308, 408, 500, 502, 503, 504, 520, 529, 599]),
  ).toEqual(['failure']);
});

test('retries are at most a fifth of the running calls, but three are always allowed', () => {
  const budget = new RetryBudget();
  expect([1, 2, 3, 4].map(() => budget.take(0))).toEqual([true, true, true, false]);
  expect(budget.take(20)).toBe(true);
  expect(budget.take(20)).toBe(false);
  budget.release();
  expect(budget.take(20)).toBe(true);
  for (let taken = 0; taken < 4; taken++) budget.release();
  expect(budget.taken).toBe(0);
  expect(() => budget.release()).toThrow(/once/);
});
