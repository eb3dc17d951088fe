import type { Logger } from '../kernel/log.ts';
import type { Random } from '../kernel/random.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { visitorAddress } from '../kernel/visitor.ts';
import {
  ACCESS_TOKEN_MS,
  COOKIE_SESSION_MS,
  REFRESH_TOKEN_MS,
  SESSION_USE_MS,
  USER_AGENT_LENGTH_MAX,
} from '../operations/bounds.ts';
import type {
  FoundLogin,
  LoggedIn,
  LoginOrigin,
  NewSession,
  SessionAuthenticator,
  SessionKind,
  SessionStore,
  SessionView,
  StoredSession,
} from './login-contract.ts';
import { hashSecret, isSame, newLoginId, type Tokens } from './token.ts';

export interface SessionParts {
  readonly store: SessionStore;
  readonly tokens: Tokens;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** A session to store, with the text that only its client gets. */
export interface PreparedSession {
  readonly session: Omit<NewSession, 'accountId'>;
  readonly secret: string;
}

const LIFE_MS: Readonly<Record<SessionKind, number>> = { token: REFRESH_TOKEN_MS, cookie: COOKIE_SESSION_MS };
const SECRET_KIND = { token: 'refresh', cookie: 'cookie' } as const;

/** Sessions are in the store. This module knows the meaning of their texts. */
export class Sessions implements SessionAuthenticator {
  readonly #parts: SessionParts;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  async byAccessToken(text: string): Promise<FoundLogin | undefined> {
    const { tokens, clock, store } = this.#parts;
    const claims = tokens.readAccess(text, clock.now());
    if (claims === undefined) return undefined;
    const { sessionId } = claims;
    const found = await store.findSession(sessionId, clock.now());
    if (found === undefined || !found.live || found.kind !== 'token') return undefined;
    if (found.accountId !== claims.accountId) return undefined;
    await this.#touch(sessionId, found);
    return { sessionId, accountId: found.accountId, role: found.role };
  }

  async byCookie(text: string): Promise<FoundLogin | undefined> {
    const { tokens, clock, store } = this.#parts;
    const sessionId = tokens.readSecret('cookie', text);
    if (sessionId === undefined) return undefined;
    const found = await store.findSession(sessionId, clock.now());
    if (found === undefined || !found.live || found.kind !== 'cookie') return undefined;
    if (!isSame(found.secretHash, hashSecret(text))) return undefined;
    await this.#touch(sessionId, found);
    return { sessionId, accountId: found.accountId, role: found.role };
  }

  /** The owner sees when it was last used: to the minute, so that few requests write. */
  async #touch(sessionId: string, { usedAtMs }: StoredSession): Promise<void> {
    const { store, clock } = this.#parts;
    const nowMs = clock.now();
    if (nowMs - usedAtMs >= SESSION_USE_MS) await store.touchSession(sessionId, nowMs);
  }

  isCsrf(sessionId: string, given: string | undefined): boolean {
    return this.#parts.tokens.isCsrf(sessionId, given);
  }

  prepare({ address, userAgent, way }: LoginOrigin): PreparedSession {
    const { tokens, clock, random } = this.#parts;
    const id = newLoginId(random);
    const secret = tokens.newSecret(SECRET_KIND[way], id, random);
    const createdAtMs = clock.now();
    const visitor = visitorAddress(address);
    const session = {
      id,
      kind: way,
      secretHash: hashSecret(secret),
      createdAtMs,
      expiresAtMs: createdAtMs + LIFE_MS[way],
      address: visitor,
      addressMark: tokens.computeMark(visitor),
      userAgent: printable(userAgent),
    };
    return { session, secret };
  }

  /** The answer for the client of a stored session. `device` is for browsers. */
  enter({ session, secret }: PreparedSession, accountId: number, device: string): LoggedIn {
    if (session.kind === 'token') return this.#toTokens(session.id, accountId, secret);
    const csrf = this.#parts.tokens.toCsrfValue(session.id);
    return { kind: 'cookie', session: secret, csrf, device, expiresInSeconds: COOKIE_SESSION_MS / 1000 };
  }

  /**
   * Every refresh token works once. If it comes again, it was copied, and the thief cannot be told from the
   * owner: so the session ends for both. This also holds for two at the same moment: an answer that repeats
   * the new pair for some seconds would give it to the thief.
   */
  async refresh(text: string): Promise<LoggedIn | { readonly kind: 'wrong' }> {
    const { tokens, clock, store, random, log } = this.#parts;
    const sessionId = tokens.readSecret('refresh', text);
    if (sessionId === undefined) return { kind: 'wrong' };
    const secret = tokens.newSecret('refresh', sessionId, random);
    const nowMs = clock.now();
    const rotated = await store.rotateSecret({
      sessionId,
      oldHash: hashSecret(text),
      newHash: hashSecret(secret),
      nowMs,
      expiresAtMs: nowMs + REFRESH_TOKEN_MS,
    });
    if (rotated.kind === 'rotated') return this.#toTokens(sessionId, rotated.accountId, secret);
    if (rotated.kind === 'reused') {
      log.warn({ accountId: rotated.accountId }, 'a refresh token was used twice; its session has ended');
    }
    return { kind: 'wrong' };
  }

  logout({ accountId, sessionId }: FoundLogin, which: 'this' | 'all'): Promise<number> {
    const { store, clock } = this.#parts;
    return which === 'all'
      ? store.endAllSessions(accountId, clock.now())
      : store.endSession(accountId, sessionId, clock.now());
  }

  sessions({ accountId }: FoundLogin): Promise<readonly SessionView[]> {
    const { store, clock } = this.#parts;
    return store.listSessions(accountId, clock.now());
  }

  endSession({ accountId }: FoundLogin, sessionId: string): Promise<number> {
    const { store, clock } = this.#parts;
    return store.endSession(accountId, sessionId, clock.now());
  }

  endOtherSessions({ accountId, sessionId }: FoundLogin): Promise<number> {
    const { store, clock } = this.#parts;
    return store.endOtherSessions(accountId, sessionId, clock.now());
  }

  #toTokens(sessionId: string, accountId: number, refreshToken: string): LoggedIn {
    const { tokens, clock } = this.#parts;
    const expiresAtMs = clock.now() + ACCESS_TOKEN_MS;
    const accessToken = tokens.signAccess({ sessionId, accountId, expiresAtMs });
    return { kind: 'token', accessToken, refreshToken, expiresInSeconds: ACCESS_TOKEN_MS / 1000 };
  }
}

/** Clients choose their user agent freely. The owner sees one short line of it. */
function printable(userAgent: string): string {
  return userAgent.replace(/[^\x20-\x7e]/g, '?').slice(0, USER_AGENT_LENGTH_MAX);
}
