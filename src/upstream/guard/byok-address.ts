import { isIP } from 'node:net';
import { HOSTED_ADDRESS_CHARS_MAX } from '../../bounds.ts';
import { isPublicAddress } from './public-address.ts';

/** The check of a user's address: the form that is stored, or why it is refused. */
export type JudgedAddress =
  | { readonly kind: 'address'; readonly baseUrl: string }
  | { readonly kind: 'refused'; readonly why: string };

const SCHEME_AND_HOST = /^https?:\/\/[^/]/i;
/** Spaces, control characters, and the backslash, which browsers turn into a slash. */
const MISLEADING = /[\s\p{Cc}\\]/u;
/** The usual ports. Others would allow a port scan through the gateway. */
const PORTS: ReadonlySet<string> = new Set(['', '80', '443', '8443']);
/** Names of private networks by definition, whatever a look-up returns. */
const INNER_NAMES = ['localhost', 'local', 'internal', 'intranet', 'lan', 'home.arpa'];

/**
 * The check of a BYOK address without a look-up. The addresses of its name
 * are checked at every connection. `ownHosts` (TOLLGATE_BYOK_HOSTS) are the operator's exceptions.
 */
export function judgeByokAddress(text: string, ownHosts: ReadonlySet<string>): JudgedAddress {
  const malformed = { kind: 'refused', why: 'must be an address such as https://host/path' } as const;
  if (text.length > HOSTED_ADDRESS_CHARS_MAX) return { kind: 'refused', why: 'is too long' };
  if (MISLEADING.test(text) || !SCHEME_AND_HOST.test(text)) return malformed;
  const url = URL.parse(text);
  if (url === null || url.hostname === '') return malformed;
  // A parsed URL does not contain an empty query or fragment, so the text is checked.
  if (/[?#]/.test(text) || url.username !== '' || url.password !== '') {
    return { kind: 'refused', why: 'must have neither user, query nor fragment' };
  }
  const why = isOwn(url, ownHosts) ? undefined : whyForbidden(url);
  if (why !== undefined) return { kind: 'refused', why };
  return { kind: 'address', baseUrl: withoutSlashes(url.href) };
}

/** Paths are appended to it. */
function withoutSlashes(href: string): string {
  let end = href.length;
  while (href.charAt(end - 1) === '/') end--;
  return href.slice(0, end);
}

function isOwn(url: URL, ownHosts: ReadonlySet<string>): boolean {
  return ownHosts.has(url.host) || ownHosts.has(url.hostname);
}

function whyForbidden(url: URL): string | undefined {
  // The secret is sent there.
  if (url.protocol !== 'https:') return 'must begin with https://';
  if (!PORTS.has(url.port)) return 'must use port 443, 80 or 8443';
  // A trailing dot means the same name.
  const labels = url.hostname.split('.').filter((label) => label !== '');
  const name = labels.join('.').replace(/^\[|\]$/g, '');
  const isInner =
    isIP(name) === 0
      ? !name.includes('.') || INNER_NAMES.some((inner) => name === inner || name.endsWith(`.${inner}`))
      : !isPublicAddress(name);
  return isInner ? 'must lead to the public network' : undefined;
}
