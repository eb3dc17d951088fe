import type { Details } from '../alerts/contract.ts';
import { type Lane, Semaphore } from '../kernel/async/semaphore.ts';
import { visitorAddress, visitorSite } from '../kernel/visitor.ts';
import { LOGIN_BUSY_MS, LOGINS_AT_ONCE, LOGINS_WAITING_MAX } from '../operations/bounds.ts';
import type {
  FailureScope,
  FoundLogin,
  LoggedIn,
  LoginAttempt,
  LoginRefusal,
  LoginStore,
  Logins,
  PasswordChange,
  Passwords,
} from './login-contract.ts';
import { hashPassword, PasswordsBusy, verifyPassword } from './password.ts';
import { type PreparedSession, type SessionParts, Sessions } from './session.ts';
import { clearedByLogin, loginScopes, passwordScopes, registrationScopes } from './throttle.ts';
import { hashSecret, newLoginId } from './token.ts';

export interface LoginParts extends SessionParts {
  readonly store: LoginStore;
  /** The configured value. A setting by an operator takes precedence. */
  readonly registration: 'open' | 'closed';
  /** The hash for unknown accounts, if stored passwords have another cost than new ones. */
  readonly nobody?: string | undefined;
  /** Set if this server sends mail. */
  readonly mails?: LoginMails | undefined;
}

/** What logins tell the owner of an account by mail. */
export interface LoginMails {
  showTime(timeMs: number): string;
  /** For a new account: asks to confirm its address. */
  welcome(accountId: number, entry: LoginAttempt): Promise<void>;
}

/** Where a login waits. */
interface Place {
  readonly lane: Lane;
  readonly owner: string;
}

type Wait = { readonly kind: 'wait'; readonly waitMs: number };
const BUSY: Wait = { kind: 'wait', waitMs: LOGIN_BUSY_MS };

export function createLogins(parts: LoginParts): Logins {
  return new PasswordLogins(parts);
}

class PasswordLogins extends Sessions implements Logins {
  readonly #parts: LoginParts;
  readonly #line = new Semaphore({ active: LOGINS_AT_ONCE, waiting: LOGINS_WAITING_MAX });

  constructor(parts: LoginParts) {
    super(parts);
    this.#parts = parts;
  }

  /** An unknown account takes the same path as a known one: the same statements and the same hash. */
  async login(entry: LoginAttempt): Promise<LoggedIn | LoginRefusal> {
    const { store, tokens } = this.#parts;
    const accountMark = tokens.computeMark(entry.email);
    const addressMark = tokens.computeMark(visitorAddress(entry.address));
    const found = await store.findLogin(entry.email, addressMark);
    const deviceId = this.#knownDevice(entry, accountMark);
    const addressKnown = found?.addressKnown ?? false;
    const scopes = loginScopes({ accountMark, addressMark, deviceId, addressKnown });
    const { nobody } = this.#parts;
    const verify = () => verifyPassword(entry.password, found?.passwordHash, nobody);
    // From a known address or browser, an account does not wait for strangers.
    const isKnown = deviceId !== undefined || addressKnown;
    const place = isKnown ? known(accountMark) : stranger(entry);
    const right = await this.#inLine(place, () => this.#attempt(scopes, verify));
    if (typeof right === 'object') return right;
    if (!right || found === undefined) return { kind: 'wrong' };
    await store.forgetFailures(clearedByLogin(scopes));
    if (found.status === 'disabled') return { kind: 'disabled' };
    const prepared = this.prepare(entry);
    const notice = isKnown ? undefined : this.#noticeOf(prepared);
    const session = { ...prepared.session, accountId: found.accountId, notice };
    if (!(await store.openSession(session, found.passwordHash))) return { kind: 'wrong' };
    return this.#entered(prepared, found.accountId, { accountMark, deviceId });
  }

