import type { LoggedIn } from '../../accounts/login-contract.ts';
import type { Config } from '../../config.ts';
import { COOKIE_SESSION_MS, DEVICE_COOKIE_MS } from '../bounds.ts';
import { type DataAnswer, data, SURFACES } from '../operation.ts';
import { Type } from '../schema.ts';
import { CSRF_COOKIE, DEVICE_COOKIE, SESSION_COOKIE, type Transport, writeCookie } from './cookies.ts';

const EXPIRES_IN = Type.Integer({ minimum: 1, description: 'Seconds.' });

/** The answer of rule A-1. A login with cookies has the value that its pages send in `x-csrf-token`. */
export const LOGIN_DATA = Type.Union([
  Type.Object({ access_token: Type.String(), refresh_token: Type.String(), expires_in: EXPIRES_IN }),
  Type.Object({ csrf_token: Type.String(), expires_in: EXPIRES_IN }),
]);

export const LOGIN_EXAMPLE = {
  access_token: 'tga1.example-of-an-access-token',
  refresh_token: 'tgr1.example-of-a-refresh-token',
  expires_in: 1800,
};

type PublicUrl = Pick<Config, 'publicUrl'>;

/** Without a public address https is unknown, and browsers would not send back a cookie for https only. */
function chooseTransport({ publicUrl }: PublicUrl): Transport {
  return publicUrl?.startsWith('https://') === true ? 'https' : 'http';
}

export function enteredAnswer(entered: LoggedIn, config: PublicUrl): DataAnswer {
  if (entered.kind === 'token') {
    const { accessToken, refreshToken, expiresInSeconds } = entered;
    return data({ access_token: accessToken, refresh_token: refreshToken, expires_in: expiresInSeconds });
  }
  const { session, csrf, device, expiresInSeconds } = entered;
  const transport = chooseTransport(config);
  const everywhere = { ageMs: COOKIE_SESSION_MS, path: '/', transport };
  return {
    ...data({ csrf_token: csrf, expires_in: expiresInSeconds }),
    cookies: [
      writeCookie(SESSION_COOKIE, session, { ...everywhere, scripts: 'may-not' }),
      writeCookie(CSRF_COOKIE, csrf, { ...everywhere, scripts: 'may-read' }),
      writeCookie(DEVICE_COOKIE, device, {
        ageMs: DEVICE_COOKIE_MS,
        path: SURFACES.auth,
        transport,
        scripts: 'may-not',
      }),
    ],
  };
}

/** The browser stays known, because its owner may come back. */
export function logoutCookies(config: PublicUrl): readonly string[] {
  const gone = { ageMs: 0, path: '/', transport: chooseTransport(config) };
  return [
    writeCookie(SESSION_COOKIE, '', { ...gone, scripts: 'may-not' }),
    writeCookie(CSRF_COOKIE, '', { ...gone, scripts: 'may-read' }),
  ];
}
