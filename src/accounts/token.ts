import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '../kernel/encoding/seal.ts';
import type { Random } from '../kernel/random.ts';

/**
 * The texts of a login. Each kind has its own mark and its own key, derived from TOLLGATE_SECRET, so that
 * none is taken for another, nor for an API key (`tg-`), and garbage is refused without reading the store. A
 * signature only proves where a text comes from. The store knows what it gives access to.
 */
export interface Tokens {
  signAccess(claims: AccessClaims): string;
  /** Undefined if the text is foreign, was changed, or has expired. */
  readAccess(text: string, nowMs: number): AccessClaims | undefined;
  /** 256 random bits for one session; only `hashSecret` of it is stored. */
  newSecret(kind: SecretKind, sessionId: string, random: Random): string;
  /** The session of the text. The store knows whether it is still the current one. */
  readSecret(kind: SecretKind, text: string): string | undefined;
  /** Bound to the session, so that a value planted by a stranger is worthless. */
  toCsrfValue(sessionId: string): string;
  isCsrf(sessionId: string, given: string | undefined): boolean;
  signDevice(device: Device): string;
  readDevice(text: string): Device | undefined;
  /** Identifies an address or an e-mail address in tables of failures without revealing it. */
  computeMark(text: string): string;
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
  /** `computeMark` of the account's address. */
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
/** Longer than any valid text; nothing longer is read. */
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
  const toCsrfValue = (sessionId: string): string => computeMac(csrfKey, sessionId);
  return {
    signAccess: ({ sessionId, accountId, expiresAtMs }) =>
      access.sign(`tga1.${sessionId}.${accountId}.${Math.floor(expiresAtMs / 1000)}`),
    readAccess: (text, nowMs) => {
      const claims = findClaims(access.read(text, ACCESS));
      return claims !== undefined && claims.expiresAtMs > nowMs ? claims : undefined;
    },
    newSecret: (kind, sessionId, random) =>
      secrets[kind].sign(`${SECRETS[kind].mark}.${sessionId}.${encode(random.bytes(SECRET_BYTES))}`),
    readSecret: (kind, text) => secrets[kind].read(text, SECRETS[kind].shape)?.[1],
    toCsrfValue,
    isCsrf: (sessionId, given) => given !== undefined && isSame(toCsrfValue(sessionId), given),
    signDevice: ({ id, accountMark }) => device.sign(`tgd1.${id}.${accountMark}`),
    readDevice: (text) => {
      const [, id, accountMark] = device.read(text, DEVICE) ?? [];
      return id === undefined || accountMark === undefined ? undefined : { id, accountMark };
    },
    computeMark: (text) => computeMac(markKey, text).slice(0, 22),
  };
}

export function newLoginId(random: Random): string {
  return encode(random.bytes(ID_BYTES));
}

/** The token of a link in a mail: 256 random bits, and only its hash is stored. */
export function newMailToken(random: Random): string {
  return `tgm1.${encode(random.bytes(SECRET_BYTES))}`;
}

/** The stored hash of a refresh token, a cookie or a setup token: 256 random bits need no slow hash. */
export function hashSecret(text: string): string {
  return hash('sha256', text, 'hex');
}

/**
 * The setup token: whoever reads the server's terminal may become the first operator, once. It is derived
 * from the secret and its expiry, so that every start and every node prints the same one, although only its
 * hash is stored.
 */
export function makeSetupToken(secret: string, expiresAtMs: number): string {
  return `tgo1.${computeMac(deriveKey(secret, 'setup token'), String(expiresAtMs))}`;
}

/** Compares in constant time. */
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
    sign: (text) => `${text}.${computeMac(key, text)}`,
    read: (text, shape) => {
      const match = text.length <= LENGTH_MAX ? shape.exec(text) : null;
      if (match === null) return undefined;
      const signed = text.slice(0, -MAC_LENGTH - 1);
      return isSame(computeMac(key, signed), text.slice(-MAC_LENGTH)) ? match : undefined;
    },
  };
}

function findClaims(match: RegExpExecArray | undefined): AccessClaims | undefined {
  const [, sessionId, accountId, seconds] = match ?? [];
  if (sessionId === undefined) return undefined;
  return { sessionId, accountId: Number(accountId), expiresAtMs: Number(seconds) * 1000 };
}

function computeMac(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64url');
}
