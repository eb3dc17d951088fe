import { expect } from 'vitest';
import type { Arena } from '../arena.ts';
import { amountPolicyOf, boundOf, half, PRICE, planOf, quarter } from '../catalog.ts';
import {
  type Answered,
  ask,
  type Funds,
  ledgerSums,
  MICRO,
  micro,
  openWallet,
  paidBy,
  parallel,
  tally,
  type WalletOptions,
} from '../wallet.ts';

/** One bound that parallel calls race for, and all that must be true when they have ended. */
interface Contest {
  /** The account, for a race of so many calls. */
  readonly wallet: (count: number) => WalletOptions;
  /** How many calls each payer pays for; the one that is asked first comes first. */
  readonly payers: (count: number) => readonly (readonly ['subscription' | 'credits', number])[];
  /** The code of everybody else. */
  readonly code: number;
  readonly left: (count: number) => Partial<Funds>;
}

/** Half a Credit is left of every bound: the last call that fits leaves too little for another. */
const REST = micro(0.5);
const RICH = 1_000_000;

/** Credits for every third call and a bit: one call is paid for out of both pools. */
const straddling = (count: number): number => Math.floor(half(count) / 3) * PRICE + 1.25;

export const CONTESTS: Readonly<Record<string, Contest>> = {
  Credits: {
    wallet: (count) => ({ credits: boundOf(half(count)) }),
    payers: (count) => [['credits', half(count)]],
    code: 40201,
    left: () => ({ credits: REST, balance: 0n }),
  },
  'Credits and the balance that buys them': {
    wallet: (count) => {
      const credits = straddling(count);
      return { credits, balance: (boundOf(half(count)) - credits) / 1_000, autoExchange: true };
    },
    payers: (count) => [['credits', half(count)]],
    code: 40201,
    left: () => ({ credits: 0n, balance: REST / 1_000n }),
  },
  'the monthly cap': {
    wallet: (count) => ({ credits: RICH, cap: boundOf(half(count)) / 1_000 }),
    payers: (count) => [['credits', half(count)]],
    code: 40204,
    left: (count) => ({
      credits: micro(RICH - half(count) * PRICE),
      monthSpent: micro((half(count) * PRICE) / 1_000),
    }),
  },
  'coverage, and Credits behind it': {
    wallet: (count) => ({ credits: boundOf(quarter(count)), plan: planOf(count) }),
    payers: (count) => [
      ['subscription', quarter(count)],
      ['credits', quarter(count)],
    ],
    code: 40201,
    left: () => ({ credits: REST }),
  },
  'coverage alone': {
    wallet: (count) => ({ credits: RICH, plan: planOf(count), apiBilling: false }),
    payers: (count) => [['subscription', quarter(count)]],
    code: 42902,
    left: () => ({ credits: micro(RICH), monthSpent: 0n }),
  },
  'a window of amount of the key': {
    wallet: (count) => ({ credits: RICH, policyId: amountPolicyOf(count) }),
    payers: (count) => [['credits', half(count)]],
    code: 42902,
    left: (count) => ({ credits: micro(RICH - half(count) * PRICE) }),
  },
};

export interface Raced {
  readonly calls: number;
  readonly passed: number;
}

/** All calls at once; what passed is counted by the vendor and the database, not by us. */
export async function race(arena: Arena, contest: Contest, count: number): Promise<Raced> {
  const wallet = await openWallet(arena, contest.wallet(count));
  const heard = arena.simulator.stats.requests;
  const tokens = PRICE * 10;
  const answers = await parallel(count, (index) => {
    const directive = `tokens=${tokens} delay=${(index % 4) * 20}`;
    return ask(arena.at(index), { key: wallet.key, max: tokens, directive });
  });
  await arena.settled();
  const payers = contest.payers(count);
  const passed = payers.reduce((sum, [, calls]) => sum + calls, 0);
  const refused = count - passed;
  expect(tally(answers)).toEqual({ 200: passed, ...(refused > 0 ? { [contest.code]: refused } : {}) });
  expect(arena.simulator.stats.requests - heard).toBe(passed);
  expect(await paidBy(arena, wallet.accountId)).toEqual(
    payers.map(([payer, calls]) => paidFor(payer, calls)),
  );
  const funds = await wallet.funds();
  expect(funds).toMatchObject(contest.left(count));
  expect(await ledgerSums(arena, wallet.accountId)).toEqual({
    credits: funds.credits,
    balance: funds.balance,
  });
  if (contest.code === 42902) expectWaits(answers);
  return { calls: count, passed };
}

function paidFor(payer: string, calls: number): Record<string, unknown> {
  const credits = BigInt(calls * PRICE) * MICRO;
  const taken = payer === 'credits' ? credits : 0n;
  return { payer, calls: BigInt(calls), amount: credits / 1_000n, charge: taken, taken, shortfall: 0n };
}

/** Until the window's end when it is used up; a second while only running calls hold what is left. */
function expectWaits(answers: readonly Answered[]): void {
  for (const { code, headers } of answers) {
    if (code !== 42902) continue;
    const seconds = Number(headers.get('retry-after'));
    expect(seconds === 1 || (seconds > 3_400 && seconds <= 3_600), `Retry-After: ${seconds}`).toBe(true);
  }
}
