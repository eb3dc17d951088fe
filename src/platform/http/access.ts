import type { IncomingHttpHeaders } from 'node:http';
import { isWellFormed } from '../../accounts/api-key.ts';
import type { SessionAuthenticator } from '../../accounts/login-contract.ts';
import { CSRF_HEADER, readCookies, SESSION_COOKIE } from '../../operations/auth/cookies.ts';
import { TOKEN_CHARS_MAX } from '../../operations/bounds.ts';
import type { LoggedIn } from '../../operations/context.ts';
import { type Failure, fail } from '../../operations/failure.ts';
import type { Access } from '../../operations/operation.ts';

export type Admission =
  | { readonly kind: 'admitted'; readonly caller: LoggedIn | undefined }
  | { readonly kind: 'refused'; readonly failure: Failure };

export interface Asking {
  readonly access: Access;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/** Rule I-17: 1002 without a login, 1003 with a login that is not allowed. */
export async function admit(asking: Asking, sessions: SessionAuthenticator): Promise<Admission> {
  const { access } = asking;
  if (access === 'public') return { kind: 'admitted', caller: undefined };
  const caller = await findCaller(asking, sessions);
  if (access === 'optional') return { kind: 'admitted', caller: caller === 'no-csrf' ? undefined : caller };
  if (caller === undefined) return { kind: 'refused', failure: fail('notLoggedIn') };
  if (caller === 'no-csrf') return { kind: 'refused', failure: fail('notAllowed', NO_CSRF) };
  if (access === 'operator' && caller.role !== 'operator') {
    return { kind: 'refused', failure: fail('notAllowed') };
  }
  return { kind: 'admitted', caller };
}

const NO_CSRF = `A write with a cookie needs the header ${CSRF_HEADER}`;
const BEARER = /^bearer +([\x21-\x7e]+) *$/i;

/** The header takes precedence over the cookie, even if it is not a token. */
async function findCaller(
  { method, headers }: Asking,
  sessions: SessionAuthenticator,
): Promise<LoggedIn | undefined | 'no-csrf'> {
  const { authorization } = headers;
  if (authorization !== undefined) {
    const token = authorization.length > TOKEN_CHARS_MAX ? undefined : BEARER.exec(authorization)?.[1];
    // An API key is not a login: it must not be able to create further keys of its account.
    return token === undefined || isWellFormed(token) ? undefined : sessions.byAccessToken(token);
  }
  const session = readCookies(headers.cookie).get(SESSION_COOKIE);
  const caller = session === undefined ? undefined : await sessions.byCookie(session);
  if (caller === undefined || method === 'GET' || method === 'HEAD') return caller;
  const given = headers[CSRF_HEADER];
  const isProved = sessions.isCsrf(caller.sessionId, typeof given === 'string' ? given : undefined);
  return isProved ? caller : 'no-csrf';
}
