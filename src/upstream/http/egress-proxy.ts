import { BlockList, isIP } from 'node:net';
import { bareHost, readPort } from '../guard/media-address.ts';

/** What the operator's `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` say; the configuration has checked them. */
export interface EgressSettings {
  /** For vendors at https addresses; may hold a user and a password. */
  readonly httpsProxy: string | undefined;
  /** For vendors at http addresses. */
  readonly httpProxy: string | undefined;
  /** Hosts that are connected to directly. */
  readonly noProxy: readonly string[];
}

/** A proxy that opens tunnels. */
export interface EgressProxy {
  readonly isSecure: boolean;
  readonly host: string;
  readonly port: number;
  /** The value of `Proxy-Authorization`. It is a secret. */
  readonly authorization: string | undefined;
}

/** The proxy on the way to an address; nothing: it is connected to directly. */
export type ChooseProxy = (origin: URL) => EgressProxy | undefined;

export const noEgressProxy: ChooseProxy = () => undefined;

/** An entry of `NO_PROXY`. */
type IsDirect = (host: string, port: string) => boolean;

const HOST_AND_PORT = /^\*?\.?(.*?)(?::(\d+))?$/;

/**
 * As Go's `httpproxy` reads these settings, and curl but for one thing: `.example.com` means what is below
 * `example.com` and not `example.com` itself. This machine itself is never reached by way of a proxy.
 */
export function createChooseProxy({ httpsProxy, httpProxy, noProxy }: EgressSettings): ChooseProxy {
  const secure = httpsProxy === undefined ? undefined : readProxy(httpsProxy);
  const plain = httpProxy === undefined ? undefined : readProxy(httpProxy);
  const entries = [isLoopback, ...noProxy.map(readEntry)];
  return (origin) => {
    const proxy = origin.protocol === 'https:' ? secure : plain;
    if (proxy === undefined) return undefined;
    const host = withoutLastDot(bareHost(origin));
    const port = readPort(origin);
    return entries.some((isDirect) => isDirect(host, port)) ? undefined : proxy;
  };
}

/** What may be shown of the proxies: where they are, without their credentials. */
export function shownProxies({ httpsProxy, httpProxy }: EgressSettings): Readonly<Record<string, string>> {
  return {
    ...(httpsProxy !== undefined && { https: new URL(httpsProxy).host }),
    ...(httpProxy !== undefined && { http: new URL(httpProxy).host }),
  };
}

function readProxy(address: string): EgressProxy {
  const url = new URL(address);
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  const credentials = Buffer.from(`${user}:${password}`).toString('base64');
  return {
    isSecure: url.protocol === 'https:',
    host: bareHost(url),
    port: Number(readPort(url)),
    authorization: credentials === 'Og==' ? undefined : `Basic ${credentials}`,
  };
}

function readEntry(entry: string): IsDirect {
  if (entry === '*') return () => true;
  const [address = '', prefix] = entry.split('/');
  if (isIP(address) !== 0) return inNetwork(address, prefix);
  const [, text = '', onlyPort] = HOST_AND_PORT.exec(entry) ?? [];
  const name = withoutLastDot(bareHost(new URL(`http://${text}`)));
  const isDirect = isIP(name) === 0 ? ofName(name, entry) : inNetwork(name);
  if (onlyPort === undefined) return isDirect;
  return (host, port) => Number(port) === Number(onlyPort) && isDirect(host, port);
}

function ofName(name: string, entry: string): IsDirect {
  const isBelowOnly = entry.startsWith('.') || entry.startsWith('*.');
  return (host) => host.endsWith(`.${name}`) || (host === name && !isBelowOnly);
}

function inNetwork(address: string, prefix?: string): IsDirect {
  const network = new BlockList();
  if (prefix === undefined) network.addAddress(address, toIpFamily(address));
  else network.addSubnet(address, Number(prefix), toIpFamily(address));
  return (host) => isIP(host) !== 0 && network.check(host, toIpFamily(host));
}

const ownNetwork = inNetwork('127.0.0.0', '8');
const isLoopback: IsDirect = (host, port) => host === 'localhost' || host === '::1' || ownNetwork(host, port);

function toIpFamily(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

function withoutLastDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host;
}
