import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { FORWARDED_HOPS_MAX } from '../operations/bounds.ts';

/** The address of the client: that of the connection, or the one named by a trusted proxy. */
export type FindClientAddress = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;

/**
 * Any client can write `X-Forwarded-For`, so it is read from its end, and only while the last hop is a
 * trusted proxy. `trusted` has addresses and CIDRs that were checked by the configuration.
 */
export function createClientAddress(trusted: readonly string[]): FindClientAddress {
  const proxies = new BlockList();
  for (const entry of trusted) {
    const [address = '', prefix] = entry.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (prefix === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(prefix), family);
  }
  const isTrusted = (address: string): boolean => proxies.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  return ({ headers, socket }) => {
    let address = plain(socket.remoteAddress ?? '') ?? 'unknown';
    const forwarded = headers['x-forwarded-for'];
    if (forwarded === undefined || trusted.length === 0) return address;
    const hops = String(forwarded).split(',').slice(-FORWARDED_HOPS_MAX).reverse();
    for (const hop of hops) {
      if (isIP(address) === 0 || !isTrusted(address)) return address;
      const named = plain(hop.trim());
      // If a trusted proxy does not name an address, its own address counts.
      if (named === undefined) return address;
      address = named;
    }
    return address;
  };
}

const MAPPED = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;
const WITH_PORT = /^(?:\[([0-9a-f:.]+)\]|(\d{1,3}(?:\.\d{1,3}){3}))(?::\d{1,5})?$/i;

/** One spelling per address, without port, brackets and zone; undefined if it is not an address. */
function plain(text: string): string | undefined {
  const bare = WITH_PORT.exec(text);
  const address = (bare?.[1] ?? bare?.[2] ?? text).split('%', 1)[0] ?? '';
  const shortest = MAPPED.exec(address)?.[1] ?? address.toLowerCase();
  return isIP(shortest) === 0 ? undefined : shortest;
}
