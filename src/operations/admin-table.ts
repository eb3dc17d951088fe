import { accessOperations } from './accounts/access.ts';
import { accountOperations } from './accounts/accounts.ts';
import { catalogOperations } from './catalog/catalog.ts';
import { inboxOperations } from './inbox/inbox.ts';
import { callOperations } from './logs/calls.ts';
import type { Operation } from './operation.ts';
import { overviewOperations } from './stats/overview.ts';
import { seriesOperations } from './stats/series.ts';
import { decisionOperations } from './verifications/verifications.ts';
import { moneyOperations } from './wallet/money.ts';

/** The operations of operators. Those on the logs of an account are in logs/account-logs.ts. */
export const ADMIN_OPERATIONS: readonly Operation[] = [
  ...catalogOperations,
  ...accountOperations,
  ...accessOperations,
  ...moneyOperations,
  ...decisionOperations,
  ...inboxOperations,
  ...callOperations,
  ...seriesOperations,
  ...overviewOperations,
];
