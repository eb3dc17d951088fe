import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { MEDIA_ADDRESS_CHARS_MAX } from '../../bounds.ts';
import { isPublicAddress } from './public-address.ts';
import type { NamedBy, Resolve } from './resolve.ts';

/** A forbidden address. The message is for the log. */
export class ForbiddenAddress extends Error {}

/** The parsed address, without a look-up; undefined if it must not be fetched. */
export function readMediaAddress(text: string, ownHosts: ReadonlySet<string>): URL | undefined {
  if (text.length > MEDIA_ADDRESS_CHARS_MAX || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  if (url.username !== '' || url.password !== '' || url.hostname === '') return undefined;
  // A URL has no port if it is the default of its scheme. The default of the other scheme counts too.
  const isUsual = url.port === '' || url.port === '80' || url.port === '443';
  return isUsual || ownHosts.has(url.host) ? url : undefined;
}

/**
 * The look-up of one connection. Every address of the name must be public, and the socket connects to the
 * addresses that were checked. There is no second look-up that could differ.
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
 * The target of a proxy for a user: an address that was checked, never a name that the proxy
 * would look up again. A host that the operator allows is sent by its name, as for the operator's calls.
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

/** `host:port`, in the form for a proxy. */
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

/** The name or address; an IPv6 address without the brackets of URLs. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** A host that is an address is never looked up, so it is checked before a connection. */
export function isForbiddenLiteral(url: URL, ownHosts: ReadonlySet<string>): boolean {
  const literal = bareHost(url);
  if (isIP(literal) === 0 || ownHosts.has(url.host) || ownHosts.has(url.hostname)) return false;
  return !isPublicAddress(literal);
}
