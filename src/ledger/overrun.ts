import type { Gate, Overrun } from '../gate/contract.ts';
import type { CallRecord } from './contract.ts';

/** The calls to settle now, in this order, and those that wait until other calls have ended. */
export interface SettleOrder {
  readonly now: readonly CallRecord[];
  readonly later: readonly CallRecord[];
}

/** The call cost more than its hold. */
export function isOverrun({ chargeMicro, heldMicro }: CallRecord): boolean {
  return chargeMicro > heldMicro;
}

/**
 * Holds come first: calls within their holds are settled before those that cost more, so that the latter get
 * the shortfall if the funds do not pay for all.
 */
export function overrunsLast(calls: readonly CallRecord[]): readonly CallRecord[] {
  if (!calls.some(isOverrun)) return calls;
  return [...calls.filter((call) => !isOverrun(call)), ...calls.filter(isOverrun)];
}

/**
 * A call that cost more than its hold is settled when the account's funds pay for it and for all that other
 * calls hold or owe, or when there is no other call. Until then it waits: its charge is pending in the gate,
 * so no new call enters on that money, and the number of other calls falls.
 */
export async function chooseDue(
  calls: readonly CallRecord[],
  gate: Pick<Gate, 'covers'>,
): Promise<SettleOrder> {
  if (!calls.some(isOverrun)) return { now: calls, later: [] };
  const accounts = Map.groupBy(calls.filter(isOverrun), (call) => call.accountId);
  const answers = await Promise.all([...accounts.values()].map((own) => ask(gate, own)));
  const waiting = new Set([...accounts.keys()].filter((_, index) => answers[index] === false));
  const waits = (call: CallRecord): boolean => isOverrun(call) && waiting.has(call.accountId);
  return { now: overrunsLast(calls.filter((call) => !waits(call))), later: calls.filter(waits) };
}

/** A gate that fails does not stop settlement. */
async function ask(gate: Pick<Gate, 'covers'>, calls: readonly CallRecord[]): Promise<boolean> {
  try {
    return await gate.covers(toOverrun(calls));
  } catch {
    return true;
  }
}

/** On the strictest of their terms: a little more waiting does no harm. */
function toOverrun(calls: readonly CallRecord[]): Overrun {
  let capMicro = 0n;
  let month = '';
  let creditsPerYuan = 1;
  for (const call of calls) {
    const cap = call.capMicro ?? 0n;
    if (cap > 0n && (capMicro === 0n || cap < capMicro)) capMicro = cap;
    if (call.month !== undefined && call.month > month) month = call.month;
    if (call.creditsPerYuan !== undefined) creditsPerYuan = call.creditsPerYuan;
  }
  const autoExchange = calls.every((call) => call.mayExchange === true);
  return { accountId: calls[0]?.accountId ?? 0, calls, creditsPerYuan, autoExchange, capMicro, month };
}
