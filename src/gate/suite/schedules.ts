import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import type { Funds } from '../../accounts/contract.ts';
import type { EnterRequest, EnterResult, Lease, MoneyRequest, ReholdResult } from '../contract.ts';
import { monthOf, type PastCall, ReferenceGate } from './reference.ts';
import {
  CREDIT,
  CREDIT_YUAN,
  CREDITS_PER_YUAN,
  coverBy,
  createCall,
  createFunds,
  createHold,
  createMoney,
  createPolicy,
  type GateUnderTest,
  type MakeGate,
  rule,
} from './world.ts';

/** Small figures, so that random schedules reach every limit and every boundary. */
const POLICY = createPolicy(
  [
    rule('requests', 1, 3n),
    rule('amount', 2, 14n * CREDIT_YUAN),
    rule('requests', 5, 8n),
    rule('tokens', 2, 100n),
    rule('images', 3, 4n),
    rule('videos', 2, 2n),
    rule('amount', 4, 30n * CREDIT_YUAN),
  ],
  3,
);
/** Of a key: tighter than the account's in some dimensions, and in one that the account's has not. */
const KEY_POLICY = createPolicy(
  [
    rule('requests', 5, 4n),
    rule('amount', 2, 9n * CREDIT_YUAN),
    rule('tokens', 4, 120n),
    rule('images', 3, 2n),
  ],
  2,
);
const COVERAGE = [
  { seconds: 2, amountMicro: 12n * CREDIT_YUAN },
  { seconds: 5, amountMicro: 20n * CREDIT_YUAN },
];
const RUNS = 400;

/** Who may pay, and for how much. */
interface MoneyTerms {
  readonly payers: 'nobody' | 'wallet' | 'wide wallet' | 'coverage' | 'coverage, then wallet';
  readonly want: number;
  readonly least: number;
  readonly share: number;
  readonly wholeIfFree: boolean;
}

type Step =
  | { readonly kind: 'advance'; readonly ms: number }
  | {
      readonly kind: 'enter';
      readonly account: number;
      /** Which key calls; the first has no policy of its own. */
      readonly key: number;
      readonly size: Pick<EnterRequest, 'inputTokens' | 'images' | 'imagesGuess' | 'videos'>;
      readonly terms: MoneyTerms;
    }
  | { readonly kind: 'extend'; readonly which: number; readonly credits: number }
  | { readonly kind: 'rehold'; readonly which: number; readonly terms: MoneyTerms }
  | { readonly kind: 'leave'; readonly which: number; readonly share: number; readonly images: number }
  | { readonly kind: 'settle'; readonly account: number; readonly topUp: number };

const account = fc.integer({ min: 1, max: 2 });
const which = fc.nat(9);
const terms: fc.Arbitrary<MoneyTerms> = fc.record({
  payers: fc.constantFrom('nobody', 'wallet', 'wide wallet', 'coverage', 'coverage, then wallet'),
  want: fc.constantFrom(5, 9),
  least: fc.constantFrom(1, 1, 4),
  share: fc.constantFrom(4, 6, 9),
  wholeIfFree: fc.boolean(),
});
const steps = {
  // One millisecond before, at and after the end of every window, and of a slot.
  advance: fc.record({
    kind: fc.constant('advance' as const),
    ms: fc.constantFrom(0, 1, 500, 999, 1_000, 1_001, 1_999, 2_000, 2_001, 3_999, 4_000, 600_000),
  }),
  enter: fc.record({
    kind: fc.constant('enter' as const),
    account,
    key: fc.nat(2),
    size: fc.record({
      inputTokens: fc.constantFrom(0, 1, 40, 101),
      images: fc.constantFrom(0, 0, 1, 3),
      imagesGuess: fc.constantFrom(0, 0, 1, 2),
      videos: fc.constantFrom(0, 0, 0, 1),
    }),
    terms,
  }),
  extend: fc.record({ kind: fc.constant('extend' as const), which, credits: fc.nat(8) }),
  rehold: fc.record({ kind: fc.constant('rehold' as const), which, terms }),
  leave: fc.record({ kind: fc.constant('leave' as const), which, share: fc.nat(120), images: fc.nat(3) }),
  settle: fc.record({ kind: fc.constant('settle' as const), account, topUp: fc.nat(9) }),
};
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: steps.advance },
  { weight: 6, arbitrary: steps.enter },
  { weight: 2, arbitrary: steps.extend },
  { weight: 2, arbitrary: steps.rehold },
  { weight: 4, arbitrary: steps.leave },
  { weight: 1, arbitrary: steps.settle },
);

