import { type AdminPorts, adminEndpoints } from '../admin/table.ts';
import { type AuthPorts, authEndpoints } from './account/auth.ts';
import { type AccountTableNeeds, accountTable } from './account/table.ts';
import type { Endpoint } from './endpoint.ts';
import { type PublicNeeds, publicEndpoints } from './public/public.ts';
import { type UsageNeeds, usageEndpoints } from './usage/usage.ts';

/**
 * The dependencies of the groups, one field per group. Each port is an interface beside its group, and
 * app/platform.ts binds it to the store.
 */
export interface PlatformPorts {
  readonly auth: AuthPorts;
  readonly own: AccountTableNeeds;
  readonly everybody: PublicNeeds;
  readonly usage: UsageNeeds;
  readonly admin: AdminPorts;
}

/** Every endpoint of the platform. A group that is not listed here is not served. */
export function allEndpoints(ports: PlatformPorts): readonly Endpoint[] {
  const usage = usageEndpoints(ports.usage);
  return [
    ...authEndpoints(ports.auth),
    ...publicEndpoints(ports.everybody),
    ...accountTable(ports.own),
    ...usage,
    ...adminEndpoints(ports.admin, usage),
  ];
}

/** The table without ports, for everything built from rows without a server: documents, clients, tests. */
export function readEndpoints(): readonly Endpoint[] {
  return allEndpoints(nothing() as PlatformPorts);
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
