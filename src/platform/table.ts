import { type AuthPorts, authEndpoints } from './auth.ts';
import type { Endpoint } from './endpoint.ts';
import { type OwnNeeds, ownEndpoints } from './own.ts';

/**
 * What the groups need of the rest of the product, one field per group. Each port is an interface beside its
 * group; app/platform.ts binds it to the store.
 */
export interface PlatformPorts {
  readonly auth: AuthPorts;
  readonly own: OwnNeeds;
}

/** Every endpoint of the platform: a group that is not listed here does not exist. */
export function allEndpoints(ports: PlatformPorts): readonly Endpoint[] {
  return [...authEndpoints(ports.auth), ...ownEndpoints(ports.own)];
}
