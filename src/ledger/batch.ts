import type { Funds } from '../accounts/contract.ts';
import { StoreUnavailable } from '../accounts/contract.ts';
import type { CallRecord, LedgerStore } from './contract.ts';

/** The result of a batch. `poison` are calls that the store refuses although it takes others. */
export interface BatchResult {
  readonly settled: readonly CallRecord[];
  readonly poison: readonly CallRecord[];
  /** The new funds of the accounts of the settled calls. */
  readonly funds: ReadonlyMap<number, Funds>;
  /** The last error of the store about a call. */
  readonly error: unknown;
}

/**
 * Settles a batch. If the store refuses it although it is reachable, halves are tried, down to the single
 * call that causes it: n calls with one bad among them take about 2 log n tries. Throws StoreUnavailable.
 * What was settled before that is settled again by the next try, which changes nothing.
 */
export async function settleBatch(store: LedgerStore, calls: readonly CallRecord[]): Promise<BatchResult> {
  const settled: CallRecord[] = [];
  const poison: CallRecord[] = [];
  const funds = new Map<number, Funds>();
  let lastError: unknown;
  // Parts still to be tried, the next one last. A part is at least halved each time, so this ends.
  const parts: (readonly CallRecord[])[] = [calls];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (part.length === 0) continue;
    try {
      const accounts = await store.settle(part);
      for (const account of accounts) keepNewer(funds, account.accountId, account.funds);
      settled.push(...part);
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      lastError = error;
      if (part.length === 1) poison.push(...part);
      else parts.push(part.slice(part.length >> 1), part.slice(0, part.length >> 1));
    }
  }
  return { settled, poison, funds, error: lastError };
}

function keepNewer(known: Map<number, Funds>, accountId: number, funds: Funds): void {
  const before = known.get(accountId);
  if (before === undefined || funds.version >= before.version) known.set(accountId, funds);
}
