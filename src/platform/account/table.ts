import type { Endpoint } from '../endpoint.ts';
import { type AccountNeeds, accountEndpoints } from './account.ts';
import { type ByokNeeds, byokEndpoints } from './byok.ts';
import { type ByokUseNeeds, byokUseEndpoints } from './byok-use.ts';
import { type KeyNeeds, keyEndpoints } from './keys.ts';
import { type LimitNeeds, limitEndpoints } from './limits.ts';
import { preferenceEndpoints } from './preference.ts';
import { type SubscriptionNeeds, subscriptionEndpoints } from './subscriptions.ts';
import { type VerificationNeeds, verificationEndpoints } from './verification.ts';

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

export function accountTable(needs: AccountTableNeeds): readonly Endpoint[] {
  return [
    ...keyEndpoints(needs),
    ...accountEndpoints(needs),
    ...preferenceEndpoints(needs),
    ...subscriptionEndpoints(needs),
    ...limitEndpoints(needs),
    ...verificationEndpoints(needs),
    ...byokEndpoints(needs),
    ...byokUseEndpoints(needs),
  ];
}
