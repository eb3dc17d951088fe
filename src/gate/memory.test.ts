import { describe, expect, it } from 'vitest';
import { ManualClock } from '../kernel/clock.ts';
import { gateContract } from './contract-suite.ts';
import { createMemoryGate } from './memory.ts';
import { CREDIT, callOf, fundsOf, holdOf, leaseOf, NOTHING_DONE, policyOf, rule } from './suite/world.ts';

gateContract('memory', () => {
  const clock = new ManualClock();
  return { gate: createMemoryGate({ clock }), advance: (ms) => clock.advance(ms), close: () => {} };
});

describe('memory gate', () => {
  it('forgets idle accounts and scopes beyond its bound, and never one with calls or pending charges', () => {
    const gate = createMemoryGate({ clock: new ManualClock(), accountsMax: 100 });
    const hold = holdOf(fundsOf({ creditsMicro: 20n * CREDIT }));
    const running = leaseOf(gate.enter(callOf({ accountId: 1, hold })));
    const ended = leaseOf(gate.enter(callOf({ accountId: 2, hold })));
    gate.leave(ended, { ...NOTHING_DONE, chargeMicro: 15n * CREDIT });
    for (let accountId = 3; accountId < 5_000; accountId++) {
      gate.leave(leaseOf(gate.enter(callOf({ accountId, hold }))), NOTHING_DONE);
    }
    expect(gate.size).toBeLessThanOrEqual(2 * 100 + 4);
    expect(
      leaseOf(gate.enter(callOf({ accountId: 1, hold: { ...hold, wantMicro: 99n * CREDIT } }))).heldMicro,
    ).toBe(10n * CREDIT);
    expect(leaseOf(gate.enter(callOf({ accountId: 2, hold }))).heldMicro).toBe(5n * CREDIT);
    gate.leave(running, NOTHING_DONE);
  });

  it('a scope that is used all the time keeps its windows while others come and go', () => {
    const gate = createMemoryGate({ clock: new ManualClock(), accountsMax: 50 });
    const policy = policyOf([rule('requests', 60, 1_000_000n)]);
    const tight = policyOf([rule('requests', 60, 1_000n)]);
    for (let round = 0; round < 1_000; round++) {
      gate.leave(leaseOf(gate.enter(callOf({ scope: 'key:busy', policy: tight }))), NOTHING_DONE);
      gate.leave(leaseOf(gate.enter(callOf({ scope: `key:${round}`, policy }))), NOTHING_DONE);
    }
    expect(gate.enter(callOf({ scope: 'key:busy', policy: tight }))).toMatchObject({ used: 1_000n });
  });

  it('a sweep drops the slots of calls that never left, so that their scope can be forgotten', () => {
    const clock = new ManualClock();
    const gate = createMemoryGate({ clock, accountsMax: 1 });
    gate.enter(callOf({ scope: 'key:lost' }));
    clock.advance(600_000);
    gate.sweep();
    gate.enter(callOf({ scope: 'key:next' }));
    expect(gate.size).toBe(1);
  });

  it('the wall clock does not move windows', () => {
    const clock = new ManualClock();
    const gate = createMemoryGate({ clock });
    const policy = policyOf([rule('requests', 60, 1n)]);
    gate.enter(callOf({ policy }));
    clock.jump(3_600_000);
    expect(gate.enter(callOf({ policy }))).toMatchObject({ retryAfterMs: 60_000 });
    clock.jump(-7_200_000);
    clock.advance(60_000);
    expect(gate.enter(callOf({ policy })).kind).toBe('entered');
  });

  it('a lease of another gate is not accepted', () => {
    const one = createMemoryGate({ clock: new ManualClock() });
    const lease = { callId: 'req_x', accountId: 1, heldMicro: 0n };
    expect(() => one.leave(lease, NOTHING_DONE)).toThrow('comes back to the gate');
    expect(() => one.extend(lease, 1n)).toThrow('running call');
  });
});
