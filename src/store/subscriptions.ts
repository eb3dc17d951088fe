import { assert } from '../kernel/assert.ts';
import { touchAccount } from './accounts.ts';
import { type Database, idNumber } from './database.ts';

export interface NewSubscription {
  readonly accountId: number;
  readonly planCode: string;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

export type GrantedSubscription =
  | { readonly kind: 'granted'; readonly subscriptionId: number }
  | { readonly kind: 'unknown-account' }
  | { readonly kind: 'unknown-plan' };

export function grantSubscription(database: Database, wanted: NewSubscription): Promise<GrantedSubscription> {
  assert(wanted.endsAtMs > wanted.startsAtMs, 'a subscription lasts');
  return database.transaction(async (transaction) => {
    const plans = await transaction.query('select code from plans where code = $1', [wanted.planCode]);
    if (plans.length === 0) return { kind: 'unknown-plan' };
    if (!(await touchAccount(transaction, wanted.accountId))) return { kind: 'unknown-account' };
    const [row] = await transaction.query<{ id: bigint }>(
      `insert into subscriptions (account_id, plan_code, starts_at, ends_at) values ($1, $2, $3, $4) returning id`,
      [wanted.accountId, wanted.planCode, new Date(wanted.startsAtMs), new Date(wanted.endsAtMs)],
    );
    assert(row !== undefined, 'an insert returns its row');
    return { kind: 'granted', subscriptionId: idNumber(row.id) };
  });
}

/** False when the account has no such active subscription. */
export function cancelSubscription(
  database: Database,
  accountId: number,
  subscriptionId: number,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    if (!(await touchAccount(transaction, accountId))) return false;
    const rows = await transaction.query(
      `update subscriptions set status = 'cancelled'
       where id = $1 and account_id = $2 and status = 'active' returning id`,
      [subscriptionId, accountId],
    );
    return rows.length === 1;
  });
}
