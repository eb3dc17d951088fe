import type { Gate } from '../gate/contract.ts';
import { assert } from '../kernel/assert.ts';
import type { Logger } from '../kernel/log.ts';
import type { BatchResult } from './batch.ts';
import type { CallRecord } from './contract.ts';

/**
 * Tells the gate, account by account, which calls the store has now. What was rejected stays pending: it is
 * owed, and must not be spent twice. A gate that cannot be told stops nobody: the money has moved already.
 */
export async function tellGate(
  gate: Pick<Gate, 'settled'>,
  { settled, funds }: BatchResult,
  log: Logger,
): Promise<void> {
  for (const [accountId, calls] of byAccount(settled)) {
    try {
      const stands = funds.get(accountId);
      assert(stands !== undefined, 'the store tells what stands for every account of a batch');
      await gate.settled({ accountId, calls, funds: stands });
    } catch (error) {
      log.error({ err: error, accountId }, 'the gate was not told of a settlement');
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
