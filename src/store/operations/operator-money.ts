import type { Funds } from '../../accounts/contract.ts';
import { AMOUNT_MICRO_MAX, formatMicro } from '../../kernel/money.ts';
import {
  cancelSubscription,
  type DaysGranted,
  type GrantedSubscription,
  grantDays,
} from '../accounts/subscriptions.ts';
import { postMovement } from '../ledger/movement.ts';
import { type Actor, type AuditContext, type AuditEntry, audited, type NotFound } from './audit.ts';
import { accountExists } from './operator-accounts.ts';

/** A change of money by an operator. */
export interface MoneyMove {
  readonly kind: 'top_up' | 'grant' | 'adjustment';
  readonly pool: 'balance' | 'credits';
  /** A negative amount is subtracted; only an adjustment may be negative. */
  readonly changeMicro: bigint;
  readonly reason: string;
}

type Moved = { readonly kind: 'moved'; readonly funds: Funds };
type MoveRefusal = NotFound | { readonly kind: 'insufficient' } | { readonly kind: 'too-much' };

/** Top-up, grant or adjustment: one entry of the ledger, one line of the audit log. */
export function moveAudited(
  audit: AuditContext,
  accountId: number,
  wanted: MoneyMove,
  actor: Actor,
): Promise<Moved | MoveRefusal> {
  return audited<Moved, MoveRefusal>(audit, actor, async (transaction) => {
    const { kind, pool, changeMicro, reason } = wanted;
    if (!(await accountExists(transaction, accountId))) return refused({ kind: 'not-found' });
    const posted = await postMovement(transaction, { accountId, kind, pool, changeMicro, ref: reason });
    if (posted.kind === 'insufficient') return refused({ kind: 'insufficient' });
    const { funds } = posted;
    const hasTooMuch = funds.creditsMicro > AMOUNT_MICRO_MAX || funds.balanceMicro > AMOUNT_MICRO_MAX;
    if (hasTooMuch) return refused({ kind: 'too-much' });
    const entry = moneyEntry(accountId, wanted, funds);
    return { kind: 'done', result: { kind: 'moved', funds }, entry };
  });
}

function moneyEntry(
  accountId: number,
  { kind, pool, changeMicro, reason }: MoneyMove,
  funds: Funds,
): AuditEntry {
  const afterMicro = pool === 'credits' ? funds.creditsMicro : funds.balanceMicro;
  return {
    entity: 'funds',
    key: String(accountId),
    before: { [pool]: formatMicro(afterMicro - changeMicro) },
    after: { [pool]: formatMicro(afterMicro), kind, change: formatMicro(changeMicro), reason },
  };
}

const refused = <Refusal>(refusal: Refusal) => ({ kind: 'refused', refusal }) as const;

type Granted = Extract<GrantedSubscription, { kind: 'granted' }>;
type GrantRefusal = NotFound | { readonly kind: 'unknown-plan' } | { readonly kind: 'too-many' };

export function grantAudited(
  audit: AuditContext,
  wanted: DaysGranted,
  actor: Actor,
): Promise<Granted | GrantRefusal> {
  return audited<Granted, GrantRefusal>(audit, actor, async (transaction) => {
    const granted = await grantDays(transaction, wanted, audit.clock.now());
    if (granted.kind === 'unknown-account') return refused({ kind: 'not-found' });
    if (granted.kind !== 'granted') return refused({ kind: granted.kind });
    const { subscriptionId, startsAtMs, endsAtMs } = granted;
    const after = {
      account_id: wanted.accountId,
      plan: wanted.planCode,
      starts_at: new Date(startsAtMs).toISOString(),
      ends_at: new Date(endsAtMs).toISOString(),
      status: 'active',
    };
    const entry = { entity: 'subscriptions', key: String(subscriptionId), before: null, after };
    return { kind: 'done', result: granted, entry };
  });
}

export function cancelAudited(
  audit: AuditContext,
  { accountId, subscriptionId }: { readonly accountId: number; readonly subscriptionId: number },
  actor: Actor,
): Promise<{ readonly kind: 'cancelled' } | NotFound> {
  return audited<{ readonly kind: 'cancelled' }, NotFound>(audit, actor, async (transaction) => {
    const isDone = await cancelSubscription(transaction, accountId, subscriptionId);
    if (!isDone) return refused({ kind: 'not-found' });
    const entry = {
      entity: 'subscriptions',
      key: String(subscriptionId),
      before: { account_id: accountId, status: 'active' },
      after: { account_id: accountId, status: 'cancelled' },
    };
    return { kind: 'done', result: { kind: 'cancelled' }, entry };
  });
}
