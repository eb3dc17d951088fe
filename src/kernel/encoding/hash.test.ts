import { expect, it } from 'vitest';
import { checksum, sha256Hex } from './hash.ts';

it('gives the fingerprint that the standard gives', () => {
  expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

it('gives the checksum that the standard gives', () => {
  expect(checksum(Buffer.from('123456789'))).toBe(0xcbf43926);
});
