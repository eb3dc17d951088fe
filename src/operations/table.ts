import { type AccountTableNeeds, accountTable } from './account-table.ts';
import { ADMIN_OPERATIONS } from './admin-table.ts';
import { type AuthPorts, authOperations } from './auth/auth.ts';
import { accountLogOperations } from './logs/account-logs.ts';
import type { Operation } from './operation.ts';
import { type PublicNeeds, publicOperations } from './public-table.ts';
import { type UsageNeeds, usageOperations } from './usage-table.ts';

/**
 * The dependencies of the groups, one field per group. Each port is an interface beside its group, and
 * app/platform.ts binds it to the store.
 */
export interface PlatformPorts {
  readonly auth: AuthPorts;
  readonly own: AccountTableNeeds;
  readonly everybody: PublicNeeds;
  readonly usage: UsageNeeds;
}

/** Every endpoint of the platform. A group that is not listed here is not served. */
export function allOperations(ports: PlatformPorts): readonly Operation[] {
  const usage = usageOperations(ports.usage);
  return [
    ...authOperations(ports.auth),
    ...publicOperations(ports.everybody),
    ...accountTable(ports.own),
    ...usage,
    ...ADMIN_OPERATIONS,
    ...accountLogOperations(usage),
  ];
}

/** The table without ports, for everything built from rows without a server: documents, clients, tests. */
export function readOperations(): readonly Operation[] {
  return allOperations(nothing() as PlatformPorts);
}

/** A stand-in for all ports. Only a handler would call it, and no handler is called. */
function nothing(): unknown {
  return new Proxy(() => {}, {
    get: (_target, name) => (typeof name === 'symbol' ? undefined : nothing()),
    apply: () => {
      throw new Error('a table without ports cannot run its handlers');
    },
  });
}
