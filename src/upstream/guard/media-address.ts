import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { MEDIA_ADDRESS_CHARS_MAX } from '../../bounds.ts';
import { isPublicAddress } from './public-address.ts';
import type { NamedBy, Resolve } from './resolve.ts';

/** Where we do not go; the message is for our log. */
export class ForbiddenAddress extends Error {}

/** An address as far as it can be judged without asking anybody; nothing: we would not fetch it. */
export function readMediaAddress(text: string, ownHosts: ReadonlySet<string>): URL | undefined {
  if (text.length > MEDIA_ADDRESS_CHARS_MAX || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  if (url.username !== '' || url.password !== '' || url.hostname === '') return undefined;
  // An address has no port when it is the usual one of its scheme; the other usual one may be meant as well.
  const isUsual = url.port === '' || url.port === '80' || url.port === '443';
  return isUsual || ownHosts.has(url.host) ? url : undefined;
}

/**
 * The look-up of one connection. Every address of the name must be public, and the socket connects to the
 * very addresses that were judged: a name that answers differently the next time is never asked again.
 */
export function guardedLookup(url: URL, ownHosts: ReadonlySet<string>, resolve: Resolve): LookupFunction {
  const namedBy = ownHosts.has(url.host) || ownHosts.has(url.hostname) ? 'operator' : 'user';
  return (name, options, callback) => {
    judge(name, namedBy, resolve).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) callback(null, [...addresses]);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}

/**
 * What a proxy is asked to connect to for a user: an address that was judged, never a name that the proxy
 * would look up anew. A host of the operator's own is named, as for any other call of the operator.
 */
export async function judgedTarget(
  url: URL,
  ownHosts: ReadonlySet<string>,
  resolve: Resolve,
): Promise<string> {
  const host = bareHost(url);
  if (isIP(host) !== 0 || ownHosts.has(url.host) || ownHosts.has(url.hostname)) return toTarget(url);
  const [first] = await judge(host, 'user', resolve);
  return toTarget(url, first?.address);
}

/** `host:port`, as a proxy wants it. */
export function toTarget(url: URL, host = bareHost(url)): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${readPort(url)}`;
}

export function readPort({ port, protocol }: URL): string {
  return port !== '' ? port : protocol === 'https:' ? '443' : '80';
}

async function judge(name: string, namedBy: NamedBy, resolve: Resolve): Promise<readonly LookupAddress[]> {
  const addresses = await resolve(name, namedBy);
  if (addresses.length === 0) throw new ForbiddenAddress('the name has no address');
  if (namedBy === 'user' && !addresses.every(({ address }) => isPublicAddress(address))) {
    throw new ForbiddenAddress('the name leads into a private network');
  }
  return addresses;
}

/** The name or address; one of IPv6 without the brackets that URLs want. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** A host that is an address itself is never looked up, so it is judged before anything is opened. */
export function isForbiddenLiteral(url: URL, ownHosts: ReadonlySet<string>): boolean {
  const literal = bareHost(url);
  if (isIP(literal) === 0 || ownHosts.has(url.host) || ownHosts.has(url.hostname)) return false;
  return !isPublicAddress(literal);
}
