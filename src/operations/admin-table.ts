import { accessOperations } from './accounts/access.ts';
import { accountOperations } from './accounts/accounts.ts';
import { noteOperations } from './accounts/notes.ts';
import { platformAlertOperations } from './alerts/platform-alerts.ts';
import { catalogOperations } from './catalog/catalog.ts';
import { catalogFileOperations } from './catalog/catalog-file.ts';
import { priceFileOperations } from './catalog/price-files.ts';
import { repriceOperations } from './catalog/reprice.ts';
import { testOperations } from './catalog/tests.ts';
import { vendorModelOperations } from './catalog/vendor-models.ts';
import { presetOperations } from './catalog/vendor-presets.ts';
import { whatIfOperations } from './catalog/what-if.ts';
import { doctorOperations } from './doctor/doctor.ts';
import { inboxOperations } from './inbox/inbox.ts';
import { platformLiveOperations } from './live/live-streams.ts';
import { callOperations } from './logs/calls.ts';
import type { Operation } from './operation.ts';
import { accountOverviewOperations } from './stats/account-overview.ts';
import { overviewOperations } from './stats/overview.ts';
import { routeOverviewOperations } from './stats/route-overview.ts';
import { seriesOperations } from './stats/series.ts';
import { decisionOperations } from './verifications/verifications.ts';
import { moneyOperations } from './wallet/money.ts';

/** The operations of operators. Those on the logs of an account are in logs/account-logs.ts. */
export const ADMIN_OPERATIONS: readonly Operation[] = [
  ...catalogOperations,
  ...catalogFileOperations,
  ...whatIfOperations,
  ...priceFileOperations,
  ...repriceOperations,
  ...testOperations,
  ...presetOperations,
  ...vendorModelOperations,
  ...accountOperations,
  ...accessOperations,
  ...noteOperations,
  ...moneyOperations,
  ...decisionOperations,
  ...inboxOperations,
  ...callOperations,
  ...platformLiveOperations,
  ...seriesOperations,
  ...overviewOperations,
  ...doctorOperations,
  ...routeOverviewOperations,
  ...accountOverviewOperations,
  ...platformAlertOperations,
];
