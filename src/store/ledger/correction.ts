import { AMOUNT_MICRO_MAX, formatMicro, minMicro } from '../../kernel/money.ts';
import { touchAccount } from '../accounts/accounts.ts';
import type { Database } from '../database.ts';
import { type Actor, type AuditContext, type AuditEntry, audited } from '../operations/audit.ts';
import { move } from './charge.ts';
import { type LockedWallet, lockWallets, saveWallets } from './wallet.ts';

/** A settled call, and what it should have cost. */
export interface DueCall {
  readonly callId: string;
  readonly createdAtMs: number;
  readonly dueMicro: bigint;
  readonly takenMicro: bigint;
  readonly shortfallMicro: bigint;
}

/** Corrections of calls of one account. */
export interface Correction {
  readonly accountId: number;
  readonly calls: readonly DueCall[];
  /** What calls should have cost more: left alone, or taken as far as the Credits reach. */
  readonly extra: 'skip' | 'take';
  readonly reason: string;
}

/** Micro-Credits. */
export interface Corrected {
  readonly calls: number;
  readonly refundedMicro: bigint;
  readonly takenMicro: bigint;
}

const NOTHING: Corrected = { calls: 0, refundedMicro: 0n, takenMicro: 0n };

/**
 * What the account gets back for a call; negative: what it should have paid more. `correctedMicro` is what
 * earlier corrections gave back. What the account could not pay then is not asked for now.
 */
export function correctionMicro(call: DueCall, correctedMicro: bigint): bigint {
  const paidMicro = call.takenMicro - correctedMicro;
  if (call.dueMicro <= paidMicro) return paidMicro - call.dueMicro;
  const missingMicro = call.dueMicro - paidMicro - call.shortfallMicro;
  return missingMicro > 0n ? -missingMicro : 0n;
}

/**
 * Writes an adjustment for each call whose charge was wrong, in one transaction with a line of the audit log.
 * What earlier runs wrote is read while the account is locked, so a correction is never made twice. Calls and
 * consumptions stay as they are, and so does the spending of the month.
 */
export async function postCorrections(
  audit: AuditContext,
  correction: Correction,
  actor: Actor,
): Promise<Corrected> {
  const { accountId, calls } = correction;
  return await audited<Corrected, Corrected>(audit, actor, async (transaction) => {
    const wallets = await lockWallets(transaction, [accountId]);
    const wallet = wallets.get(accountId);
    if (wallet === undefined) return { kind: 'refused', refusal: NOTHING };
    const beforeMicro = wallet.creditsMicro;
    const known = await readCorrections(transaction, accountId, calls);
    const done = correctWallet(wallet, correction, known);
    if (done.calls === 0) return { kind: 'refused', refusal: NOTHING };
    await saveWallets(transaction, wallets);
    await touchAccount(transaction, accountId);
    return { kind: 'done', result: done, entry: toEntry(correction, done, { beforeMicro, wallet }) };
  });
}

/** Refunds come first, so that what is taken may come from them. */
function correctWallet(
  wallet: LockedWallet,
  { calls, extra }: Correction,
  known: ReadonlyMap<string, bigint>,
): Corrected {
  let { calls: count, refundedMicro, takenMicro } = NOTHING;
  const post = ({ callId, createdAtMs }: DueCall, changeMicro: bigint): void => {
    move(wallet, { kind: 'adjustment', pool: 'credits', changeMicro, ref: callId, callAtMs: createdAtMs });
    count += 1;
  };
  const wrong = calls
    .map((call) => ({ call, changeMicro: correctionMicro(call, known.get(call.callId) ?? 0n) }))
    .toSorted((one, other) => (one.changeMicro > other.changeMicro ? -1 : 1));
  for (const { call, changeMicro } of wrong) {
    if (changeMicro > 0n && wallet.creditsMicro + changeMicro <= AMOUNT_MICRO_MAX) {
      post(call, changeMicro);
      refundedMicro += changeMicro;
    }
    const payableMicro = changeMicro < 0n ? minMicro(-changeMicro, wallet.creditsMicro) : 0n;
    if (extra === 'skip' || payableMicro === 0n) continue;
    post(call, -payableMicro);
    takenMicro += payableMicro;
  }
  return { calls: count, refundedMicro, takenMicro };
}

async function readCorrections(
  transaction: Database,
  accountId: number,
  calls: readonly DueCall[],
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await transaction.query<{ ref: string; sum_micro: bigint }>(
    `select ref, sum(change_micro)::bigint as sum_micro from ledger_entries
     where account_id = $1 and ref = any($2::text[]) and kind = 'adjustment' and call_at is not null
       and pool = 'credits' group by ref`,
    [accountId, calls.map(({ callId }) => callId)],
  );
  return new Map(rows.map((row) => [row.ref, row.sum_micro]));
}

function toEntry(
  { accountId, reason }: Correction,
  { calls, refundedMicro, takenMicro }: Corrected,
  { beforeMicro, wallet }: { readonly beforeMicro: bigint; readonly wallet: LockedWallet },
): AuditEntry {
  const change = formatMicro(refundedMicro - takenMicro);
  return {
    entity: 'funds',
    key: String(accountId),
    before: { credits: formatMicro(beforeMicro) },
    after: { credits: formatMicro(wallet.creditsMicro), kind: 'adjustment', change, calls, reason },
  };
}
