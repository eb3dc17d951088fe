import type { RememberedWindow } from '../../src/gate/contract.ts';
import { silentLogger } from '../../src/kernel/log.ts';
import type { Random } from '../../src/kernel/random.ts';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { NO_USAGE } from '../../src/kernel/usage.ts';
import type { CallRecord, OpenCall, RoutedTerms } from '../../src/ledger/contract.ts';
import { openJournal } from '../../src/ledger/journal/journal.ts';
import { callOf, NOVEMBER } from '../support/calls.ts';

/** Three windows that count every call: rows that all settlers write. */
const WINDOWS = [
  { scope: 'key:1', dimension: 'requests' },
  { scope: 'account:1', dimension: 'tokens' },
  { scope: 'subscription:1', dimension: 'amount' },
] as const;
const PLACE = { seconds: 86_400, startedAtMs: NOVEMBER };

/** A call of the race, and what it comes to by our own reckoning; micro-yuan and micro-Credits. */
export interface Racer {
  readonly call: CallRecord;
  readonly ending: 'ended' | 'interrupted';
  readonly tokens: bigint;
  readonly amount: bigint;
  readonly charge: bigint;
}

export function racer(random: Random, accountId: number, kind: 'charged' | 'free' | 'interrupted'): Racer {
  const below = (limit: number): number => Math.floor(random.unit() * limit);
  const [input, output] = [1 + below(5_000), 100 + below(500)];
  const tokens = BigInt(input + output);
  // 10 yuan for a million tokens in, 30 for a million out; 1000 Credits for a yuan.
  const amount = BigInt(input * 10 + output * 30);
  const charge = kind === 'free' ? 0n : amount * 1_000n;
  // Over two months, so that partitions are made on the way.
  const createdAtMs = NOVEMBER + below(30 * 86_400_000);
  const used = { requests: 1n, tokens, amount };
  const windows = WINDOWS.map((window): RememberedWindow => {
    return { ...window, ...PLACE, used: used[window.dimension] };
  });
  const usage = { ...NO_USAGE, inputFresh: input, outputText: output };
  const paid = callOf({ accountId, createdAtMs, usage, windows });
  const call: CallRecord =
    kind === 'free' ? { ...paid, payer: 'subscription', chargeMicro: 0n, freeReason: 'covered' } : paid;
  return { call, ending: kind === 'interrupted' ? 'interrupted' : 'ended', tokens, amount, charge };
}

/** What the windows must have counted when every call has counted once. */
export function windowsOf(racers: readonly Racer[]): readonly RememberedWindow[] {
  const used = {
    requests: BigInt(racers.length),
    tokens: racers.reduce((sum, { tokens }) => sum + tokens, 0n),
    amount: racers.reduce((sum, { amount }) => sum + amount, 0n),
  };
  return WINDOWS.map((window) => ({ ...window, ...PLACE, used: used[window.dimension] }));
}

/** A journal as a process leaves it that died: all calls in it, some of them without an end. */
export async function writeJournal(directory: string, racers: readonly Racer[]): Promise<void> {
  const journal = await openJournal({ directory, clock: systemClock, log: silentLogger });
  for (const { call } of racers) journal.open(openOf(call));
  for (const { call, ending } of racers) {
    if (ending === 'ended') journal.end(call);
    else journal.mark(call.callId, call.usage, call.heldMicro);
  }
  await journal.close();
}

function openOf(call: CallRecord): OpenCall {
  const windows = call.windows.map(({ used: _used, ...window }) => window);
  return {
    ...(call as RoutedTerms),
    credential: 'main',
    inputTokens: call.usage.inputFresh,
    images: 0,
    windows,
  };
}
