import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemRandom } from '../random.ts';
import {
  deriveKey,
  newCheckValue,
  newSealer,
  opensCheckValue,
  rowContext,
  type Sealer,
  secretWeakness,
} from './seal.ts';

const OLD = 'an old secret of more than thirty-two bytes';
const NEW = 'a new secret of more than thirty-two bytes!';
const sealerOf = (...secrets: string[]): Sealer => newSealer(secrets, systemRandom);

describe('sealed secrets', () => {
  const sealer = sealerOf(NEW);

  it('open in the row they were sealed for', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (plaintext, id) => {
        const context = rowContext('credentials', id, undefined);
        expect(sealer.unseal(sealer.seal(plaintext, context), context)).toBe(plaintext);
      }),
    );
  });

  it('do not open in another row, for another owner or in another table', () => {
    const sealed = sealer.seal('sk-secret', rowContext('credentials', 7, 3));
    expect(sealer.unseal(sealed, rowContext('credentials', 7, 3))).toBe('sk-secret');
    for (const context of [
      rowContext('credentials', 8, 3),
      rowContext('credentials', 7, 4),
      rowContext('credentials', 7, undefined),
      rowContext('accounts', 7, 3),
    ]) {
      expect(sealer.unseal(sealed, context)).toBeUndefined();
    }
  });

  it('do not open when one character was changed', () => {
    const sealed = sealer.seal('sk-secret', 'row');
    for (let index = 0; index < sealed.length; index++) {
      const other = sealed.charAt(index) === 'B' ? 'C' : 'B';
      const changed = sealed.slice(0, index) + other + sealed.slice(index + 1);
      // The last digit of base64url carries padding bits that decode to the same bytes.
      if (index === sealed.length - 1) continue;
      expect(sealer.unseal(changed, 'row')).toBeUndefined();
    }
    for (const garbage of [
      '',
      's1',
      's1..',
      's1.00000000.',
      `${sealed.slice(0, 12)}${'A'.repeat(38)}`,
      sealed.slice(0, 60),
    ]) {
      expect(sealer.unseal(garbage, 'row')).toBeUndefined();
    }
  });

  it('never look the same twice and never contain the text', () => {
    const one = sealer.seal('sk-secret', 'row');
    expect(one).not.toBe(sealer.seal('sk-secret', 'row'));
    expect(one).not.toContain('secret');
  });

  it('open with an older secret after a rotation and are sealed with the first', () => {
    const sealed = sealerOf(OLD).seal('sk-secret', 'row');
    const rotated = sealerOf(NEW, OLD);
    expect(rotated.unseal(sealed, 'row')).toBe('sk-secret');
    expect(rotated.isCurrent(sealed)).toBe(false);
    expect(sealerOf(NEW).isCurrent(rotated.seal('sk-secret', 'row'))).toBe(true);
    expect(sealerOf(NEW).unseal(sealed, 'row')).toBeUndefined();
  });
});

describe('the master secret', () => {
  it('is recognised as wrong for existing data', () => {
    const check = newCheckValue(sealerOf(OLD));
    expect(opensCheckValue(sealerOf(OLD), check)).toBe(true);
    expect(opensCheckValue(sealerOf(NEW, OLD), check)).toBe(true);
    expect(opensCheckValue(sealerOf(NEW), check)).toBe(false);
    expect(opensCheckValue(sealerOf(OLD), 'nonsense')).toBe(false);
  });

  it('is refused when it is empty, short or a default', () => {
    for (const weak of ['', ' ', 'changeme', '12345678', 'x'.repeat(31)]) {
      expect(secretWeakness(weak)).toBeTypeOf('string');
    }
    expect(secretWeakness(OLD)).toBeUndefined();
    expect(() => sealerOf('changeme')).toThrow(/weak/);
    expect(() => sealerOf()).toThrow(/at least one/);
  });

  it('gives every purpose a key of its own', () => {
    expect(deriveKey(OLD, 'seal').equals(deriveKey(OLD, 'tokens'))).toBe(false);
    expect(deriveKey(OLD, 'seal').equals(deriveKey(OLD, 'seal'))).toBe(true);
    expect(deriveKey(OLD, 'seal')).toHaveLength(32);
  });
});

describe('sealed bytes', () => {
  const sealer = sealerOf(NEW);
  const plain = Buffer.from([0, 255, 128, 10]);

  it('open only in the place they were sealed for', () => {
    const sealed = sealer.sealBytes(plain, 'conversations:7:resp_1');
    expect(sealer.unsealBytes(sealed, 'conversations:7:resp_1')).toEqual(plain);
    expect(sealer.unsealBytes(sealed, 'conversations:8:resp_1')).toBeUndefined();
    expect(sealed.includes(plain)).toBe(false);
  });

  it('do not open when any byte was changed, or under an unknown secret', () => {
    const sealed = sealer.sealBytes(plain, 'row');
    for (let index = 0; index < sealed.length; index++) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(sealer.unsealBytes(changed, 'row')).toBeUndefined();
      expect(sealer.unsealBytes(sealed.subarray(0, index), 'row')).toBeUndefined();
    }
    expect(sealerOf(OLD).unsealBytes(sealed, 'row')).toBeUndefined();
    expect(sealerOf(OLD, NEW).unsealBytes(sealed, 'row')).toEqual(plain);
  });
});
