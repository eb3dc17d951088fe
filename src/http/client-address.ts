import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { FORWARDED_HOPS_MAX } from '../platform/bounds.ts';

/** Who asks, as far as it can be known: its own address, or the one that a proxy of ours vouches for. */
export type FindClientAddress = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;

/**
 * `X-Forwarded-For` is written by whoever likes, so it is read from its end, and only while the last hop is a
 * proxy we trust. `trusted` holds addresses and CIDRs that were checked when they were configured.
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
      // Whatever a proxy of ours could not name stays the proxy's own.
      if (named === undefined) return address;
      address = named;
    }
    return address;
  };
}

const MAPPED = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;
const WITH_PORT = /^(?:\[([0-9a-f:.]+)\]|(\d{1,3}(?:\.\d{1,3}){3}))(?::\d{1,5})?$/i;

/** One spelling per address, without port, brackets and zone; nothing when it is none. */
function plain(text: string): string | undefined {
  const bare = WITH_PORT.exec(text);
  const address = (bare?.[1] ?? bare?.[2] ?? text).split('%', 1)[0] ?? '';
  const shortest = MAPPED.exec(address)?.[1] ?? address.toLowerCase();
  return isIP(shortest) === 0 ? undefined : shortest;
}