  async register(entry: LoginAttempt): Promise<LoggedIn | LoginRefusal> {
    const { store, registration, tokens, clock } = this.#parts;
    if (((await store.findRegistration()) ?? registration) === 'closed') return { kind: 'closed' };
    const scopes = registrationScopes(tokens.computeMark(visitorAddress(entry.address)));
    const member = await this.#inLine(stranger(entry), async () => {
      const waitMs = await store.countAttempt(scopes, clock.now());
      return waitMs > 0 ? ({ kind: 'wait', waitMs } as const) : this.#member(entry);
    });
    if ('kind' in member) return member;
    const joined = await store.register(member);
    if (joined.kind === 'email-taken') return joined;
    await this.#welcome(joined.accountId, entry);
    return this.#entered(member, joined.accountId, { accountMark: tokens.computeMark(entry.email) });
  }

  /** The account is there, whatever becomes of the mail. It can be asked for again. */
  async #welcome(accountId: number, entry: LoginAttempt): Promise<void> {
    const { mails, log } = this.#parts;
    await mails?.welcome(accountId, entry).catch((error: unknown) => {
      log.warn({ err: error, accountId }, 'the mail to a new account could not be written');
    });
  }

  /** What a mail says of a login from a new place. */
  #noticeOf({ session }: PreparedSession): Details | undefined {
    const at = this.#parts.mails?.showTime(session.createdAtMs);
    if (at === undefined) return undefined;
    return { at, address: session.address, user_agent: session.userAgent };
  }

  /** 256 random bits cannot be guessed, so nothing is counted. A wrong token costs one statement. */
  async setUp(token: string, entry: LoginAttempt): Promise<LoggedIn | LoginRefusal> {
    const { store, tokens, clock } = this.#parts;
    const tokenHash = hashSecret(token);
    if (!(await store.isSetupToken(tokenHash, clock.now()))) return { kind: 'wrong' };
    const member = await this.#inLine(known('setup'), () => this.#member(entry));
    if ('kind' in member) return member;
    const joined = await store.setUp(tokenHash, member, clock.now());
    if (joined.kind === 'refused') return { kind: 'wrong' };
    if (joined.kind === 'email-taken') return joined;
    return this.#entered(member, joined.accountId, { accountMark: tokens.computeMark(entry.email) });
  }

  async changePassword(login: FoundLogin, passwords: Passwords): Promise<PasswordChange> {
    return this.#inLine(known(String(login.accountId)), () => this.#changePassword(login, passwords));
  }

  async #changePassword({ accountId, sessionId }: FoundLogin, passwords: Passwords): Promise<PasswordChange> {
    const { store, random, clock } = this.#parts;
    const oldHash = await store.findPassword(accountId);
    const scopes = passwordScopes(sessionId);
    const right = await this.#attempt(scopes, () => verifyPassword(passwords.old, oldHash));
    if (typeof right === 'object') return right;
    if (!right || oldHash === undefined) return { kind: 'wrong' };
    await store.forgetFailures(scopes.map(({ name }) => name));
    const newHash = await busyIfFull(() => hashPassword(passwords.new, random));
    if (typeof newHash === 'object') return newHash;
    const nowMs = clock.now();
    const at = this.#parts.mails?.showTime(nowMs);
    const notice = at === undefined ? undefined : { at, address: passwords.address ?? '' };
    const change = { accountId, oldHash, newHash, sessionId, nowMs, notice };
    const ended = await store.changePassword(change);
    return ended === undefined ? { kind: 'wrong' } : { kind: 'changed', ended };
  }

  /** Counted before it is made and taken back if it succeeds, so that many at once do not pass together. */
  async #attempt(scopes: readonly FailureScope[], verify: () => Promise<boolean>): Promise<boolean | Wait> {
    const { store, clock } = this.#parts;
    const waitMs = await store.countAttempt(scopes, clock.now());
    if (waitMs > 0) return { kind: 'wait', waitMs };
    const right = await busyIfFull(verify);
    if (right !== false) await store.uncountAttempt(scopes);
    return right;
  }

  /** Counting and hashing take a slot each, and slots are few: guessers must not use all connections. */
  async #inLine<T>({ owner, lane }: Place, work: () => Promise<T>): Promise<T | Wait> {
    const leave = await this.#line.enter(owner, lane);
    return leave === undefined ? BUSY : work().finally(leave);
  }

  async #member(entry: LoginAttempt) {
    const { random } = this.#parts;
    const passwordHash = await busyIfFull(() => hashPassword(entry.password, random));
    return typeof passwordHash === 'object'
      ? passwordHash
      : { ...this.prepare(entry), email: entry.email, passwordHash };
  }

  /** The cookie of a browser that logged in to this account before, not to another one. */
  #knownDevice({ device }: LoginAttempt, accountMark: string): string | undefined {
    const known = device === undefined ? undefined : this.#parts.tokens.readDevice(device);
    return known?.accountMark === accountMark ? known.id : undefined;
  }

  #entered(
    prepared: PreparedSession,
    accountId: number,
    { accountMark, deviceId }: { readonly accountMark: string; readonly deviceId?: string | undefined },
  ): LoggedIn {
    const { tokens, random } = this.#parts;
    const device = tokens.signDevice({ id: deviceId ?? newLoginId(random), accountMark });
    return this.enter(prepared, accountId, device);
  }
}

function known(owner: string): Place {
  return { lane: 'known', owner };
}

function stranger({ address }: LoginAttempt): Place {
  return { lane: 'strange', owner: visitorSite(address) };
}

async function busyIfFull<T>(work: () => Promise<T>): Promise<T | Wait> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PasswordsBusy) return BUSY;
    throw error;
  }
}
