import { type AdminPorts, adminEndpoints } from '../admin/table.ts';
import { type AuthPorts, authEndpoints } from './account/auth.ts';
import { type AccountTableNeeds, accountTable } from './account/table.ts';
import type { Endpoint } from './endpoint.ts';
import { type PublicNeeds, publicEndpoints } from './public/public.ts';
import { type UsageNeeds, usageEndpoints } from './usage/usage.ts';

/**
 * What the groups need of the rest of the product, one field per group. Each port is an interface beside its
 * group; app/platform.ts binds it to the store.
 */
export interface PlatformPorts {
  readonly auth: AuthPorts;
  readonly own: AccountTableNeeds;
  readonly everybody: PublicNeeds;
  readonly usage: UsageNeeds;
  readonly admin: AdminPorts;
}

/** Every endpoint of the platform: a group that is not listed here does not exist. */
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

/** The table with nothing behind it, for what is made of rows without a server: documents, clients, tests. */
export function readEndpoints(): readonly Endpoint[] {
  return allEndpoints(nothing() as PlatformPorts);
}

/** Whatever is asked of it is such a thing again; only a handler would call it, and none is called. */
function nothing(): unknown {
  return new Proxy(() => {}, {
    get: (_target, name) => (typeof name === 'symbol' ? undefined : nothing()),
    apply: () => {
      throw new Error('a table that is only read calls no port');
    },
  });
}
