import { createDial, createProxyDial, type Dial } from '../http/dial.ts';
import type { EgressProxy } from '../http/egress-proxy.ts';
import { ForbiddenAddress, guardedLookup, isForbiddenLiteral, judgedTarget } from './media-address.ts';
import type { Resolve } from './resolve.ts';

/** The rules for a user's address. */
export interface Guard {
  /** `host` or `host:port` that the operator allows. These may be private. */
  readonly ownHosts: ReadonlySet<string>;
  readonly resolve: Resolve;
}

/** The connection to an address that a user stored. */
export interface GuardedWay {
  readonly connectMs: number;
  readonly proxy: EgressProxy | undefined;
  readonly guard: Guard;
}

/**
 * Connects to an address that a user stored, if it is in the public network. It is checked at every
 * connection, because the address of a name may change after it was stored. A proxy gets
 * the address that was checked.
 */
export function createGuardedDial(origin: URL, { connectMs, proxy, guard }: GuardedWay): Dial {
  const { ownHosts, resolve } = guard;
  const findTarget = (): Promise<string> => judgedTarget(origin, ownHosts, resolve);
  const dial =
    proxy === undefined
      ? createDial(origin, { connectMs, lookup: guardedLookup(origin, ownHosts, resolve) })
      : createProxyDial(origin, { connectMs, proxy, findTarget });
  return (user) => {
    if (!isForbiddenLiteral(origin, ownHosts)) return dial(user);
    user.onRefused(new ForbiddenAddress('a private address'));
    return undefined;
  };
}