const WIDE: Step = {
  kind: 'enter',
  account: 1,
  key: 0,
  size: { inputTokens: 0, images: 0, imagesGuess: 0, videos: 0 },
  terms: { payers: 'wide wallet', want: 9, least: 1, share: 9, wholeIfFree: false },
};

/** Random schedules found these once. */
const FOUND: readonly (readonly Step[])[] = [
  // What was spent under the cap counted twice, because it was settled here without the month of its hold.
  [
    WIDE,
    { kind: 'advance', ms: 2_000 },
    { kind: 'extend', which: 0, credits: 8 },
    { kind: 'extend', which: 0, credits: 8 },
    { kind: 'extend', which: 0, credits: 4 },
    { kind: 'leave', which: 0, share: 100, images: 0 },
    { kind: 'advance', ms: 4_000 },
    { kind: 'settle', account: 1, topUp: 9 },
    WIDE,
  ],
];

/** Plays one schedule on the gate and on the reference, and compares every answer. */
class Play {
  readonly reference = new ReferenceGate();
  readonly #under: GateUnderTest;
  readonly #leases = new Map<PastCall, Lease>();
  readonly #funds = new Map<number, Funds>();

  constructor(under: GateUnderTest) {
    this.#under = under;
    for (const id of [1, 2])
      this.#funds.set(id, createFunds({ creditsMicro: 30n * CREDIT, balanceMicro: 9_000n }));
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
      case 'rehold':
        return this.#rehold(next);
      case 'leave':
        return this.#leave(next);
      case 'settle':
        return this.#settle(next);
    }
  }

  async #enter(next: Step & { kind: 'enter' }): Promise<void> {
    const money = this.#toMoneyRequest(next.account, next.terms);
    const limits = [{ scope: `account:${next.account}`, policy: POLICY }];
    if (next.key > 0) limits.push({ scope: `key:${next.account}${next.key}`, policy: KEY_POLICY });
    const request = createCall({ accountId: next.account, limits, ...next.size, money });
    const expected = this.reference.enter(request, this.#readFunds(next.account));
    const got = await this.#under.gate.enter(request);
    if (typeof expected === 'string') return expect(printResult(got)).toBe(expected);
    expect(printResult(got)).toBe('entered');
    if (got.kind !== 'entered') return;
    this.#leases.set(expected, got.lease);
    expectSame(got.lease, expected);
    expect(this.#under.gate.active).toBe(this.#leases.size);
  }

  async #extend(next: Step & { kind: 'extend' }): Promise<void> {
    const [call, lease] = this.#pick(next.which);
    if (call === undefined || lease === undefined || call.money.terms === undefined) return;
    const moreMicro = BigInt(next.credits) * CREDIT;
    const expected = this.reference.extend(call, moreMicro, this.#readFunds(call.request.accountId));
    expect(await this.#under.gate.extend(lease, moreMicro)).toBe(expected);
    expectSame(lease, call);
  }

  async #rehold(next: Step & { kind: 'rehold' }): Promise<void> {
    const [call, lease] = this.#pick(next.which);
    if (call === undefined || lease === undefined) return;
    const { accountId } = call.request;
    const money = this.#toMoneyRequest(accountId, next.terms);
    const expected = this.reference.rehold(call, money, this.#readFunds(accountId));
    expect(printResult(await this.#under.gate.rehold(lease, money))).toBe(expected ?? 'reheld');
    expectSame(lease, call);
  }

  async #leave(next: Step & { kind: 'leave' }): Promise<void> {
    const [call, lease] = this.#pick(next.which);
    if (call === undefined || lease === undefined) return;
    const { payer, heldMicro } = call.money;
    // A whole number of micro-yuan. Credits are charged for at most what is held: as the gateway charges.
    const share = payer === 'credits' ? Math.min(next.share, 100) : next.share;
    const amountMicro = (heldMicro * BigInt(share)) / 100n / BigInt(CREDITS_PER_YUAN);
    const chargeMicro = payer === 'credits' ? amountMicro * BigInt(CREDITS_PER_YUAN) : 0n;
    const actuals = { tokens: next.share, amountMicro, chargeMicro, images: next.images };
    this.reference.leave(call, actuals);
    this.#leases.delete(call);
    await this.#under.gate.leave(lease, actuals);
  }

  /** What the settler and the store do: take what is pending, from balance where Credits are short. */
  async #settle(next: Step & { kind: 'settle' }): Promise<void> {
    const before = this.#readFunds(next.account);
    const calls = this.reference.settle(next.account);
    const chargedMicro = calls.reduce((sum, call) => sum + call.chargeMicro, 0n);
    let creditsMicro = before.creditsMicro - chargedMicro;
    let balanceMicro = before.balanceMicro + BigInt(next.topUp) * 1_000n;
    while (creditsMicro < 0n && balanceMicro > 0n) {
      creditsMicro += CREDIT;
      balanceMicro -= 1_000n;
    }
    const monthSpentMicro = before.monthSpentMicro + chargedMicro / BigInt(CREDITS_PER_YUAN);
    const after = { ...before, version: before.version + 1, creditsMicro, balanceMicro, monthSpentMicro };
    this.#funds.set(next.account, after);
    await this.#under.gate.settled({ accountId: next.account, calls, funds: after });
  }

  #toMoneyRequest(
    accountId: number,
    { payers, want, least, share, wholeIfFree }: MoneyTerms,
  ): MoneyRequest | undefined {
    if (payers === 'nobody') return undefined;
    const figures = {
      wantMicro: BigInt(want) * CREDIT,
      leastMicro: BigInt(least) * CREDIT,
      shareMicro: BigInt(share) * CREDIT,
      wholeIfFree,
    };
    const funds = this.#readFunds(accountId);
    if (payers === 'wallet') return createHold(funds, figures);
    if (payers === 'wide wallet')
      return createHold(funds, { ...figures, autoExchange: true, capMicro: 60_000n });
    const coverage = coverBy(COVERAGE, `subscription:${accountId}`);
    if (payers === 'coverage') return createMoney({ ...figures, coverage });
    return createHold(funds, { ...figures, coverage });
  }

  #pick(index: number): readonly [PastCall, Lease] | readonly [] {
    const entries = [...this.#leases];
    return entries.length === 0 ? [] : (entries[index % entries.length] ?? []);
  }

  #readFunds(accountId: number): Funds {
    const funds = this.#funds.get(accountId);
    if (funds === undefined) throw new Error(`no account ${accountId}`);
    return funds;
  }
}

function expectSame(lease: Lease, call: PastCall): void {
  const { payer, heldMicro, shortOf } = call.money;
  const { payer: by, heldMicro: held, shortOf: short } = lease;
  expect({ payer: by, heldMicro: held, shortOf: short, month: lease.month }).toEqual({
    payer,
    heldMicro,
    shortOf,
    month: monthOf(call),
  });
}

function printResult(result: EnterResult | ReholdResult): string {
  if (result.kind !== 'gate-refused') return result.kind;
  if (result.reason === 'credits' || result.reason === 'cap') return result.reason;
  return `${result.reason} ${result.used}/${result.limit} ${result.retryAfterMs}`;
}

export function schedules(makeGate: MakeGate): void {
  it('any schedule has the results of the reference model', async () => {
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
      { numRuns: runs(RUNS), examples: FOUND.map((script) => [[...script]] as [Step[]]) },
    );
  });
}
