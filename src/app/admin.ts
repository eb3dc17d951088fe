import { hashPassword } from '../accounts/password.ts';
import { systemRandom } from '../kernel/random.ts';
import { createCalendar, createTimeFormat, createTimes } from '../kernel/time/calendar.ts';
import { systemClock } from '../kernel/time/clock.ts';
import { createDays } from '../kernel/time/days.ts';
import type { AdminPorts } from '../operations/admin-table.ts';
import type { HealthReports } from '../operations/context.ts';
import { catalogChanges } from '../store/catalog/change.ts';
import { createCallSearch } from '../store/logs/call-search.ts';
import { createInbox } from '../store/operations/inbox.ts';
import { accountChanges } from '../store/operations/operator-accounts.ts';
import { createOperatorStats } from '../store/operations/operator-stats.ts';
import type { AppContext } from './app-context.ts';
import type { Data } from './store.ts';

/** The ports of the operators' rows. */
export function bindAdmin(
  { database, sealer }: Data,
  health: HealthReports,
  { config, log }: Pick<AppContext, 'config' | 'log'>,
): AdminPorts {
  const options = {
    ...{ sealer, log, clock: systemClock },
    hashPassword: (password: string) => hashPassword(password, systemRandom),
  };
  const audit = { database, log, options };
  const { month } = createCalendar(config.timeZone);
  return {
    catalog: catalogChanges(audit),
    accounts: accountChanges(audit),
    inbox: createInbox(audit),
    stats: createOperatorStats(database),
    health,
    shown: { showTime: createTimeFormat(config.timeZone), month },
    times: createTimes(config.timeZone),
    days: createDays(config.timeZone),
    calls: createCallSearch(database, systemClock),
  };
}
