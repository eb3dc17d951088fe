import { expect, it } from 'vitest';
import { checksum, sha256Hex } from './hash.ts';

it('the fingerprint is that of the standard', () => {
  expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

it('the checksum is that of the standard', () => {
  expect(checksum(Buffer.from('123456789'))).toBe(0xcbf43926);
});
