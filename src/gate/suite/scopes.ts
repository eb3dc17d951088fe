import { expect, it } from 'vitest';
import {
  CREDIT,
  CREDIT_YUAN,
  charged,
  createFunds,
  createHold,
  createPolicy,
  NOTHING_DONE,
  rule,
  toReason,
  type World,
} from './world.ts';

const rich = createFunds({ creditsMicro: 1_000_000n * CREDIT });

/** Calls of one account by several keys, each with a policy of its own. */
export function scopes(world: World): void {
  it('a key’s policy holds beside the account’s: slots, windows and amounts', async () => {
    const account = { scope: 'account:1', policy: createPolicy([rule('requests', 60, 9n)], 3) };
    const key = {
      scope: 'key:5',
      policy: createPolicy([rule('tokens', 60, 100n), rule('amount', 60, 15n * CREDIT_YUAN)], 1),
    };
    const call = { limits: [account, key], inputTokens: 60, money: createHold(rich) };
    const first = await world.lease(call);
    expect(await world.enter(call)).toMatchObject({ reason: 'concurrency', limit: 1n, scope: 'key:5' });
    await world.gate().leave(first, { ...charged(12n), tokens: 60 });
    expect(await world.enter(call)).toMatchObject({ reason: 'tokens', used: 60n, scope: 'key:5' });
    const small = { ...call, inputTokens: 0 };
    // Three Credits are left in the key’s window.
    expect(await world.lease(small)).toMatchObject({ heldMicro: 3n * CREDIT, shortOf: 'amount' });
  });

  it('many keys do not multiply the limits of their account', async () => {
    const account = { scope: 'account:1', policy: createPolicy([rule('requests', 60, 3n)]) };
    const results = [];
    for (let key = 1; key <= 5; key++) {
      const own = { scope: `key:${key}`, policy: createPolicy([rule('requests', 60, 2n)]) };
      results.push(toReason(await world.enter({ limits: [account, own] })));
    }
    expect(results).toEqual(['entered', 'entered', 'entered', 'requests', 'requests']);
    const other = { scope: 'key:9', policy: createPolicy([rule('requests', 60, 2n)]) };
    expect(await world.enter({ limits: [account, other] })).toMatchObject({ scope: 'account:1', limit: 3n });
  });

  it('the wait is that of the last window to open, in whichever policy it is', async () => {
    const account = { scope: 'account:1', policy: createPolicy([rule('requests', 60, 1n)]) };
    const key = { scope: 'key:5', policy: createPolicy([rule('requests', 3600, 1n)]) };
    await world.gate().leave(await world.lease({ limits: [account, key] }), NOTHING_DONE);
    expect(await world.enter({ limits: [account, key] })).toMatchObject({
      seconds: 60,
      retryAfterMs: 3_600_000,
    });
  });
}

/** Rule L-28: what is held when the most is not. */
export function shares(world: World): void {
  const figures = { wantMicro: 100n * CREDIT, leastMicro: CREDIT, shareMicro: 8n * CREDIT };
  const held = async (credits: bigint, wholeIfFree: boolean): Promise<bigint> => {
    const funds = createFunds({ creditsMicro: credits * CREDIT });
    const lease = await world.lease({ money: createHold(funds, { ...figures, wholeIfFree }) });
    expect(lease.freeMicro).toBe(credits * CREDIT - lease.heldMicro);
    return lease.heldMicro / CREDIT;
  };

  it.each([
    ['all of it if it is free', 100n, true, 100n],
    ['else a quarter of what is free', 99n, true, 24n],
    ['or its share, if that is more', 20n, true, 8n],
    ['or what is free, if that is less', 5n, true, 5n],
    ['without a bound of its own no more than a quarter, though all is free', 100n, false, 25n],
    ['but never more than it may cost', 4_000n, false, 100n],
  ] as const)('a call holds %s', async (_name, credits, wholeIfFree, expected) => {
    expect(await held(credits, wholeIfFree)).toBe(expected);
  });

  it('a refused call is told what is available and what running calls hold', async () => {
    const money = createHold(createFunds({ creditsMicro: 10n * CREDIT }), { leastMicro: 4n * CREDIT });
    await world.lease({ money: { ...money, wantMicro: 7n * CREDIT, shareMicro: 7n * CREDIT } });
    expect(await world.enter({ money })).toMatchObject({
      reason: 'credits',
      freeMicro: 3n * CREDIT,
      heldMicro: 7n * CREDIT,
      scope: undefined,
    });
    const capped = createHold(createFunds({ creditsMicro: 99n * CREDIT, monthSpentMicro: 4_000n }), {
      capMicro: 6_000n,
      leastMicro: 3n * CREDIT,
    });
    expect(await world.enter({ accountId: 2, money: capped })).toMatchObject({
      reason: 'cap',
      freeMicro: 2n * CREDIT,
      heldMicro: 0n,
    });
  });
}
