import type { Funds } from '../../accounts/contract.ts';
import { AMOUNT_MICRO_MAX, formatMicro } from '../../kernel/money.ts';
import type {
  AccountChanges,
  MoneyMove,
  NotFound,
  WantedSubscription,
} from '../../operations/admin-ports.ts';
import type { Actor, AuditEntry } from '../../operations/contract.ts';
import { cancelSubscription, type GrantedSubscription, grantDays } from '../accounts/subscriptions.ts';
import type { Database } from '../database.ts';
import { postMovement } from '../ledger/movement.ts';
import { type AuditContext, audited } from './audit.ts';

type Moved = Awaited<ReturnType<AccountChanges['move']>>;
type MoveDone = Extract<Moved, { kind: 'moved' }>;

/** Top-up, grant or adjustment: one entry of the ledger, one line of the audit log. */
export function moveAudited(
  audit: AuditContext,
  accountId: number,
  { wanted, actor }: { readonly wanted: MoneyMove; readonly actor: Actor },
): Promise<Moved> {
  return audited<MoveDone, Exclude<Moved, MoveDone>>(audit, actor, async (transaction) => {
    const { kind, pool, changeMicro, reason } = wanted;
    if (!(await isAccount(transaction, accountId))) return refused({ kind: 'not-found' });
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

async function isAccount(transaction: Database, accountId: number): Promise<boolean> {
  const rows = await transaction.query('select id from accounts where id = $1', [accountId]);
  return rows.length === 1;
}

const refused = <Refusal>(refusal: Refusal) => ({ kind: 'refused', refusal }) as const;

type Granted = Awaited<ReturnType<AccountChanges['grant']>>;
type GrantDone = Extract<GrantedSubscription, { kind: 'granted' }>;

export function grantAudited(
  audit: AuditContext,
  wanted: WantedSubscription,
  { nowMs, actor }: { readonly nowMs: number; readonly actor: Actor },
): Promise<Granted> {
  return audited<GrantDone, Exclude<Granted, { kind: 'granted' }>>(audit, actor, async (transaction) => {
    const granted = await grantDays(transaction, wanted, nowMs);
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
