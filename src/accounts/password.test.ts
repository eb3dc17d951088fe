import { scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { PASSWORD_HASHES_AT_ONCE, PASSWORD_HASHES_WAITING_MAX } from '../bounds.ts';
import { systemRandom } from '../kernel/random.ts';
import { hashPassword, PasswordsBusy, verifyPassword } from './password.ts';

/** Cheap stored texts (N = 2^10), so that the suite is fast; the cost stands in the text. */
function cheap(password: string): string {
  const salt = Buffer.alloc(16, 7);
  const derived = scryptSync(password, salt, 32, { N: 1024, r: 8, p: 1 });
  return `scrypt$10$${salt.toString('base64url')}$${derived.toString('base64url')}`;
}

describe('passwords', () => {
  it('are hashed with scrypt N = 2^17 and a salt of their own, and verified', async () => {
    const stored = await hashPassword('correct horse', systemRandom);
    expect(stored).toMatch(/^scrypt\$17\$/);
    expect(stored).not.toContain('horse');
    expect(await verifyPassword('correct horse', stored)).toBe(true);
    expect(await verifyPassword('correct horsf', stored)).toBe(false);
    const [, , salt] = stored.split('$');
    expect(Buffer.from(salt ?? '', 'base64url')).toHaveLength(16);
  });

  it('are the same in every Unicode composition', async () => {
    expect(await verifyPassword('e\u0301', cheap('\u00e9'))).toBe(true);
  });

  it('of unknown accounts never match and cost the same work', async () => {
    const started = performance.now();
    expect(await verifyPassword('anything', undefined)).toBe(false);
    const unknownMs = performance.now() - started;
    // 2^17 against 2^10: an answer without the work would be as fast as the cheap one.
    let cheapMs = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 5; round++) {
      const again = performance.now();
      await verifyPassword('anything', cheap('anything'));
      cheapMs = Math.min(cheapMs, performance.now() - again);
    }
    expect(unknownMs).toBeGreaterThan(3 * cheapMs);
  });

  it('with an unknown format in the store are a broken invariant', async () => {
    await expect(verifyPassword('x', 'plain')).rejects.toThrow(/our shape/);
  });

  it('are hashed a few at a time; a bounded number waits, and the others are refused', async () => {
    const stored = cheap('x');
    const fitting = PASSWORD_HASHES_AT_ONCE + PASSWORD_HASHES_WAITING_MAX;
    const results = await Promise.allSettled(
      Array.from({ length: fitting + 5 }, () => verifyPassword('x', stored)),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(5);
    expect(refused.every((result) => result.reason instanceof PasswordsBusy)).toBe(true);
    expect(results.filter((result) => result.status === 'fulfilled' && result.value)).toHaveLength(fitting);
    expect(await verifyPassword('x', stored)).toBe(true);
  });
});
