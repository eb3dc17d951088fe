import type { Funds } from '../../accounts/contract.ts';
import { assert } from '../../kernel/assert.ts';
import { touchAccount } from '../accounts/accounts.ts';
import type { Database } from '../database.ts';
import { type EntryKind, exchange, move, type Pool, type Wallet } from './charge.ts';
import { lockWallets, saveWallets } from './wallet.ts';

export interface Movement {
  readonly accountId: number;
  readonly kind: Exclude<EntryKind, 'consumption' | 'exchange' | 'hold'>;
  readonly pool: Pool;
  /** A negative amount is subtracted; only an adjustment may be negative. */
  readonly changeMicro: bigint;
  /** The reason: an order number, or a text of an operator. */
  readonly ref: string;
  /** Undefined: now. */
  readonly enteredAtMs?: number;
}

export type MovementResult =
  | { readonly kind: 'posted'; readonly funds: Funds }
  /** The account does not have enough. Nothing was changed. */
  | { readonly kind: 'insufficient' };

/** Top-up, grant or adjustment, inside the caller's transaction. Running servers are notified. */
export function postMovement(transaction: Database, movement: Movement): Promise<MovementResult> {
  const { kind, pool, changeMicro, ref, enteredAtMs } = movement;
  assert(changeMicro > 0n || kind === 'adjustment', 'only an adjustment takes away');
  return post(transaction, movement.accountId, (wallet) => {
    const thereMicro = pool === 'credits' ? wallet.creditsMicro : wallet.balanceMicro;
    if (thereMicro + changeMicro < 0n) return false;
    move(wallet, { kind, pool, changeMicro, ref, ...(enteredAtMs !== undefined && { enteredAtMs }) });
    return true;
  });
}

export interface Exchange {
  readonly accountId: number;
  /** Micro-yuan of balance to exchange into Credits. */
  readonly amountMicro: bigint;
  readonly creditsPerYuan: number;
  readonly ref: string;
  /** Undefined: now. */
  readonly enteredAtMs?: number;
}

/** Exchanges balance into Credits at the user's request. */
export function postExchange(transaction: Database, wanted: Exchange): Promise<MovementResult> {
  assert(wanted.amountMicro > 0n, 'something is exchanged');
  return post(transaction, wanted.accountId, (wallet) => {
    if (wallet.balanceMicro < wanted.amountMicro) return false;
    const { accountId: _, amountMicro, ...terms } = wanted;
    exchange(wallet, amountMicro, terms);
    return true;
  });
}

async function post(
  transaction: Database,
  accountId: number,
  change: (wallet: Wallet) => boolean,
): Promise<MovementResult> {
  const wallets = await lockWallets(transaction, [accountId]);
  const wallet = wallets.get(accountId);
  assert(wallet !== undefined, 'the wallet is held');
  if (!change(wallet)) return { kind: 'insufficient' };
  const funds = (await saveWallets(transaction, wallets)).get(accountId);
  assert(funds !== undefined, 'the wallet is saved');
  await touchAccount(transaction, accountId);
  return { kind: 'posted', funds };
}

export interface Opening {
  readonly accountId: number;
  readonly balanceMicro: bigint;
  readonly creditsMicro: bigint;
  /** Who created the account. */
  readonly ref: string;
}

/** The opening money of an account. It comes through the ledger, never by setting a column. */
export async function postOpening(transaction: Database, opening: Opening): Promise<void> {
  const { accountId, balanceMicro, creditsMicro, ref } = opening;
  if (balanceMicro > 0n) {
    const topUp = { kind: 'top_up', pool: 'balance', changeMicro: balanceMicro } as const;
    await postMovement(transaction, { accountId, ref, ...topUp });
  }
  if (creditsMicro > 0n) {
    const grant = { kind: 'grant', pool: 'credits', changeMicro: creditsMicro } as const;
    await postMovement(transaction, { accountId, ref, ...grant });
  }
}
