import { type AccountNeeds, accountOperations } from './accounts/own-account.ts';
import { preferenceOperations } from './accounts/preference.ts';
import { type ByokNeeds, byokOperations } from './byok/byok.ts';
import { type ByokUseNeeds, byokUseOperations } from './byok/byok-use.ts';
import { type KeyNeeds, keyOperations } from './keys/keys.ts';
import { type LimitNeeds, limitOperations } from './limits/limits.ts';
import type { Operation } from './operation.ts';
import { type SubscriptionNeeds, subscriptionOperations } from './subscriptions/subscriptions.ts';
import { type VerificationNeeds, verificationOperations } from './verifications/own-verification.ts';

/** The endpoints of an account about itself: keys, settings, money, plan, BYOK credentials. */
export interface AccountTableNeeds
  extends KeyNeeds,
    AccountNeeds,
    SubscriptionNeeds,
    LimitNeeds,
    VerificationNeeds,
    ByokNeeds,
    ByokUseNeeds {
  readonly accounts: AccountNeeds['accounts'];
  readonly byok: ByokNeeds['byok'];
  readonly keys: KeyNeeds['keys'];
}

export function accountTable(needs: AccountTableNeeds): readonly Operation[] {
  return [
    ...keyOperations(needs),
    ...accountOperations(needs),
    ...preferenceOperations(needs),
    ...subscriptionOperations(needs),
    ...limitOperations(needs),
    ...verificationOperations(needs),
    ...byokOperations(needs),
    ...byokUseOperations(needs),
  ];
}
