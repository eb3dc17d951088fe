import type { Endpoint } from '../endpoint.ts';
import { type AccountNeeds, accountEndpoints } from './account.ts';
import { type HostedNeeds, hostedEndpoints } from './byok.ts';
import { type HostedUseNeeds, hostedUseEndpoints } from './byok-use.ts';
import { type KeyNeeds, keyEndpoints } from './keys.ts';
import { type LimitNeeds, limitEndpoints } from './limits.ts';
import { preferenceEndpoints } from './preference.ts';
import { type SubscriptionNeeds, subscriptionEndpoints } from './subscriptions.ts';
import { type VerificationNeeds, verificationEndpoints } from './verification.ts';

/** What an account manages of itself: its keys, switches and money, its plan, its own vendor credentials. */
export interface OwnNeeds
  extends KeyNeeds,
    AccountNeeds,
    SubscriptionNeeds,
    LimitNeeds,
    VerificationNeeds,
    HostedNeeds,
    HostedUseNeeds {
  readonly accounts: AccountNeeds['accounts'];
  readonly hosted: HostedNeeds['hosted'];
  readonly keys: KeyNeeds['keys'];
}

export function ownEndpoints(needs: OwnNeeds): readonly Endpoint[] {
  return [
    ...keyEndpoints(needs),
    ...accountEndpoints(needs),
    ...preferenceEndpoints(needs),
    ...subscriptionEndpoints(needs),
    ...limitEndpoints(needs),
    ...verificationEndpoints(needs),
    ...hostedEndpoints(needs),
    ...hostedUseEndpoints(needs),
  ];
}
