import { expect } from 'vitest';
import { seededRandom } from '../../../src/kernel/random.ts';
import { sleep } from '../../support/processes.ts';
import type { Arena } from '../arena.ts';
import { STREAMS_BOUND, STREAMS_PLAN, STREAMS_POLICY } from '../catalog.ts';
import {
  type Answered,
  ask,
  ledgerSums,
  MICRO,
  micro,
  openWallet,
  parallel,
  type Wallet,
  type WalletOptions,
} from '../wallet.ts';

/** What streams compete for, and the code they are stopped with. */
export interface Bound {
  readonly wallet: WalletOptions;
  readonly code: number;
}

const RICH = 1_000_000;
const SPLIT = 250.25;

export const BOUNDS: Readonly<Record<string, Bound>> = {
  Credits: { wallet: { credits: STREAMS_BOUND }, code: 40201 },
  'Credits and the balance that buys them': {
    wallet: { credits: SPLIT, balance: (STREAMS_BOUND - SPLIT) / 1_000, autoExchange: true },
    code: 40201,
  },
  'the monthly cap': {
    wallet: { credits: RICH, cap: STREAMS_BOUND / 1_000 },
    code: 40204,
  },
  coverage: {
    wallet: { credits: RICH, plan: STREAMS_PLAN, apiBilling: false },
    code: 42902,
  },
  'a window of amount of the key': {
    wallet: { credits: RICH, policyId: STREAMS_POLICY },
    code: 42902,
  },
};

export interface Outgrown {
  readonly streams: number;
  readonly stopped: number;
  /** Of the bound, when the streams have ended. */
  readonly restMicro: bigint;
}

const AT_ONCE = 12;
const WAVES_MAX = 60;
/** Each may come to 1,638 Credits: it holds a share of what is free, and more when that is used up. */
const TOKENS_MAX = 6_000;
/** Tokens that a stream keeps back at the end of its hold, in Credits. */
const RESERVE_MICRO = 4n * MICRO;
/** What the input and 256 tokens cost: with less nobody enters. */
const LEAST_MICRO = 25_600_000n;

/** So many streams at once, each as long as told; those that were let in. */
async function stream(arena: Arena, bound: Bound, of: Wallet, tokens: () => number): Promise<Answered[]> {
  const came = await parallel(AT_ONCE, (index) => {
    // Half of the vendors send all they have at once.
    const directive = `tag=s${of.accountId} tokens=${tokens()} chunk=40 pace=${index % 2}`;
    return ask(arena.at(index), { key: of.key, model: 'talker', directive, stream: true });
  });
  // Of a wallet with nothing in it the account is told before the gate is asked.
  for (const { code } of came) expect([undefined, bound.code, 40202]).toContain(code);
  await arena.settled();
  return came.filter(({ status }) => status === 200);
}

function stoppedOf(answers: readonly Answered[], bound: Bound): number {
  const stopped = answers.filter(({ text }) => !text.includes('[DONE]'));
  for (const { text } of stopped) expect(text.slice(-400)).toContain(String(bound.code));
  return stopped.length;
}

/** Together they would cost more than the bound: some end, the others are stopped. */
export async function outgrowAtOnce(arena: Arena, bound: Bound): Promise<Outgrown> {
  const wallet = await openWallet(arena, bound.wallet);
  const answers = await stream(arena, bound, wallet, () => TOKENS_MAX);
  const stopped = stoppedOf(answers, bound);
  // Each takes a quarter of what is free, or 409.6 Credits, and a fast one takes more before the last enters.
  expect(answers.length).toBeGreaterThanOrEqual(3);
  expect(stopped).toBeGreaterThan(0);
  return { streams: answers.length, stopped, ...(await compare(arena, wallet)) };
}

/** Waves of streams that give back what they do not need, until nothing is left that one could enter with. */
export async function outgrowInWaves(arena: Arena, bound: Bound, seed: number): Promise<Outgrown> {
  const wallet = await openWallet(arena, bound.wallet);
  const random = seededRandom(seed);
  const answers: Answered[] = [];
  for (let wave = 0, empty = 0; empty < 2; wave++) {
    expect(wave, 'the bound is used up at some time').toBeLessThan(WAVES_MAX);
    const came = await stream(arena, bound, wallet, () => 20 + Math.floor(random.unit() * TOKENS_MAX * 1.2));
    answers.push(...came);
    empty = came.length === 0 ? empty + 1 : 0;
    // The gate on Redis may hear of the last end a moment later.
    if (empty > 0) await sleep(100);
  }
  const compared = await compare(arena, wallet);
  expect(compared.restMicro).toBeLessThan(LEAST_MICRO);
  return { streams: answers.length, stopped: stoppedOf(answers, bound), ...compared };
}

interface Row {
  readonly payer: string;
  readonly verdict: string;
  readonly output: bigint;
  readonly amount: bigint;
  readonly held: bigint;
  readonly taken: bigint;
  readonly shortfall: bigint;
}

const ROWS = `
  select c.payer, c.verdict, c.output_text as output, c.amount_micro as amount, c.held_micro as held,
    s.credits_micro as taken, s.shortfall_micro as shortfall
  from calls c join consumptions s using (created_at, call_id) where c.account_id = $1`;

async function compare(arena: Arena, wallet: Wallet): Promise<Pick<Outgrown, 'restMicro'>> {
  const rows = await arena.database.query<Row>(ROWS, [wallet.accountId]);
  const sums = { given: 0n, taken: 0n };
  for (const row of rows) {
    const cost = row.amount * 1_000n;
    // A token is a hundred micro-yuan, whoever pays; nothing is delivered beyond the hold, and nobody is
    // stopped long before it is used up.
    expect(row.amount).toBe(row.output * 100n);
    expect(cost).toBeLessThanOrEqual(row.held);
    if (row.verdict === 'cut-by-gateway') expect(cost).toBeGreaterThan(row.held - RESERVE_MICRO);
    expect([row.taken, row.shortfall]).toEqual([row.payer === 'credits' ? cost : 0n, 0n]);
    sums.given += cost;
    sums.taken += row.taken;
  }
  expect(outputOf(rows)).toBeLessThanOrEqual(producedFor(arena, wallet.accountId));
  const funds = await wallet.funds();
  expect(funds.monthSpent * 1_000n).toBe(sums.taken);
  expect(await ledgerSums(arena, wallet.accountId)).toEqual({
    credits: funds.credits,
    balance: funds.balance,
  });
  const restMicro = micro(STREAMS_BOUND) - sums.given;
  expect(restMicro).toBeGreaterThanOrEqual(0n);
  return { restMicro };
}

const outputOf = (rows: readonly Row[]): number => rows.reduce((sum, { output }) => sum + Number(output), 0);

const producedFor = ({ simulator }: Arena, accountId: number): number =>
  simulator.truth.list(`s${accountId}`).reduce((sum, { outputTokens }) => sum + outputTokens, 0);
