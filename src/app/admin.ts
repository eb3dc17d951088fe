import { hashPassword } from '../accounts/password.ts';
import type { HealthReports } from '../admin/ports.ts';
import type { AdminPorts } from '../admin/table.ts';
import { createCalendar, createTimeFormat } from '../kernel/calendar.ts';
import { systemClock } from '../kernel/clock.ts';
import { createDays } from '../kernel/days.ts';
import { systemRandom } from '../kernel/random.ts';
import { createCallSearch } from '../store/call-search.ts';
import { catalogChanges } from '../store/catalog-change.ts';
import { createInbox } from '../store/inbox.ts';
import { accountChanges } from '../store/operator-accounts.ts';
import { createWatch } from '../store/watch.ts';
import { timesOf } from './own.ts';
import type { Data } from './store.ts';
import type { Surroundings } from './surroundings.ts';

/** The ports of the operators' rows. */
export function bindAdmin(
  { database, sealer }: Data,
  health: HealthReports,
  { config, log }: Pick<Surroundings, 'config' | 'log'>,
): AdminPorts {
  const options = {
    ...{ sealer, log, clock: systemClock },
    hashPassword: (password: string) => hashPassword(password, systemRandom),
  };
  const desk = { database, log, options };
  const { month } = createCalendar(config.timeZone);
  return {
    catalog: catalogChanges(desk),
    accounts: accountChanges(desk),
    inbox: createInbox(desk),
    watch: createWatch(database),
    health,
    shown: { showTime: createTimeFormat(config.timeZone), month },
    times: timesOf(config.timeZone),
    days: createDays(config.timeZone),
    calls: createCallSearch(database, systemClock),
  };
}
