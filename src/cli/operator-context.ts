import { type Logger, silentLogger } from '../kernel/log.ts';
import { systemClock } from '../kernel/time/clock.ts';
import type { Setup } from '../setup.ts';
import type { Actor, AuditContext } from '../store/operations/audit.ts';
import type { CommandInput } from './command.ts';

/**
 * The context in which a command writes as an operator: the change is recorded in the audit log and in force
 * when the command returns. If a server has not confirmed it, a warning is printed.
 */
export function auditContext(setup: Setup, { output }: CommandInput): AuditContext {
  const { database, sealer } = setup;
  const log: Logger = {
    ...silentLogger,
    error: (fields, message) => setup.log.error(fields, message),
    warn: (_fields, message) => output.error(`warning: ${message}`),
  };
  return { database, sealer, log, clock: systemClock };
}

/** The person at the terminal of the server. The audit log has no name for them. */
export function terminal(action: string): Actor {
  return { accountId: undefined, address: 'terminal', action };
}
