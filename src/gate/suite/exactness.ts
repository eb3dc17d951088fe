import { expect, it } from 'vitest';
import {
  type CallParts,
  CREDIT,
  createFunds,
  createHold,
  createPolicy,
  NOTHING_DONE,
  rule,
  toReason,
  type World,
} from './world.ts';

export function exactness(world: World): void {
  const sizes = [
    [10, 1],
    [1_000, 10],
    [10_000, 100],
  ] as const;
  for (const [calls, limit] of sizes) {
    it(`of ${calls} simultaneous calls at ${limit} requests exactly ${limit} enter`, async () => {
      const policy = createPolicy([rule('requests', 60, BigInt(limit))]);
      const results = await Promise.all(Array.from({ length: calls }, () => world.enter({ policy })));
      expect(results.filter((result) => result.kind === 'entered')).toHaveLength(limit);
    });
    it(`of ${calls} simultaneous calls at concurrency ${limit} exactly ${limit} enter`, async () => {
      const policy = createPolicy([], limit);
      const results = await Promise.all(Array.from({ length: calls }, () => world.enter({ policy })));
      expect(results.filter((result) => result.kind === 'entered')).toHaveLength(limit);
      expect(world.gate().active).toBe(limit);
    });
    it(`of ${calls} simultaneous calls with Credits for ${limit} exactly ${limit} enter`, async () => {
      const money = createHold(createFunds({ creditsMicro: BigInt(limit) * 10n * CREDIT }), {
        leastMicro: 10n * CREDIT,
      });
      const results = await Promise.all(Array.from({ length: calls }, () => world.enter({ money })));
      expect(results.filter((result) => result.kind === 'entered')).toHaveLength(limit);
    });
  }
}

export function refusals(world: World): void {
  const refusers: readonly [string, CallParts][] = [
    ['concurrency', { policy: createPolicy([rule('requests', 60, 2n), rule('images', 60, 9n)], 1) }],
    ['images', { policy: createPolicy([rule('requests', 60, 2n), rule('images', 60, 2n)], 9), images: 3 }],
    [
      'tokens',
      { policy: createPolicy([rule('requests', 60, 2n), rule('tokens', 60, 5n)], 9), inputTokens: 4 },
    ],
    ['credits', { policy: createPolicy([rule('requests', 60, 2n)], 9), money: createHold(createFunds()) }],
    [
      'cap',
      {
        policy: createPolicy([rule('requests', 60, 2n)], 9),
        money: createHold(createFunds({ creditsMicro: 99n * CREDIT, monthSpentMicro: 5n }), { capMicro: 5n }),
      },
    ],
  ];
  for (const [reason, parts] of refusers) {
    it(`a call refused for ${reason} consumes nothing in any dimension`, async () => {
      const innocent = { policy: parts.policy };
      const first = await world.lease({ ...innocent, inputTokens: 3 });
      for (let tries = 0; tries < 50; tries++) expect(toReason(await world.enter(parts))).toBe(reason);
      expect(world.gate().active).toBe(1);
      await world.gate().leave(first, { ...NOTHING_DONE, tokens: 3 });
      // One of two requests is used: the fifty refused ones took neither request, slot, token nor image.
      const second = await world.lease({ ...innocent, inputTokens: 2, images: 2 });
      await world.gate().leave(second, { ...NOTHING_DONE, tokens: 2 });
      expect(toReason(await world.enter(innocent))).toBe('requests');
    });
  }
}
