import { expect } from 'vitest';
import { seededRandom } from '../../../src/kernel/random.ts';
import { sleep } from '../../support/processes.ts';
import type { Arena } from '../arena.ts';
import { STREAMS_BOUND } from '../catalog.ts';
import {
  type Answered,
  ask,
  askImages,
  micro,
  openWallet,
  paidBy,
  parallel,
  type Wallet,
} from '../wallet.ts';
import type { Bound } from './streams.ts';

const AT_ONCE = 12;
const WAVES_MAX = 60;
const RICH_TOKENS = 8_000;

export interface Unbounded {
  readonly calls: number;
  readonly served: number;
}

/**
 * Plain calls that name no bound and calls for pictures, wave after wave, until the bound lets nothing in:
 * whatever was delivered is paid for.
 */
export async function spendAll(arena: Arena, bound: Bound, seed: number): Promise<Unbounded> {
  const wallet = await openWallet(arena, bound.wallet);
  const random = seededRandom(seed);
  let calls = 0;
  let served = 0;
  for (let wave = 0, empty = 0; empty < 2; wave++) {
    expect(wave, 'the bound is used up at some time').toBeLessThan(WAVES_MAX);
    const answers = await parallel(AT_ONCE, (index) => askOne(arena, wallet, index, () => random.unit()));
    // Of a wallet with nothing in it the account is told before the gate is asked.
    for (const { code } of answers) expect([undefined, bound.code, 40202]).toContain(code);
    await arena.settled();
    const passed = answers.filter(({ status }) => status === 200).length;
    calls += AT_ONCE;
    served += passed;
    empty = passed === 0 ? empty + 1 : 0;
    // The gate on Redis may hear of the last end a moment later.
    if (empty > 0) await sleep(100);
  }
  const paid = await paidBy(arena, wallet.accountId);
  for (const { shortfall } of paid) expect(shortfall).toBe(0n);
  const amountMicro = paid.reduce((sum, { amount }) => sum + amount, 0n);
  expect(amountMicro * 1_000n).toBeLessThanOrEqual(micro(STREAMS_BOUND));
  return { calls, served };
}

function askOne({ at }: Arena, { key }: Wallet, index: number, draw: () => number): Promise<Answered> {
  if (index % 3 === 0) return askImages(at(index), { key, images: 1 + Math.floor(draw() * 4) });
  const directive = `tokens=${20 + Math.floor(draw() * RICH_TOKENS)} delay=${index}`;
  return ask(at(index), { key, directive });
}
