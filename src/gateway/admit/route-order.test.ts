import { describe, expect, it } from 'vitest';
import { sampleRoute } from '../../../test/support/samples.ts';
import type { Route, Routing } from '../../catalog/contract.ts';
import { seededRandom } from '../../kernel/random.ts';
import { promptPrefix, sortRoutes } from './route-order.ts';

const SHORT = Buffer.from('{"model":"m","messages":[]}');

function routes(count: number, change: (id: number) => Partial<Route> = () => ({})): Route[] {
  const base = sampleRoute();
  return Array.from({ length: count }, (_, at) => {
    const id = at + 1;
    return { ...base, id, credential: { ...base.credential, id }, priority: 1, weight: 1, ...change(id) };
  });
}

interface Asked {
  readonly routing: Routing;
  readonly body?: Buffer;
  readonly firstTokenMs?: Readonly<Record<number, number>>;
  readonly seed?: number;
}

/** How often each route is first in so many calls. */
function firsts(all: readonly Route[], calls: number, asked: Asked): Record<number, number> {
  const random = seededRandom(asked.seed ?? 5);
  const health = { firstTokenMs: ({ id }: Route) => asked.firstTokenMs?.[id] };
  const { routing, body = SHORT } = asked;
  const count: Record<number, number> = {};
  for (let call = 0; call < calls; call++) {
    const [first] = sortRoutes(all, { routing, protocol: 'chat', health, random, body });
    count[first?.id ?? 0] = (count[first?.id ?? 0] ?? 0) + 1;
  }
  return count;
}

/** A conversation: the same beginning, and a turn more with each call. */
function conversation(system: string, turns: number): Buffer {
  const messages = [{ role: 'system', content: system.padEnd(5_000, '.') }];
  for (let turn = 0; turn < turns; turn++) messages.push({ role: 'user', content: `turn ${turn}` });
  return Buffer.from(JSON.stringify({ model: 'm', max_tokens: 100 + turns, messages }));
}

describe('routing by latency', () => {
  it('prefers the route with the shortest first token, and lets no other starve', () => {
    const count = firsts(routes(3), 4_000, {
      ...{ routing: 'latency', firstTokenMs: { 1: 900, 2: 200, 3: 2_000 } },
    });
    expect(count[2]).toBeGreaterThan(3_700);
    for (const id of [1, 3]) expect(count[id]).toBeGreaterThan(30);
  });

  it('shares by weight between routes that are about as fast, and tries what was never measured', () => {
    const near = firsts(routes(2), 2_000, { routing: 'latency', firstTokenMs: { 1: 300, 2: 310 } });
    expect(near[1]).toBeGreaterThan(850);
    expect(near[2]).toBeGreaterThan(850);
    const fresh = firsts(routes(3), 3_000, { routing: 'latency', firstTokenMs: { 1: 300, 2: 3_000 } });
    expect(fresh[3]).toBeGreaterThan(1_200);
    expect(firsts(routes(2), 100, { routing: 'latency' })[1]).toBeGreaterThan(20);
  });

  it('never comes before priority', () => {
    const all = routes(2, (id) => ({ priority: id }));
    expect(firsts(all, 500, { routing: 'latency', firstTokenMs: { 1: 5_000, 2: 10 } })).toEqual({ 1: 500 });
  });
});

describe('routing by cost', () => {
  it('prefers the route by which a call is charged least, and shares between equals', () => {
    const all = routes(3, (id) => ({ rateMultiplierMicro: id === 1 ? 1_500_000n : 1_000_000n }));
    const count = firsts(all, 1_000, { routing: 'cost' });
    expect(count[1]).toBeUndefined();
    expect(count[2]).toBeGreaterThan(400);
    const base = sampleRoute();
    const cheaper = routes(2, (id) =>
      id === 1 ? {} : { credential: { ...base.credential, id, rateMicro: base.credential.rateMicro - 1n } },
    );
    expect(firsts(cheaper, 100, { routing: 'cost' })).toEqual({ 2: 100 });
  });
});

describe('routing by cache', () => {
  it('sends every turn of a conversation to one credential, on every node', () => {
    const all = routes(4);
    const seen = new Set<string>();
    for (let turn = 1; turn < 30; turn++) {
      const asked = { routing: 'cache', body: conversation('You are kind', turn), seed: turn } as const;
      seen.add(JSON.stringify(firsts(all, 3, asked)));
    }
    expect(seen.size).toBe(1);
  });

  it('spreads many prompts by weight, and a lost route only moves its own', () => {
    const all = routes(3, (id) => ({ weight: id === 1 ? 2 : 1 }));
    const first = (among: readonly Route[], prompt: number) =>
      Number(
        Object.keys(firsts(among, 1, { routing: 'cache', body: conversation(`prompt ${prompt}`, 1) }))[0],
      );
    const count: Record<number, number> = {};
    for (let prompt = 0; prompt < 2_000; prompt++) {
      const id = first(all, prompt);
      count[id] = (count[id] ?? 0) + 1;
      if (id !== 3) expect(first(all.slice(0, 2), prompt)).toBe(id);
    }
    expect(count[1]).toBeGreaterThan(900);
    for (const id of [2, 3]) expect(count[id]).toBeGreaterThan(400);
  });

  it('goes by weight where nothing is cached: short requests, and those without a prompt', () => {
    const count = firsts(routes(2), 1_000, { routing: 'cache' });
    expect(count[1]).toBeGreaterThan(400);
    expect(promptPrefix(SHORT)).toBeUndefined();
    expect(promptPrefix(Buffer.from(`{"model":"${'m'.repeat(9_000)}"}`))).toBeUndefined();
    expect(promptPrefix(conversation('s', 1))?.length).toBe(2_048);
    expect(promptPrefix(conversation('s', 1))?.toString()).toMatch(/^"messages"/);
  });
});
