import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Funds } from '../../accounts/contract.ts';
import type { EnterRequest, EnterResult, Lease } from '../contract.ts';
import { type PastCall, ReferenceGate } from './reference.ts';
import {
  CREDIT,
  callOf,
  fundsOf,
  type GateUnderTest,
  holdOf,
  type MakeGate,
  policyOf,
  rule,
} from './world.ts';

/** Small figures, so that random schedules reach every limit and every boundary. */
const POLICY = policyOf(
  [
    rule('requests', 1, 3n),
    rule('requests', 5, 8n),
    rule('tokens', 2, 100n),
    rule('images', 3, 4n),
    rule('videos', 2, 2n),
    rule('amount', 4, 9_000n),
  ],
  3,
);
const CREDITS_PER_YUAN = 1000;
const RUNS = 400;

type Step =
  | { readonly kind: 'advance'; readonly ms: number }
  | {
      readonly kind: 'enter';
      readonly account: number;
      readonly size: readonly [number, number, number];
      readonly terms: number;
    }
  | { readonly kind: 'extend'; readonly which: number; readonly credits: number }
  | { readonly kind: 'leave'; readonly which: number; readonly share: number; readonly images: number }
  | { readonly kind: 'settle'; readonly account: number; readonly topUp: number };

const account = fc.integer({ min: 1, max: 2 });
const which = fc.nat(9);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      ms: fc.constantFrom(0, 1, 499, 500, 999, 1_000, 1_001, 2_500, 600_000),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('enter' as const),
      account,
      size: fc.tuple(
        fc.constantFrom(0, 1, 40, 101),
        fc.constantFrom(0, 0, 1, 3),
        fc.constantFrom(0, 0, 0, 1),
      ),
      terms: fc.nat(3),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('extend' as const), which, credits: fc.nat(8) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('leave' as const),
      which,
      share: fc.nat(100),
      images: fc.nat(3),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('settle' as const), account, topUp: fc.nat(9) }) },
);

/** Plays one schedule on the gate and on the reference, and compares every answer. */
class Play {
  readonly reference = new ReferenceGate();
  readonly #under: GateUnderTest;
  readonly #leases = new Map<PastCall, Lease>();
  readonly #funds = new Map<number, Funds>();

  constructor(under: GateUnderTest) {
    this.#under = under;
    for (const id of [1, 2])
      this.#funds.set(id, fundsOf({ creditsMicro: 30n * CREDIT, balanceMicro: 9_000n }));
  }

  async take(next: Step): Promise<void> {
    switch (next.kind) {
      case 'advance':
        this.reference.nowMs += next.ms;
        return this.#under.advance(next.ms);
      case 'enter':
        return this.#enter(next);
      case 'extend':
        return this.#extend(next);
      case 'leave':
        return this.#leave(next);
      case 'settle':
        return this.#settle(next);
    }
  }

  async #enter(next: Step & { kind: 'enter' }): Promise<void> {
    const [inputTokens, images, videos] = next.size;
    const funds = this.#fundsOf(next.account);
    // Bit 1: no hold at all; bit 2: auto-exchange and a cap.
    const wide = next.terms > 1;
    const terms = { wantMicro: 9n * CREDIT, autoExchange: wide, capMicro: wide ? 60_000n : 0n };
    const hold = next.terms === 1 ? undefined : holdOf(funds, terms);
    const request = callOf({ accountId: next.account, policy: POLICY, inputTokens, images, videos, hold });
    const expected = this.reference.enter(request, funds);
    const got = await this.#under.gate.enter(request);
    if (typeof expected === 'string') return expect(textOf(got, request)).toBe(expected);
    expect(got.kind === 'entered' ? got.lease.heldMicro : textOf(got, request)).toBe(expected.heldMicro);
    if (got.kind === 'entered') this.#leases.set(expected, got.lease);
    expect(this.#under.gate.active).toBe(this.#leases.size);
  }

  async #extend(next: Step & { kind: 'extend' }): Promise<void> {
    const [call, lease] = this.#pick(next.which);
    if (call === undefined || lease === undefined || call.request.hold === undefined) return;
    const moreMicro = BigInt(next.credits) * CREDIT;
    const expected = this.reference.extend(call, moreMicro, this.#fundsOf(call.request.accountId));
    expect(await this.#under.gate.extend(lease, moreMicro)).toBe(expected);
    expect(lease.heldMicro).toBe(call.heldMicro);
  }

  async #leave(next: Step & { kind: 'leave' }): Promise<void> {
    const [call, lease] = this.#pick(next.which);
    if (call === undefined || lease === undefined) return;
    // A whole number of micro-yuan, at most what is held: as the gateway charges.
    const amountMicro = (call.heldMicro * BigInt(next.share)) / 100n / BigInt(CREDITS_PER_YUAN);
    const chargeMicro = amountMicro * BigInt(CREDITS_PER_YUAN);
    const actuals = { tokens: next.share, amountMicro, chargeMicro, images: next.images };
    this.reference.leave(call, actuals);
    this.#leases.delete(call);
    await this.#under.gate.leave(lease, actuals);
  }

  /** What the settler and the store do: take what is pending, from balance where Credits are short. */
  async #settle(next: Step & { kind: 'settle' }): Promise<void> {
    const before = this.#fundsOf(next.account);
    const chargedMicro = this.reference.settle(next.account);
    let creditsMicro = before.creditsMicro - chargedMicro;
    let balanceMicro = before.balanceMicro + BigInt(next.topUp) * 1_000n;
    while (creditsMicro < 0n && balanceMicro > 0n) {
      creditsMicro += CREDIT;
      balanceMicro -= 1_000n;
    }
    const monthSpentMicro = before.monthSpentMicro + chargedMicro / BigInt(CREDITS_PER_YUAN);
    const after = { ...before, version: before.version + 1, creditsMicro, balanceMicro, monthSpentMicro };
    this.#funds.set(next.account, after);
    await this.#under.gate.settled(next.account, chargedMicro, after);
  }

  #pick(index: number): readonly [PastCall, Lease] | readonly [] {
    const entries = [...this.#leases];
    return entries.length === 0 ? [] : (entries[index % entries.length] ?? []);
  }

  #fundsOf(accountId: number): Funds {
    const funds = this.#funds.get(accountId);
    if (funds === undefined) throw new Error(`no account ${accountId}`);
    return funds;
  }
}

function textOf(result: EnterResult, request: EnterRequest): string {
  if (result.kind === 'entered') return `entered ${request.callId}`;
  if (result.reason === 'credits' || result.reason === 'cap') return result.reason;
  return `${result.reason} ${result.used}/${result.limit} ${result.retryAfterMs}`;
}

export function schedules(makeGate: MakeGate): void {
  it('any schedule is answered as the reference model answers it', async () => {
    // fast-check prints seed and path of a failure; both replay it.
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }), async (steps) => {
        const under = await makeGate();
        const play = new Play(under);
        try {
          for (const next of steps) await play.take(next);
        } finally {
          await under.close();
        }
      }),
      { numRuns: RUNS },
    );
  });
}
