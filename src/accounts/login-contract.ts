import type { AlertLanguage, Details } from '../alerts/contract.ts';
import type { Account } from './contract.ts';

/** A login as in the store at this moment. */
export interface FoundLogin {
  readonly accountId: number;
  readonly role: Account['role'];
  readonly sessionId: string;
}

/**
 * What the platform asks for every request. Nothing is cached between requests: a logout, a disabled account
 * or another role is in force for the next request on every node.
 */
export interface SessionAuthenticator {
  /** The text after `Authorization: Bearer`. API keys, refresh tokens and cookies are not accepted. */
  byAccessToken(text: string): Promise<FoundLogin | undefined>;
  /** The text of the cookie `tollgate_session`. */
  byCookie(text: string): Promise<FoundLogin | undefined>;
  /** Whether a writing request with a cookie comes from pages of the platform. */
  isCsrf(sessionId: string, given: string | undefined): boolean;
}

/** The origin of a login. */
export interface LoginOrigin {
  readonly address: string;
  readonly userAgent: string;
  /** The text of the cookie `tollgate_device`, if there is one. */
  readonly device: string | undefined;
  /** Tokens for programs; cookies for the console, whose scripts cannot read the session. */
  readonly way: SessionKind;
}

export interface LoginAttempt extends LoginOrigin {
  /** In lower case, without spaces around it. */
  readonly email: string;
  readonly password: string;
  /** Of mails to a new account. */
  readonly language?: AlertLanguage | undefined;
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

/** `ended` is the number of ended sessions. */
export type PasswordChange =
  | { readonly kind: 'changed'; readonly ended: number }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'wait'; readonly waitMs: number };

export interface Passwords {
  readonly old: string;
  readonly new: string;
  /** Where the change comes from, for the mail that tells it. */
  readonly address?: string;
}

export interface Logins extends SessionAuthenticator {
  register(entry: LoginAttempt): Promise<LoggedIn | LoginRefusal>;
  login(entry: LoginAttempt): Promise<LoggedIn | LoginRefusal>;
  /** Creates the first operator, once, with the token on the server's terminal. */
  setUp(token: string, entry: LoginAttempt): Promise<LoggedIn | LoginRefusal>;
  refresh(refreshToken: string): Promise<LoggedIn | { readonly kind: 'wrong' }>;
  /** Ends this session, or all sessions of the account. Returns how many ended. */
  logout(login: FoundLogin, which: 'this' | 'all'): Promise<number>;
  /** The open sessions of the account, the most recently used first. */
  sessions(login: FoundLogin): Promise<readonly SessionView[]>;
  /** Ends one session of the account. Returns how many ended: 0 for a session of another account. */
  endSession(login: FoundLogin, sessionId: string): Promise<number>;
  endOtherSessions(login: FoundLogin): Promise<number>;
  /** Ends all other sessions of the account. */
  changePassword(login: FoundLogin, passwords: Passwords): Promise<PasswordChange>;
}

export interface Wait {
  readonly kind: 'wait';
  readonly waitMs: number;
}

export interface ResetClaim {
  /** In lower case. */
  readonly email: string;
  readonly address: string;
  readonly language: AlertLanguage | undefined;
}

export interface AddressClaim {
  readonly accountId: number;
  readonly address: string;
  readonly language: AlertLanguage | undefined;
}

export type PasswordReset =
  | { readonly kind: 'reset'; readonly ended: number }
  | { readonly kind: 'wrong' }
  | Wait;

/** What a server that sends mail offers to accounts. */
export interface AccountMails {
  /** Mails a link for a new password, if there is such an account. The caller does not learn whether. */
  askReset(claim: ResetClaim): Promise<Wait | undefined>;
  /** Ends all sessions of the account. */
  resetPassword(token: string, password: string, address: string): Promise<PasswordReset>;
  askVerification(claim: AddressClaim): Promise<Wait | undefined>;
  /** False: the link is wrong, used or expired. */
  confirmAddress(token: string): Promise<boolean>;
}

interface NewMailToken {
  readonly token: string;
  readonly expiresAtMs: number;
  readonly language: AlertLanguage | undefined;
}

