import type { Gate } from '../gate/contract.ts';
import { assert } from '../kernel/assert.ts';
import type { Logger } from '../kernel/log.ts';
import type { BatchResult } from './batch.ts';
import type { CallRecord } from './contract.ts';

/**
 * Tells the gate, account by account, which calls are settled. Rejected calls stay pending: they are owed and
 * must not be spent twice. A failure of the gate stops nothing, because the money has already moved.
 */
export async function tellGate(
  gate: Pick<Gate, 'settled'>,
  { settled, funds }: BatchResult,
  log: Logger,
): Promise<void> {
  for (const [accountId, calls] of byAccount(settled)) {
    try {
      const stands = funds.get(accountId);
      assert(stands !== undefined, 'the store returns the funds of every account of a batch');
      await gate.settled({ accountId, calls, funds: stands });
    } catch (error) {
      log.error(
        { err: error, accountId },
        'the gate could not be told of a settlement; it shows old funds until the next one',
      );
    }
  }
}

function byAccount(settled: readonly CallRecord[]): ReadonlyMap<number, readonly CallRecord[]> {
  const accounts = new Map<number, CallRecord[]>();
  for (const call of settled) {
    const calls = accounts.get(call.accountId);
    if (calls === undefined) accounts.set(call.accountId, [call]);
    else calls.push(call);
  }
  return accounts;
}
