import { describe, expect, it } from 'vitest';
import { ManualClock } from '../kernel/time/clock.ts';
import { gateContract } from './contract-suite.ts';
import { createMemoryGate } from './memory.ts';
import {
  CREDIT,
  covered,
  createCall,
  createCoverage,
  createFunds,
  createHold,
  createMoney,
  createPolicy,
  NOTHING_DONE,
  requireLease,
  rule,
} from './suite/world.ts';

gateContract('memory', () => {
  const clock = new ManualClock();
  return {
    gate: createMemoryGate({ clock }),
    advance: (ms) => clock.advance(ms),
    close: () => {},
  };
});

describe('the memory gate', () => {
  it('forgets idle accounts and scopes beyond its bound, and never one with calls or pending charges', () => {
    const gate = createMemoryGate({ clock: new ManualClock(), accountsMax: 100 });
    const money = createHold(createFunds({ creditsMicro: 20n * CREDIT }));
    const running = requireLease(gate.enter(createCall({ accountId: 1, money })));
    const ended = requireLease(gate.enter(createCall({ accountId: 2, money })));
    gate.leave(ended, { ...NOTHING_DONE, chargeMicro: 15n * CREDIT });
    for (let accountId = 3; accountId < 5_000; accountId++) {
      gate.leave(requireLease(gate.enter(createCall({ accountId, money }))), NOTHING_DONE);
    }
    expect(gate.size).toBeLessThanOrEqual(2 * 100 + 4);
    expect(
      requireLease(gate.enter(createCall({ accountId: 1, money: { ...money, wantMicro: 99n * CREDIT } })))
        .heldMicro,
    ).toBe(10n * CREDIT);
    expect(requireLease(gate.enter(createCall({ accountId: 2, money }))).heldMicro).toBe(5n * CREDIT);
    gate.leave(running, NOTHING_DONE);
  });

  it('drops the slots of calls that never left in a sweep, so that their scope can be forgotten', () => {
    const clock = new ManualClock();
    const gate = createMemoryGate({ clock, accountsMax: 1 });
    gate.enter(createCall({ scope: 'key:lost' }));
    clock.advance(600_000);
    gate.sweep();
    gate.enter(createCall({ scope: 'key:next' }));
    expect(gate.size).toBe(1);
  });

  it('does not move windows with the wall clock', () => {
    const clock = new ManualClock();
    const gate = createMemoryGate({ clock });
    const policy = createPolicy([rule('requests', 60, 1n)]);
    gate.enter(createCall({ policy }));
    clock.jump(3_600_000);
    expect(gate.enter(createCall({ policy }))).toMatchObject({ retryAfterMs: 60_000 });
    clock.jump(-7_200_000);
    clock.advance(60_000);
    expect(gate.enter(createCall({ policy })).kind).toBe('entered');
  });

  it('keeps a scope with a running window, whoever else comes', () => {
    const clock = new ManualClock();
    const gate = createMemoryGate({ clock, accountsMax: 10 });
    const policy = createPolicy([rule('requests', 60, 1n)]);
    const money = createMoney({ coverage: createCoverage(10n, 60) });
    gate.leave(requireLease(gate.enter(createCall({ scope: 'key:quiet', policy, money }))), covered(10n));
    for (let number = 0; number < 1_000; number++) {
      gate.leave(requireLease(gate.enter(createCall({ scope: `key:${number}` }))), NOTHING_DONE);
    }
    expect(gate.enter(createCall({ scope: 'key:quiet', policy }))).toMatchObject({ reason: 'requests' });
    expect(gate.enter(createCall({ money }))).toMatchObject({ reason: 'coverage' });
    clock.advance(60_000);
    for (let number = 0; number < 100; number++) {
      gate.leave(requireLease(gate.enter(createCall({ scope: `key:late:${number}` }))), NOTHING_DONE);
    }
    expect(gate.size).toBe(10);
  });

  it('names in a lease the windows that count it, and follows its money', () => {
    const clock = new ManualClock();
    const gate = createMemoryGate({ clock });
    const policy = createPolicy([
      rule('requests', 60, 9n),
      rule('images', 60, 9n),
      rule('amount', 30, 90_000n),
    ]);
    const rich = createHold(createFunds({ creditsMicro: 20n * CREDIT }));
    const startedAtMs = clock.now();
    const own = { scope: 'account:1', startedAtMs };
    const requests = { ...own, dimension: 'requests', seconds: 60 };
    const amount = { ...own, dimension: 'amount', seconds: 30 };
    const lease = requireLease(gate.enter(createCall({ policy, money: rich })));
    expect(lease.windows).toEqual([requests, amount]);
    gate.rehold(lease, undefined);
    expect(lease.windows).toEqual([requests]);
    clock.advance(10);
    gate.rehold(lease, createMoney({ coverage: createCoverage(10n) }));
    const cover = { dimension: 'amount', seconds: 3600, scope: 'subscription:1', startedAtMs: clock.now() };
    expect(lease.windows).toEqual([requests, amount, cover]);
    // Images that nobody asked for are counted where they were made.
    gate.leave(lease, { ...covered(1n), images: 2 });
    const images = { ...own, dimension: 'images', seconds: 60, startedAtMs: clock.now() };
    expect(lease.windows).toEqual([requests, images, amount, cover]);
    expect(requireLease(gate.enter(createCall({ scope: 'account:2' }))).windows).toEqual([]);
  });

  it('continues to count after a restart from the stored windows', () => {
    const clock = new ManualClock();
    const gate = createMemoryGate({ clock });
    const startedAtMs = clock.now() - 20_000;
    gate.restore([
      { scope: 'key:1', dimension: 'requests', seconds: 60, startedAtMs, used: 3n },
      { scope: 'key:2', dimension: 'requests', seconds: 60, startedAtMs: startedAtMs - 40_000, used: 9n },
      { scope: 'subscription:1', dimension: 'amount', seconds: 3600, startedAtMs, used: 9_000n },
    ]);
    const policy = createPolicy([rule('requests', 60, 3n)]);
    expect(gate.enter(createCall({ scope: 'key:1', policy }))).toMatchObject({
      used: 3n,
      retryAfterMs: 40_000,
    });
    expect(gate.enter(createCall({ scope: 'key:2', policy }))).toMatchObject({ kind: 'entered' });
    const lease = requireLease(
      gate.enter(createCall({ money: createMoney({ coverage: createCoverage(10n) }) })),
    );
    expect(lease.heldMicro).toBe(CREDIT);
    expect(lease.windows).toMatchObject([{ scope: 'subscription:1', startedAtMs }]);
    expect(() => gate.restore([])).toThrow('before the first call');
  });

  it('refuses a lease of another gate', () => {
    const one = createMemoryGate({ clock: new ManualClock() });
    const lease = {
      callId: 'req_x',
      accountId: 1,
      payer: 'none',
      heldMicro: 0n,
      shortOf: undefined,
      freeMicro: 0n,
      month: undefined,
      mayExchange: undefined,
      capMicro: undefined,
      windows: [],
    } as const;
    expect(() => one.leave(lease, NOTHING_DONE)).toThrow('returns to its gate');
    expect(() => one.extend(lease, 1n)).toThrow('running call');
    expect(() => one.rehold(lease, undefined)).toThrow('running call');
  });
});
