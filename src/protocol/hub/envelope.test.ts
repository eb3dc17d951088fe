import { describe, expect, test } from 'vitest';
import { type Blob, mayReturn } from './blob.ts';
import { isEnvelopeAt, unwrapBlobs, unwrapBlobsBase64, wrapBlobs, wrapBlobsBase64 } from './envelope.ts';

const BLOBS: readonly Blob[] = [
  { issuer: 'm-1f', form: 'signature', place: 'reasoning', value: 'EqQB+/=', text: 'so – 考え' },
  { issuer: 'r-2e', form: 'encrypted', place: 'reasoning', value: 'gAAA', itemId: 'rs_1' },
];

describe('an envelope', () => {
  test('returns its content, in both spellings', () => {
    expect(unwrapBlobs(wrapBlobs(BLOBS))).toEqual(BLOBS);
    expect(unwrapBlobsBase64(wrapBlobsBase64(BLOBS))).toEqual(BLOBS);
    expect(wrapBlobs(BLOBS)).toMatch(/^tollgate\.blobs\.1\.[A-Za-z0-9_-]+$/);
  });

  test('is recognised by its prefix, in both spellings', () => {
    const at = (value: string): boolean => isEnvelopeAt(Buffer.from(`"${value}"`), 1);
    expect(at(wrapBlobs(BLOBS))).toBe(true);
    expect(at(wrapBlobsBase64(BLOBS))).toBe(true);
    expect(at('tollgate')).toBe(false);
    expect(at('dG9sbGdhdGU=')).toBe(false);
    expect(at('EqQBCkYI')).toBe(false);
  });

  test('that is damaged or foreign is not an envelope', () => {
    expect(unwrapBlobs('EqQBCkYI')).toBeUndefined();
    expect(unwrapBlobs('tollgate.blobs.1.!!!')).toBeUndefined();
    expect(unwrapBlobs(wrapBlobs(BLOBS).slice(0, -9))).toBeUndefined();
    expect(
      unwrapBlobs(`tollgate.blobs.1.${Buffer.from('[["a","b","c","d"]]').toString('base64url')}`),
    ).toBeUndefined();
    expect(unwrapBlobsBase64('%%%')).toBeUndefined();
  });
});

describe('a signature', () => {
  const [blob] = BLOBS as [Blob];

  test('returns to its issuer only', () => {
    expect(mayReturn(blob, { protocol: 'messages', issuer: 'm-1f' })).toBe(true);
    expect(mayReturn(blob, { protocol: 'messages', issuer: 'm-20' })).toBe(false);
  });

  test('that the client got elsewhere fits any vendor of its protocol', () => {
    const native: Blob = { ...blob, issuer: 'messages' };
    expect(mayReturn(native, { protocol: 'messages', issuer: 'm-20' })).toBe(true);
    expect(mayReturn(native, { protocol: 'gemini', issuer: 'g-20' })).toBe(false);
  });
});
