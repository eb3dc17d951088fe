import { buildConnector } from 'undici';
import { ForbiddenAddress, guardedLookup, isForbiddenLiteral, type Resolve } from './media-address.ts';

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
export function guardedConnector(
  origin: string,
  connectMs: number,
  { ownHosts, resolve }: Guard,
): buildConnector.connector {
  const url = new URL(origin);
  const connect = buildConnector({
    timeout: connectMs,
    lookup: guardedLookup(url, ownHosts, resolve),
    allowH2: false,
  });
  return (options, callback) => {
    if (isForbiddenLiteral(url, ownHosts)) callback(new ForbiddenAddress('a private address'), null);
    else connect(options, callback);
  };
}
