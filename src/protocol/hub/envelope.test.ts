import { describe, expect, test } from 'vitest';
import {
  isEnvelopeAt,
  unwrapSignatures,
  unwrapSignaturesBase64,
  wrapSignatures,
  wrapSignaturesBase64,
} from './envelope.ts';
import { mayReturn, type Signature } from './signature.ts';

const SIGNATURES: readonly Signature[] = [
  { issuer: 'm-1f', form: 'signature', place: 'reasoning', value: 'EqQB+/=', text: 'so – 考え' },
  { issuer: 'r-2e', form: 'encrypted', place: 'reasoning', value: 'gAAA', itemId: 'rs_1' },
];

describe('an envelope', () => {
  test('returns its content, in both spellings', () => {
    expect(unwrapSignatures(wrapSignatures(SIGNATURES))).toEqual(SIGNATURES);
    expect(unwrapSignaturesBase64(wrapSignaturesBase64(SIGNATURES))).toEqual(SIGNATURES);
    expect(wrapSignatures(SIGNATURES)).toMatch(/^tollgate\.blobs\.1\.[A-Za-z0-9_-]+$/);
  });

  test('is recognised by its prefix, in both spellings', () => {
    const at = (value: string): boolean => isEnvelopeAt(Buffer.from(`"${value}"`), 1);
    expect(at(wrapSignatures(SIGNATURES))).toBe(true);
    expect(at(wrapSignaturesBase64(SIGNATURES))).toBe(true);
    expect(at('tollgate')).toBe(false);
    expect(at('dG9sbGdhdGU=')).toBe(false);
    expect(at('EqQBCkYI')).toBe(false);
  });

  test('that is damaged or foreign is not an envelope', () => {
    expect(unwrapSignatures('EqQBCkYI')).toBeUndefined();
    expect(unwrapSignatures('tollgate.blobs.1.!!!')).toBeUndefined();
    expect(unwrapSignatures(wrapSignatures(SIGNATURES).slice(0, -9))).toBeUndefined();
    expect(
      unwrapSignatures(`tollgate.blobs.1.${Buffer.from('[["a","b","c","d"]]').toString('base64url')}`),
    ).toBeUndefined();
    expect(unwrapSignaturesBase64('%%%')).toBeUndefined();
  });
});

describe('a signature', () => {
  const [signature] = SIGNATURES as [Signature];

  test('returns to its issuer only', () => {
    expect(mayReturn(signature, { protocol: 'messages', issuer: 'm-1f' })).toBe(true);
    expect(mayReturn(signature, { protocol: 'messages', issuer: 'm-20' })).toBe(false);
  });

  test('that the client got elsewhere fits any vendor of its protocol', () => {
    const native: Signature = { ...signature, issuer: 'messages' };
    expect(mayReturn(native, { protocol: 'messages', issuer: 'm-20' })).toBe(true);
    expect(mayReturn(native, { protocol: 'gemini', issuer: 'g-20' })).toBe(false);
  });
});
