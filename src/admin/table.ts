import type { Days } from '../kernel/time/days.ts';
import type { Endpoint } from '../platform/endpoint.ts';
import type { Times } from '../platform/fields.ts';
import { accessEndpoints } from './account-access.ts';
import { accountLogEndpoints } from './account-logs.ts';
import type { Shown } from './account-view.ts';
import { accountEndpoints } from './accounts.ts';
import { callEndpoints } from './calls.ts';
import { catalogEndpoints } from './catalog.ts';
import { inboxEndpoints } from './inbox.ts';
import { moneyEndpoints } from './money.ts';
import { overviewEndpoints } from './overview.ts';
import type {
  AccountChanges,
  AllCalls,
  CatalogChanges,
  HealthReports,
  Inbox,
  OperatorStats,
} from './ports.ts';
import { seriesEndpoints } from './series.ts';
import { decisionEndpoints } from './verifications.ts';

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
export function adminEndpoints(ports: AdminPorts, ownLogs: readonly Endpoint[]): readonly Endpoint[] {
  const { catalog, accounts, inbox, stats, health, shown, times, days, calls } = ports;
  const needs = { accounts, shown };
  return [
    ...catalogEndpoints(catalog),
    ...accountEndpoints(needs),
    ...accessEndpoints({ accounts, times }),
    ...moneyEndpoints(needs),
    ...decisionEndpoints(needs),
    ...accountLogEndpoints(ownLogs, accounts),
    ...inboxEndpoints({ inbox, shown }),
    ...callEndpoints({ calls, times }),
    ...seriesEndpoints({ stats, days, ...times }),
    ...overviewEndpoints({ stats, catalog, health, ...times }),
  ];
}
