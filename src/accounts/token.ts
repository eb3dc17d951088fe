import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '../kernel/encoding/seal.ts';
import type { Random } from '../kernel/random.ts';

/**
 * The texts of a login. Each kind begins with a mark of its own and is signed with a key of its own, derived
 * from TOLLGATE_SECRET, so that none is taken for another, nor for an API key (`tg-`), and garbage is refused
 * without asking the store. A signature only proves that we made a text: what it opens, the store knows.
 */
export interface Tokens {
  signAccess(claims: AccessClaims): string;
  /** Nothing when the text is not ours, was changed, or has expired. */
  readAccess(text: string, nowMs: number): AccessClaims | undefined;
  /** 256 random bits for one session; only `hashSecret` of it is stored. */
  newSecret(kind: SecretKind, sessionId: string, random: Random): string;
  /** The session that the text was made for; whether it is still the one in use, the store knows. */
  readSecret(kind: SecretKind, text: string): string | undefined;
  /** Bound to the session, so that one planted by a stranger is worth nothing. */
  csrfOf(sessionId: string): string;
  isCsrf(sessionId: string, given: string | undefined): boolean;
  signDevice(device: Device): string;
  readDevice(text: string): Device | undefined;
  /** Names an address or a mailbox in tables of failures, without telling which it is. */
  markOf(text: string): string;
}

export interface AccessClaims {
  readonly sessionId: string;
  readonly accountId: number;
  readonly expiresAtMs: number;
}

export type SecretKind = 'refresh' | 'cookie';

/** A browser that logged in to an account before. */
export interface Device {
  readonly id: string;
  /** `markOf` the account's address. */
  readonly accountMark: string;
}

const SECRET_BYTES = 32;
const ID_BYTES = 16;
const ACCESS = /^tga1\.([A-Za-z0-9_-]{22})\.(\d{1,16})\.(\d{1,11})\.[A-Za-z0-9_-]{43}$/;
const SECRETS: Readonly<Record<SecretKind, { readonly mark: string; readonly shape: RegExp }>> = {
  refresh: { mark: 'tgr1', shape: /^tgr1\.([A-Za-z0-9_-]{22})\.[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{43}$/ },
  cookie: { mark: 'tgs1', shape: /^tgs1\.([A-Za-z0-9_-]{22})\.[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{43}$/ },
};
const DEVICE = /^tgd1\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{22})\.[A-Za-z0-9_-]{43}$/;
/** Longer than any text of ours; nothing longer is looked at. */
const LENGTH_MAX = 160;
const MAC_LENGTH = 43;

export function newTokens(secret: string): Tokens {
  const access = signer(deriveKey(secret, 'access token'));
  const secrets = {
    refresh: signer(deriveKey(secret, 'refresh token')),
    cookie: signer(deriveKey(secret, 'cookie session')),
  };
  const device = signer(deriveKey(secret, 'device cookie'));
  const csrfKey = deriveKey(secret, 'csrf value');
  const markKey = deriveKey(secret, 'login mark');
  const csrfOf = (sessionId: string): string => macOf(csrfKey, sessionId);
  return {
    signAccess: ({ sessionId, accountId, expiresAtMs }) =>
      access.sign(`tga1.${sessionId}.${accountId}.${Math.floor(expiresAtMs / 1000)}`),
    readAccess: (text, nowMs) => {
      const claims = claimsOf(access.read(text, ACCESS));
      return claims !== undefined && claims.expiresAtMs > nowMs ? claims : undefined;
    },
    newSecret: (kind, sessionId, random) =>
      secrets[kind].sign(`${SECRETS[kind].mark}.${sessionId}.${encode(random.bytes(SECRET_BYTES))}`),
    readSecret: (kind, text) => secrets[kind].read(text, SECRETS[kind].shape)?.[1],
    csrfOf,
    isCsrf: (sessionId, given) => given !== undefined && isSame(csrfOf(sessionId), given),
    signDevice: ({ id, accountMark }) => device.sign(`tgd1.${id}.${accountMark}`),
    readDevice: (text) => {
      const [, id, accountMark] = device.read(text, DEVICE) ?? [];
      return id === undefined || accountMark === undefined ? undefined : { id, accountMark };
    },
    markOf: (text) => macOf(markKey, text).slice(0, 22),
  };
}

export function newLoginId(random: Random): string {
  return encode(random.bytes(ID_BYTES));
}

/** What is stored of a refresh token, a cookie or a setup token: 256 random bits need no slow hash. */
export function hashSecret(text: string): string {
  return hash('sha256', text, 'hex');
}

/**
 * The first operator's: whoever reads the server's terminal may become one, once. It follows from the secret
 * and from when it expires, so that every start and every node says the same one, although only its hash is
 * stored.
 */
export function makeSetupToken(secret: string, expiresAtMs: number): string {
  return `tgo1.${macOf(deriveKey(secret, 'setup token'), String(expiresAtMs))}`;
}

/** In the same time wherever they differ. */
export function isSame(expected: string, given: string): boolean {
  const wanted = Buffer.from(expected);
  const got = Buffer.from(given);
  return wanted.length === got.length && timingSafeEqual(wanted, got);
}

interface Signer {
  sign(text: string): string;
  read(text: string, shape: RegExp): RegExpExecArray | undefined;
}

function signer(key: Buffer): Signer {
  return {
    sign: (text) => `${text}.${macOf(key, text)}`,
    read: (text, shape) => {
      const match = text.length <= LENGTH_MAX ? shape.exec(text) : null;
      if (match === null) return undefined;
      const signed = text.slice(0, -MAC_LENGTH - 1);
      return isSame(macOf(key, signed), text.slice(-MAC_LENGTH)) ? match : undefined;
    },
  };
}

function claimsOf(match: RegExpExecArray | undefined): AccessClaims | undefined {
  const [, sessionId, accountId, seconds] = match ?? [];
  if (sessionId === undefined) return undefined;
  return { sessionId, accountId: Number(accountId), expiresAtMs: Number(seconds) * 1000 };
}

function macOf(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64url');
}
