import { type Data, useApi } from '../../../api/api.ts';
import { useLiveRefresh } from '../live-refresh.ts';

export type Account = Data<'getAccount'>;

/** What shows an account, and is read again after every change of it. */
export const CHANGED = [
  ...(['getAccount', 'listAccounts', 'listAuditEntries', 'getUsageOverviewOfAccount'] as const),
  ...(['listBalanceChangesOfAccount', 'listSubscriptionsOfAccount', 'getLimitsOfAccount'] as const),
  ...(['listSessionsOfAccount', 'listKeysOfAccount'] as const),
] as const;

const LIVE = [
  ...(['getAccount', 'getUsageOverviewOfAccount', 'browseCallsOfAccount'] as const),
  ...(['getLimitsOfAccount', 'listBalanceChangesOfAccount', 'getUsageByKeyOfAccount'] as const),
] as const;

/** The account. It follows the calls as they end. */
export function useAccount(id: number) {
  useLiveRefresh('call', LIVE);
  return useApi('getAccount', { params: { id } });
}
