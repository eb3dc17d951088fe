import { createDial, createProxyDial, type Dial } from '../http/dial.ts';
import type { EgressProxy } from '../http/egress-proxy.ts';
import { ForbiddenAddress, guardedLookup, isForbiddenLiteral, judgedTarget } from './media-address.ts';
import type { Resolve } from './resolve.ts';

/** What a user's address is judged by. */
export interface Guard {
  /** `host` or `host:port` of the operator's own: these may be private. */
  readonly ownHosts: ReadonlySet<string>;
  readonly resolve: Resolve;
}

/** How an address that a user stored is connected to. */
export interface GuardedWay {
  readonly connectMs: number;
  readonly proxy: EgressProxy | undefined;
  readonly guard: Guard;
}

/**
 * Connects to an address that a user stored, if it lies in the public network. It is judged at every
 * connection: what a name led to when it was stored says nothing about where it leads now. A proxy is told
 * the very address that was judged.
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
