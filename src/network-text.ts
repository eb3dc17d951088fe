import { isIP } from 'node:net';

/** An address, or a network as a CIDR (`10.0.0.0/8`). */
export function isNetwork(entry: string): boolean {
  const [address = '', prefix, more] = entry.split('/');
  const bits = isIP(address) === 4 ? 32 : 128;
  if (isIP(address) === 0 || address.includes('%') || more !== undefined) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
}

/**
 * The form in which a browser sends this origin, or undefined if it is none. Desktop and mobile apps and
 * browser extensions have schemes of their own (`app://`, `tauri://`, `chrome-extension://`). Pages without
 * an origin, such as files and sandboxed frames, send `null`.
 */
export function readOrigin(entry: string): string | undefined {
  if (entry === 'null') return entry;
  if (!URL.canParse(entry)) return undefined;
  const { origin, protocol, host } = new URL(entry);
  if (/^https?:\/\/[^/\\@?#*\s]+$/i.test(entry)) return origin;
  if (NO_ORIGINS.has(protocol) || !/^[^:]+:\/\/[\w.-]+(?::\d+)?$/.test(entry)) return undefined;
  return `${protocol}//${host}`;
}

/** Pages of these schemes have another origin, or none. */
const NO_ORIGINS: ReadonlySet<string> = new Set([
  'about:',
  'blob:',
  'data:',
  'file:',
  'filesystem:',
  'ftp:',
  'http:',
  'https:',
  'javascript:',
  'view-source:',
  'ws:',
  'wss:',
]);

/** The address of an HTTP proxy, perhaps with a user and a password. */
export function isProxyAddress(address: string): boolean {
  const url = /^https?:\/\/[^/\\?#\s]+\/?$/i.test(address) ? URL.parse(address) : null;
  return url !== null && isEncoded(url.username) && isEncoded(url.password);
}

/** A percent sign that begins no character is a password that was not encoded. */
function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** An entry of `NO_PROXY`: `*`, address, CIDR, or host, perhaps with a dot before and a port behind. */
export function isNoProxyEntry(entry: string): boolean {
  if (entry === '*' || isNetwork(entry)) return true;
  const host = entry.replace(/^\*?\./, '');
  return /^[^/\\@?#*\s]+$/.test(host) && URL.canParse(`http://${host}`);
}
