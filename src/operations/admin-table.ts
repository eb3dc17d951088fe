import type { Times } from '../kernel/time/calendar.ts';
import type { Days } from '../kernel/time/days.ts';
import { accessOperations } from './accounts/access.ts';
import type { Shown } from './accounts/account-view.ts';
import { accountOperations } from './accounts/accounts.ts';
import type { AccountChanges, AllCalls, CatalogChanges, Inbox, OperatorStats } from './admin-ports.ts';
import { catalogOperations } from './catalog/catalog.ts';
import type { HealthReports } from './context.ts';
import { inboxOperations } from './inbox/inbox.ts';
import { accountLogOperations } from './logs/account-logs.ts';
import { callOperations } from './logs/calls.ts';
import type { Operation } from './operation.ts';
import { overviewOperations } from './stats/overview.ts';
import { seriesOperations } from './stats/series.ts';
import { decisionOperations } from './verifications/verifications.ts';
import { moneyOperations } from './wallet/money.ts';

/** The dependencies of the operators' rows. */
export interface AdminPorts {
  readonly catalog: CatalogChanges;
  readonly accounts: AccountChanges;
  readonly inbox: Inbox;
  readonly stats: OperatorStats;
  readonly health: HealthReports;
  readonly shown: Shown;
  readonly times: Times;
  readonly days: Days;
  readonly calls: AllCalls;
}

/** All rows of operators. `ownLogs` are the rows with which accounts read their own logs. */
export function adminOperations(ports: AdminPorts, ownLogs: readonly Operation[]): readonly Operation[] {
  const { catalog, accounts, inbox, stats, health, shown, times, days, calls } = ports;
  const needs = { accounts, shown };
  return [
    ...catalogOperations(catalog),
    ...accountOperations(needs),
    ...accessOperations({ accounts, times }),
    ...moneyOperations(needs),
    ...decisionOperations(needs),
    ...accountLogOperations(ownLogs, accounts),
    ...inboxOperations({ inbox, shown }),
    ...callOperations({ calls, times }),
    ...seriesOperations({ stats, days, ...times }),
    ...overviewOperations({ stats, catalog, health, ...times }),
  ];
}
