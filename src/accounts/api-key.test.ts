import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/support/property-runs.ts';
import { seededRandom, systemRandom } from '../kernel/random.ts';
import { hashApiKey, isWellFormed, keyPrefix, newApiKey } from './api-key.ts';

describe('API keys', () => {
  it('are well formed and all different', () => {
    const keys = Array.from({ length: 2_000 }, () => newApiKey(systemRandom));
    expect(keys.every(isWellFormed)).toBe(true);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys[0]).toHaveLength(42);
  });

  it('with one wrong character, or two neighbours swapped, are refused', () => {
    const digits = '0123456789abcdefghjkmnpqrstvwxyz';
    const place = fc.integer({ min: 3, max: 41 });
    fc.assert(
      fc.property(fc.integer(), place, fc.nat(31), (seed, index, digit) => {
        const key = newApiKey(seededRandom(seed));
        const changed = key.slice(0, index) + digits.charAt(digit) + key.slice(index + 1);
        expect(isWellFormed(changed)).toBe(changed === key);
        const swapped =
          key.slice(0, index - 1) + key.charAt(index) + key.charAt(index - 1) + key.slice(index + 1);
        if (index > 3) expect(isWellFormed(swapped)).toBe(swapped === key);
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('that are garbage are refused without a look-up', () => {
    fc.assert(fc.property(fc.string(), (text) => !isWellFormed(text)));
    const key = newApiKey(systemRandom);
    for (const text of ['', 'tg-', key.toUpperCase(), ` ${key}`, `${key}\n`, key.slice(1), `${key}0`]) {
      expect(isWellFormed(text)).toBe(false);
    }
  });

  it('are stored as their SHA-256', () => {
    const key = newApiKey(systemRandom);
    expect(hashApiKey(key)).toBe(createHash('sha256').update(key).digest('hex'));
  });

  it('show a prefix that leaves 130 bits unknown', () => {
    const key = newApiKey(systemRandom);
    expect(key.startsWith(keyPrefix(key))).toBe(true);
    expect(keyPrefix(key)).toHaveLength(9);
  });

  it('use all 160 random bits', () => {
    const high = newApiKey({ unit: () => 0, bytes: (count) => Buffer.alloc(count, 255) });
    expect(high.slice(3, 35)).toBe('z'.repeat(32));
  });
});
