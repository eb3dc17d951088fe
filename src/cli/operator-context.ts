import { hashPassword } from '../accounts/password.ts';
import { type Logger, silentLogger } from '../kernel/log.ts';
import { systemRandom } from '../kernel/random.ts';
import { systemClock } from '../kernel/time/clock.ts';
import type { Actor } from '../operations/contract.ts';
import type { Setup } from '../setup.ts';
import type { CatalogAuditContext } from '../store/catalog/change.ts';
import type { CommandInput } from './command.ts';

/**
 * The context in which a command writes as an operator: the change is recorded in the audit log and in force
 * when the command returns. If a server has not confirmed it, a warning is printed.
 */
export function auditContext(setup: Setup, { output }: CommandInput): CatalogAuditContext {
  const { database, sealer } = setup;
  const log: Logger = {
    ...silentLogger,
    error: (fields, message) => setup.log.error(fields, message),
    warn: (_fields, message) => output.error(`warning: ${message}`),
  };
  const hash = (password: string): Promise<string> => hashPassword(password, systemRandom);
  return { database, log, options: { sealer, log, clock: systemClock, hashPassword: hash } };
}

/** The person at the terminal of the server. The audit log has no name for them. */
export function terminal(action: string): Actor {
  return { accountId: undefined, address: 'terminal', action };
}
