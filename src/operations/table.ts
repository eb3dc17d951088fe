import { ownAccountOperations } from './accounts/own-account.ts';
import { preferenceOperations } from './accounts/preference.ts';
import { ADMIN_OPERATIONS } from './admin-table.ts';
import { ownAlertOperations } from './alerts/own-alerts.ts';
import { authOperations } from './auth/auth.ts';
import { byokOperations } from './byok/byok.ts';
import { byokUseOperations } from './byok/byok-use.ts';
import { offerOperations } from './catalog/offer.ts';
import { pricingOperations } from './catalog/pricing.ts';
import { settingsOperations } from './catalog/settings.ts';
import { feedbackOperations } from './inbox/feedback.ts';
import { keyOperations } from './keys/keys.ts';
import { playgroundOperations } from './keys/playground-key.ts';
import { limitOperations } from './limits/limits.ts';
import { ownLiveOperations } from './live/live-streams.ts';
import { accountLogOperations } from './logs/account-logs.ts';
import { exportOperations } from './logs/export.ts';
import { logOperations } from './logs/logs.ts';
import type { Operation } from './operation.ts';
import { rankingOperations } from './stats/ranking.ts';
import { statsOperations } from './stats/stats.ts';
import { groupOperations } from './stats/stats-groups.ts';
import { usageSeriesOperations } from './stats/usage-series.ts';
import { planOperations } from './subscriptions/plans.ts';
import { subscriptionOperations } from './subscriptions/subscriptions.ts';
import { verificationOperations } from './verifications/own-verification.ts';

/** What an account used: its logs, files of them, and statistics. Operators read the same of any account. */
const OWN_USAGE: readonly Operation[] = [
  ...logOperations,
  ...exportOperations,
  ...statsOperations,
  ...groupOperations,
  ...usageSeriesOperations,
];

/** What else an account reads of its own. Operators read the same of any account. */
const OWN_STATE: readonly Operation[] = [
  ...limitOperations,
  ...preferenceOperations,
  ...verificationOperations,
  ...byokOperations,
  ...byokUseOperations,
].filter(({ method, access, name }) => method === 'GET' && access === 'user' && name !== 'byok.vendors');

/** What everybody may do, and what an account may do with what is its own. */
const USERS: readonly Operation[] = [
  ...authOperations,
  ...settingsOperations,
  ...offerOperations,
  ...pricingOperations,
  ...planOperations,
  ...rankingOperations,
  ...feedbackOperations,
  ...keyOperations,
  ...playgroundOperations,
  ...ownAccountOperations,
  ...preferenceOperations,
  ...subscriptionOperations,
  ...limitOperations,
  ...verificationOperations,
  ...byokOperations,
  ...byokUseOperations,
  ...ownLiveOperations,
  ...ownAlertOperations,
  ...OWN_USAGE,
];

/** Every operation of the platform. A group that is not listed here is not served. */
export const OPERATIONS: readonly Operation[] = [
  ...USERS,
  ...ADMIN_OPERATIONS,
  ...accountLogOperations([...OWN_USAGE, ...OWN_STATE]),
];
