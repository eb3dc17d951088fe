import { type AdminPorts, adminEndpoints } from '../admin/table.ts';
import { type AuthPorts, authEndpoints } from './auth.ts';
import type { Endpoint } from './endpoint.ts';
import { type OwnNeeds, ownEndpoints } from './own.ts';
import { type PublicNeeds, publicEndpoints } from './public.ts';
import { type UsageNeeds, usageEndpoints } from './usage.ts';

/**
 * What the groups need of the rest of the product, one field per group. Each port is an interface beside its
 * group; app/platform.ts binds it to the store.
 */
export interface PlatformPorts {
  readonly auth: AuthPorts;
  readonly own: OwnNeeds;
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
    ...ownEndpoints(ports.own),
    ...usage,
    ...adminEndpoints(ports.admin, usage),
  ];
}
