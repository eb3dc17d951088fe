import { createHmac, hash } from 'node:crypto';
import { chmodSync, chownSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../kernel/random.ts';

/**
 * The password of the embedded server. Its socket is closed to other users, and the password keeps out what
 * runs as the same user but cannot read the data directory. Only the owner of the directory reads the file.
 */
const PASSWORD_BYTES = 48;
const PASSWORD = /^[\w-]{64}$/;
const SALT_BYTES = 16;
/** Repetition slows guesses down. 48 random bytes cannot be guessed, and each connection would pay for it. */
const ROUNDS = 1;

export function passwordPath(dataDirectory: string): string {
  return join(dataDirectory, 'postgres-password');
}

export function findPassword(dataDirectory: string): string | undefined {
  const path = passwordPath(dataDirectory);
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined) return undefined;
  // A copy of the data directory may have other modes.
  if ((status.mode & 0o077) !== 0) chmodSync(path, 0o600);
  const text = readFileSync(path, 'utf8').trim();
  return PASSWORD.test(text) ? text : undefined;
}

/** Whole or not at all. The caller holds the lock of the embedded server. */
export function makePassword(dataDirectory: string, random: Random): string {
  const path = passwordPath(dataDirectory);
  const password = random.bytes(PASSWORD_BYTES).toString('base64url');
  const unfinished = `${path}.new`;
  writeFileSync(unfinished, `${password}\n`, { mode: 0o600, flush: true });
  chmodSync(unfinished, 0o600);
  // Root may run beside the owner of the directory, and the owner must read it later.
  const { uid, gid } = statSync(dataDirectory);
  if (process.getuid?.() === 0) chownSync(unfinished, uid, gid);
  renameSync(unfinished, path);
  return password;
}

/** What the cluster remembers, so that a start knows whether the server asks for this password. */
export function fingerprintOf(password: string): string {
  return hash('sha256', `embedded database ${password}`);
}

/** The form in which PostgreSQL keeps a password (RFC 5803). It does not contain the password. */
export function verifierOf(password: string, random: Random): string {
  const salt = random.bytes(SALT_BYTES);
  // PBKDF2 of one round.
  const salted = createHmac('sha256', password)
    .update(salt)
    .update(Buffer.of(0, 0, 0, 1))
    .digest();
  const keyed = (name: string): Buffer => createHmac('sha256', salted).update(name).digest();
  const storedKey = hash('sha256', keyed('Client Key'), 'base64');
  const serverKey = keyed('Server Key').toString('base64');
  return `SCRAM-SHA-256$${ROUNDS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
