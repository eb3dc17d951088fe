import type { Account } from '../accounts/contract.ts';
import { ERRORS, type Refusal, refuse } from '../kernel/errors.ts';
import type { Payer } from '../ledger/contract.ts';

const UNVERIFIED = 0;
const GUIDANCE = 'Verify your account to receive free quota.';

/**
 * Spec 5.4: who can pay, in this order: a BYOK credential that serves the model, a valid subscription, API
 * billing with Credits. The first two have their place here and are not yet offered; so a call is paid with
 * Credits or not at all.
 */
export function choosePayer(account: Account): Payer | Refusal {
  if (account.apiBilling && hasFunds(account)) return 'credits';
  const message = ERRORS.notBillable.message;
  return refuse('notBillable', {
    message: account.userType <= UNVERIFIED ? `${message}. ${GUIDANCE}` : message,
  });
}

function hasFunds(account: Account): boolean {
  const { creditsMicro, balanceMicro } = account.funds;
  return creditsMicro > 0n || (account.autoExchange && balanceMicro > 0n);
}
