import { COOKIES_MAX } from '../bounds.ts';

/** The login of the console. It is HttpOnly, so scripts cannot read it. */
export const SESSION_COOKIE = 'tollgate_session';
/** Readable by scripts of the console, which send it back in `x-csrf-token`. */
export const CSRF_COOKIE = 'tollgate_csrf';
/** Proves that this browser logged in before. It gives no access. */
export const DEVICE_COOKIE = 'tollgate_device';
export const CSRF_HEADER = 'x-csrf-token';

/** Of several cookies with one name the first counts: browsers send that of the nearest path first. */
export function readCookies(header: string | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const part of (header ?? '').split(';', COOKIES_MAX)) {
    const equals = part.indexOf('=');
    const name = part.slice(0, Math.max(equals, 0)).trim();
    if (name !== '' && !cookies.has(name)) cookies.set(name, part.slice(equals + 1).trim());
  }
  return cookies;
}

/** How browsers reach the server. With https, cookies are sent over https only. */
export type Transport = 'https' | 'http';

export interface CookieOptions {
  readonly ageMs: number;
  readonly path: string;
  readonly transport: Transport;
  readonly scripts: 'may-read' | 'may-not';
}

/** One `Set-Cookie`. The values are tokens, so nothing needs quoting. */
export function writeCookie(name: string, value: string, options: CookieOptions): string {
  const { ageMs, path, transport, scripts } = options;
  const parts = [
    `${name}=${value}`,
    `Path=${path}`,
    `Max-Age=${Math.floor(ageMs / 1000)}`,
    'SameSite=Strict',
  ];
  if (scripts === 'may-not') parts.push('HttpOnly');
  if (transport === 'https') parts.push('Secure');
  return parts.join('; ');
}
