import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { PASSWORD_HASHES_AT_ONCE, PASSWORD_HASHES_WAITING_MAX } from '../bounds.ts';
import { assert } from '../kernel/assert.ts';
import { Semaphore } from '../kernel/async/semaphore.ts';
import type { Random } from '../kernel/random.ts';

/**
 * Passwords are stored as scrypt with N = 2^17, r = 8, p = 1: 128 MiB and some tenths of a second per guess
 * (rule A-9). The parameters are in the text, so that they can be raised without losing old ones.
 */
const COST_LOG2 = 17;
const BLOCK_SIZE = 8;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const STORED = /^scrypt\$(1[0-9]|20)\$([A-Za-z0-9_-]{22})\$([A-Za-z0-9_-]{43})$/;
/** A hash without a password, for unknown accounts, so that they answer in the same time. */
const NOBODY = `scrypt$${COST_LOG2}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Too many passwords are being hashed. The caller answers "too many requests". */
export class PasswordsBusy extends Error {
  override readonly name = 'PasswordsBusy';
}

export async function hashPassword(password: string, random: Random): Promise<string> {
  const salt = random.bytes(SALT_BYTES);
  const derived = await derive(password, salt, COST_LOG2);
  return `scrypt$${COST_LOG2}$${salt.toString('base64url')}$${derived.toString('base64url')}`;
}

/**
 * `stored` is undefined for an unknown account: the same work is done on `nobody`, and the result is false.
 */
export async function verifyPassword(
  password: string,
  stored: string | undefined,
  nobody: string = NOBODY,
): Promise<boolean> {
  const match = STORED.exec(stored ?? nobody);
  assert(match !== null, 'a stored password has our shape');
  const [, costLog2, salt = '', expected = ''] = match;
  const derived = await derive(password, Buffer.from(salt, 'base64url'), Number(costLog2));
  const equal = timingSafeEqual(derived, Buffer.from(expected, 'base64url'));
  return equal && stored !== undefined;
}

/** Each takes 128 MiB and a thread of the pool, so few run at once and few wait. */
const hashing = new Semaphore({ active: PASSWORD_HASHES_AT_ONCE, waiting: PASSWORD_HASHES_WAITING_MAX });

async function derive(password: string, salt: Buffer, costLog2: number): Promise<Buffer> {
  const cost = 2 ** costLog2;
  const options = { N: cost, r: BLOCK_SIZE, p: 1, maxmem: 256 * BLOCK_SIZE * cost };
  const leave = await hashing.enter();
  if (leave === undefined) throw new PasswordsBusy('too many passwords to hash');
  return deriveBytes(password, salt, options).finally(leave);
}

function deriveBytes(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, derived) =>
      error === null ? resolve(derived) : reject(error),
    );
  });
}
