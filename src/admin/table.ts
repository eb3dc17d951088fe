import type { Endpoint } from '../platform/endpoint.ts';
import type { Times } from '../platform/fields.ts';
import { accountLogEndpoints } from './account-logs.ts';
import type { Shown } from './account-view.ts';
import { accountEndpoints } from './accounts.ts';
import { catalogEndpoints } from './catalog.ts';
import { inboxEndpoints } from './inbox.ts';
import { moneyEndpoints } from './money.ts';
import { overviewEndpoints } from './overview.ts';
import type { AccountChanges, CatalogChanges, HealthReports, Inbox, Watch } from './ports.ts';
import { decisionEndpoints } from './verifications.ts';

/** What operators need of the rest of the product. */
export interface AdminPorts {
  readonly catalog: CatalogChanges;
  readonly accounts: AccountChanges;
  readonly inbox: Inbox;
  readonly watch: Watch;
  readonly health: HealthReports;
  readonly shown: Shown;
  readonly times: Times;
}

/** Every row of operators; `ownLogs` are those with which accounts read their own. */
export function adminEndpoints(ports: AdminPorts, ownLogs: readonly Endpoint[]): readonly Endpoint[] {
  const { catalog, accounts, inbox, watch, health, shown, times } = ports;
  const needs = { accounts, shown };
  return [
    ...catalogEndpoints(catalog),
    ...accountEndpoints(needs),
    ...moneyEndpoints(needs),
    ...decisionEndpoints(needs),
    ...accountLogEndpoints(ownLogs, accounts),
    ...inboxEndpoints({ inbox, shown }),
    ...overviewEndpoints({ watch, catalog, health, ...times }),
  ];
}