export interface MailStore {
  /** Does nothing for an unknown or disabled account. */
  mailReset(mail: NewMailToken & { readonly email: string }): Promise<void>;
  mailVerification(mail: NewMailToken & { readonly accountId: number }): Promise<void>;
  isMailToken(purpose: 'verify' | 'reset', tokenHash: string, nowMs: number): Promise<boolean>;
  /** The number of ended sessions; undefined if the token is wrong, used or expired. */
  resetPassword(reset: {
    readonly tokenHash: string;
    readonly passwordHash: string;
    readonly nowMs: number;
    /** For the mail that tells it. */
    readonly notice: Details;
  }): Promise<number | undefined>;
  confirmAddress(tokenHash: string, nowMs: number): Promise<boolean>;
}

/** Implemented in store/accounts by sessions.ts, login-failures.ts and registration.ts. */
export interface LoginStore extends SessionStore, FailureStore, RegistrationStore {}

/** A session as its owner sees it. It contains nothing that gives access. */
export interface SessionView {
  readonly id: string;
  readonly kind: SessionKind;
  readonly createdAtMs: number;
  /** Accurate to one minute. */
  readonly usedAtMs: number;
  readonly expiresAtMs: number;
  /** The address of the login. */
  readonly address: string;
  readonly userAgent: string;
}

export interface SessionStore {
  listSessions(accountId: number, nowMs: number): Promise<readonly SessionView[]>;
  endOtherSessions(accountId: number, sessionId: string, nowMs: number): Promise<number>;
  /** Records that it was used now. */
  touchSession(sessionId: string, nowMs: number): Promise<void>;
  /** `addressMark`: whether the account logged in from there before. */
  findLogin(email: string, addressMark: string): Promise<StoredLogin | undefined>;
  findSession(sessionId: string, nowMs: number): Promise<StoredSession | undefined>;
  /** False if the account was disabled, or its password changed, since `passwordHash` was read. */
  openSession(session: NewSession, passwordHash: string): Promise<boolean>;
  /** Exactly one of several callers with one secret gets `rotated`; every other ends the session. */
  rotateSecret(rotation: Rotation): Promise<Rotated>;
  endSession(accountId: number, sessionId: string, nowMs: number): Promise<number>;
  endAllSessions(accountId: number, nowMs: number): Promise<number>;
  findPassword(accountId: number): Promise<string | undefined>;
  /** The number of ended sessions; undefined if the password is no longer `oldHash`. */
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
  /** Set if the account is told of a login from a new place. */
  readonly notice?: Details | undefined;
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
  /** The secret was used before: its session has ended, whoever has the newer one. */
  | { readonly kind: 'reused'; readonly accountId: number }
  | { readonly kind: 'gone' };

export interface NewPassword {
  readonly accountId: number;
  readonly oldHash: string;
  readonly newHash: string;
  /** The session stays open. */
  readonly sessionId: string;
  readonly nowMs: number;
  /** Set if the account is told of it. */
  readonly notice?: Details | undefined;
}

/** A counter of failures: `account:…`, `address:…`. */
export interface FailureScope {
  readonly name: string;
  readonly rule: FailureRule;
}

export interface FailureRule {
  /** This many are free. After that each one makes the next wait. */
  readonly limit: number;
  readonly waitMs: number;
  readonly waitMsMax: number;
}

export interface FailureStore {
  /**
   * Counts an attempt as failed before it is made, so that a thousand at once cannot pass together. If a
   * scope is blocked, nothing is counted and the time to wait is returned; otherwise 0.
   */
  countAttempt(scopes: readonly FailureScope[], nowMs: number): Promise<number>;
  /** Takes the count back: it was no failure. */
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

/** The setup token of the first operator, for one use. */
export interface SetupToken {
  readonly text: string;
  readonly expiresAtMs: number;
}

export interface RegistrationStore {
  /** The setting by an operator; undefined if the configuration decides. */
  findRegistration(): Promise<'open' | 'closed' | undefined>;
  register(member: NewRegistration): Promise<RegistrationResult>;
  isSetupToken(tokenHash: string, nowMs: number): Promise<boolean>;
  /** `refused`: the token is unknown, used or expired, or there already is an operator. */
  setUp(
    tokenHash: string,
    member: NewRegistration,
    nowMs: number,
  ): Promise<RegistrationResult | { readonly kind: 'refused' }>;
}
