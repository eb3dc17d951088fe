import { expect, test } from 'vitest';
import { sniffMedia } from './sniff.ts';

const box = (brand: string): Buffer => Buffer.from(`\0\0\0\x18ftyp${brand}\0\0\0\0`, 'latin1');

test.each([
  ['image/png', Buffer.from('89504e470d0a1a0a0000', 'hex')],
  ['image/jpeg', Buffer.from('ffd8ffe0', 'hex')],
  ['image/gif', Buffer.from('GIF89a')],
  ['image/webp', Buffer.from('RIFF\x01\x02\x03\x04WEBPVP8 ', 'latin1')],
  ['image/heic', box('heic')],
  ['image/heif', box('mif1')],
  ['application/pdf', Buffer.from('%PDF-1.7')],
])('%s is recognised by its first bytes', (mime, bytes) => {
  expect(sniffMedia(bytes)).toBe(mime);
});

test.each([
  ['a page', Buffer.from('<!doctype html>')],
  ['a sound', Buffer.from('RIFF\x01\x02\x03\x04WAVEfmt ', 'latin1')],
  ['a picture nobody reads', box('avif')],
  ['a torn picture', Buffer.from('89504e', 'hex')],
  ['nothing', Buffer.alloc(0)],
  ['a picture behind something else', Buffer.from('xx\xff\xd8\xff', 'latin1')],
])('%s is not recognised as media', (_what, bytes) => {
  expect(sniffMedia(bytes)).toBeUndefined();
});
