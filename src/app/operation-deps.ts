import type { GateAway } from '../gate/contract.ts';
import { systemRandom } from '../kernel/random.ts';
import { createCalendar, createTimes } from '../kernel/time/calendar.ts';
import { systemClock } from '../kernel/time/clock.ts';
import { createDays } from '../kernel/time/days.ts';
import type { OperationDeps } from '../operations/context.ts';
import { Live } from '../operations/live/live.ts';
import type { Setup } from '../setup.ts';
import { announceAndWait } from '../store/changes.ts';
import { openLogins } from './logins.ts';

/** What differs between a server and a command. */
export type OwnDeps = Pick<OperationDeps, 'gate' | 'health' | 'prober' | 'vendors' | 'catalog'>;

/** What all operations work with, the same for a server and for a command. */
export function createOperationDeps(setup: Setup, own: OwnDeps): OperationDeps {
  const { config, database, sealer, log } = setup;
  const deps = {
    ...{ config, database, sealer, log, ...own },
    ...createTimes(config.timeZone),
    ...openLogins(setup),
    days: createDays(config.timeZone),
    month: createCalendar(config.timeZone).month,
    clock: systemClock,
    random: systemRandom,
    inForce: () => untilInForce(setup),
  };
  return { ...deps, live: new Live(deps) };
}

const ELSEWHERE: GateAway = { kind: 'gate-away', retryAfterMs: 0 };

/** A gate in memory counts the calls of its own process. A process that serves no calls has no counts. */
export const GATE_ELSEWHERE: OperationDeps['gate'] = { look: () => ELSEWHERE };

async function untilInForce({ database, log }: Setup): Promise<void> {
  const answer = await announceAndWait(database);
  if (answer === 'late') {
    log.warn({}, 'a server has not confirmed a change in time; it takes effect there with a delay');
  }
}
