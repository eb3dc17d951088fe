import type { Account } from './contract.ts';

/** Who is logged in, as the store knows it at this moment. */
export interface FoundLogin {
  readonly accountId: number;
  readonly role: Account['role'];
  readonly sessionId: string;
}

/**
 * What the platform asks for every request. Nothing is remembered between two of them: a logout, a disabled
 * account or another role is in force for the next request on every node.
 */
export interface SessionAuthenticator {
  /** The text behind `Authorization: Bearer`. An API key, a refresh token or a cookie is none. */
  byAccessToken(text: string): Promise<FoundLogin | undefined>;
  /** The text of the cookie `tollgate_session`. */
  byCookie(text: string): Promise<FoundLogin | undefined>;
  /** Whether a request of a cookie's login that is not a GET comes from our own pages. */
  isCsrf(sessionId: string, given: string | undefined): boolean;
}

/** Where a login comes from. */
export interface LoginOrigin {
  readonly address: string;
  readonly userAgent: string;
  /** The text of the cookie `tollgate_device`, if there is one. */
  readonly device: string | undefined;
  /** Tokens for programs; cookies for the console, whose scripts never see the session. */
  readonly way: SessionKind;
}

export interface LoginAttempt extends LoginOrigin {
  /** In lower case, without blanks around it. */
  readonly email: string;
  readonly password: string;
}

export type SessionKind = 'token' | 'cookie';

export type LoggedIn =
  | {
      readonly kind: 'token';
      readonly accessToken: string;
      readonly refreshToken: string;
      readonly expiresInSeconds: number;
    }
  | {
      readonly kind: 'cookie';
      readonly session: string;
      readonly csrf: string;
      readonly device: string;
      readonly expiresInSeconds: number;
    };

/** `wrong` is one answer for an unknown account and a wrong password. */
export type LoginRefusal =
  | { readonly kind: 'wrong' }
  | { readonly kind: 'disabled' }
  | { readonly kind: 'closed' }
  | { readonly kind: 'email-taken' }
  | { readonly kind: 'wait'; readonly waitMs: number };

/** `ended` counts the sessions that are no more. */
export type PasswordChange =
  | { readonly kind: 'changed'; readonly ended: number }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'wait'; readonly waitMs: number };

export interface Passwords {
  readonly old: string;
  readonly new: string;
}

export interface Logins extends SessionAuthenticator {
  register(entry: LoginAttempt): Promise<LoggedIn | LoginRefusal>;
  login(entry: LoginAttempt): Promise<LoggedIn | LoginRefusal>;
  /** The first operator, once, with the token on the server's terminal. */
  setUp(token: string, entry: LoginAttempt): Promise<LoggedIn | LoginRefusal>;
  refresh(refreshToken: string): Promise<LoggedIn | { readonly kind: 'wrong' }>;
  /** This session, or all of the account's; tells how many ended. */
  logout(login: FoundLogin, which: 'this' | 'all'): Promise<number>;
  /** The sessions of the account that go on, the one used last first. */
  sessions(login: FoundLogin): Promise<readonly SessionView[]>;
  /** One of the account's; tells how many ended: another account's is none. */
  endSession(login: FoundLogin, sessionId: string): Promise<number>;
  endOtherSessions(login: FoundLogin): Promise<number>;
  /** Ends every other session of the account. */
  changePassword(login: FoundLogin, passwords: Passwords): Promise<PasswordChange>;
}

/** Implemented in store/accounts by sessions.ts, login-failures.ts and registration.ts. */
export interface LoginStore extends SessionStore, FailureStore, RegistrationStore {}

/** A session as its owner sees it: nothing that opens anything is in it. */
export interface SessionView {
  readonly id: string;
  readonly kind: SessionKind;
  readonly createdAtMs: number;
  /** Exact to a minute. */
  readonly usedAtMs: number;
  readonly expiresAtMs: number;
  /** Where the login came from. */
  readonly address: string;
  readonly userAgent: string;
}

