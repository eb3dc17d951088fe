import { createDial, type Dial } from '../http/dial.ts';
import { ForbiddenAddress, guardedLookup, isForbiddenLiteral } from './media-address.ts';
import type { Resolve } from './resolve.ts';

/** What a user's address is judged by. */
export interface Guard {
  /** `host` or `host:port` of the operator's own: these may be private. */
  readonly ownHosts: ReadonlySet<string>;
  readonly resolve: Resolve;
}

/**
 * Connects to an address that a user stored, if it lies in the public network. It is judged at every
 * connection: what a name led to when it was stored says nothing about where it leads now.
 */
export function createGuardedDial(origin: URL, connectMs: number, { ownHosts, resolve }: Guard): Dial {
  const dial = createDial(origin, { connectMs, lookup: guardedLookup(origin, ownHosts, resolve) });
  return (user) => {
    if (!isForbiddenLiteral(origin, ownHosts)) return dial(user);
    user.onRefused(new ForbiddenAddress('a private address'));
    return undefined;
  };
}