export interface SessionStore {
  listSessions(accountId: number, nowMs: number): Promise<readonly SessionView[]>;
  endOtherSessions(accountId: number, sessionId: string, nowMs: number): Promise<number>;
  /** It was used now. */
  touchSession(sessionId: string, nowMs: number): Promise<void>;
  /** `addressMark`: whether the account was entered from there before. */
  findLogin(email: string, addressMark: string): Promise<StoredLogin | undefined>;
  findSession(sessionId: string, nowMs: number): Promise<StoredSession | undefined>;
  /** False when the account was disabled, or its password changed, since `passwordHash` was read. */
  openSession(session: NewSession, passwordHash: string): Promise<boolean>;
  /** Exactly one of any number of callers with one secret gets `rotated`; every other ends the session. */
  rotateSecret(rotation: Rotation): Promise<Rotated>;
  endSession(accountId: number, sessionId: string, nowMs: number): Promise<number>;
  endAllSessions(accountId: number, nowMs: number): Promise<number>;
  findPassword(accountId: number): Promise<string | undefined>;
  /** Sessions that ended; nothing when the password is no longer `oldHash`. */
  changePassword(change: NewPassword): Promise<number | undefined>;
}

export interface StoredLogin {
  readonly accountId: number;
  readonly passwordHash: string;
  readonly status: Account['status'];
  readonly addressKnown: boolean;
}

export interface StoredSession {
  readonly accountId: number;
  readonly role: Account['role'];
  /** False: ended, expired, or its account is disabled. */
  readonly live: boolean;
  readonly kind: SessionKind;
  readonly secretHash: string;
  readonly usedAtMs: number;
}

export interface NewSession {
  readonly id: string;
  readonly accountId: number;
  readonly kind: SessionKind;
  readonly secretHash: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly address: string;
  readonly addressMark: string;
  readonly userAgent: string;
}

export interface Rotation {
  readonly sessionId: string;
  readonly oldHash: string;
  readonly newHash: string;
  readonly nowMs: number;
  readonly expiresAtMs: number;
}

export type Rotated =
  | { readonly kind: 'rotated'; readonly accountId: number }
  /** The secret was used before: its session is ended now, whoever holds the newer one. */
  | { readonly kind: 'reused'; readonly accountId: number }
  | { readonly kind: 'gone' };

export interface NewPassword {
  readonly accountId: number;
  readonly oldHash: string;
  readonly newHash: string;
  /** Goes on. */
  readonly sessionId: string;
  readonly nowMs: number;
}

/** Failures counted for something: `account:…`, `address:…`. */
export interface FailureScope {
  readonly name: string;
  readonly rule: FailureRule;
}

export interface FailureRule {
  /** So many are free; from then on each makes the next wait. */
  readonly limit: number;
  readonly waitMs: number;
  readonly waitMsMax: number;
}

export interface FailureStore {
  /**
   * Counts an attempt as failed before it is made, so that a thousand at once cannot pass together. When one
   * of the scopes is blocked nothing is counted, and the time to wait is told; 0 when none is.
   */
  countAttempt(scopes: readonly FailureScope[], nowMs: number): Promise<number>;
  /** It was no failure. */
  uncountAttempt(scopes: readonly FailureScope[]): Promise<void>;
  forgetFailures(names: readonly string[]): Promise<void>;
}

export interface NewRegistration {
  readonly email: string;
  readonly passwordHash: string;
  readonly session: Omit<NewSession, 'accountId'>;
}

export type RegistrationResult =
  | { readonly kind: 'joined'; readonly accountId: number }
  | { readonly kind: 'email-taken' };

/** What makes the first operator, once. */
export interface SetupToken {
  readonly text: string;
  readonly expiresAtMs: number;
}

export interface RegistrationStore {
  /** What an operator said; nothing when the configuration decides. */
  findRegistration(): Promise<'open' | 'closed' | undefined>;
  register(member: NewRegistration): Promise<RegistrationResult>;
  isSetupToken(tokenHash: string, nowMs: number): Promise<boolean>;
  /** `refused`: the token is unknown, used or expired, or there is an operator already. */
  setUp(
    tokenHash: string,
    member: NewRegistration,
    nowMs: number,
  ): Promise<RegistrationResult | { readonly kind: 'refused' }>;
}
