import { describe, expect, it } from 'vitest';
import { Inexpressible } from '../notes.ts';
import {
  decodeAddress,
  decodeBytes,
  decodeUntyped,
  findAddress,
  mediaPart,
  standardBase64,
} from './media.ts';
import { endingOfType, plainType, typeOfAddress, typeOfName } from './media-type.ts';

const PNG = 'iVBORw0KGgoAAAAA';
const PDF = 'JVBERi0xLjQK';

describe('an address', () => {
  it('of the web stays unchanged', () => {
    expect(decodeAddress('HTTPS://a.example/b?c', 'p')).toEqual({
      kind: 'url',
      url: 'HTTPS://a.example/b?c',
    });
  });

  it.each([
    ['data:image/png;base64,AAEC', 'image/png', 'AAEC'],
    ['data:IMAGE/JPG;name=x;base64,AAEC', 'image/jpeg', 'AAEC'],
    ['data:image/jpeg;base64,iVBORw0KGgoAAAAA', 'image/png', PNG],
    ['data:;base64,JVBERi0xLjQK', 'application/pdf', PDF],
    ['data:,hi%21', 'text/plain', 'aGkh'],
    ['data:text/csv;charset=utf-8,a%2Cb', 'text/csv', 'YSxi'],
    ['data:image/png;base64,iV-_\nQg', 'image/png', 'iV+/Qg=='],
  ])('%s contains its bytes with their true type', (address, mime, base64) => {
    expect(decodeAddress(address, 'p')).toEqual({ kind: 'bytes', mime, base64 });
    expect(findAddress(address)).toEqual({ kind: 'bytes', mime, base64 });
  });

  it.each([
    'gs://bucket/a.pdf',
    'file:///etc/passwd',
    'ftp://a/b',
    'a text',
    PNG,
    '',
    'data:image/png;base64',
    'data:image/png;base64,',
    'data:image/png;base64,gs://a/b',
    'data:image/png;base64,AAAAA',
    'data:image/png;base64,AA=A',
    'data:picture;base64,AAEC',
    'data:image/;base64,AAEC',
    'data:;base64,AAEC',
    'data:text/plain,%zz',
  ])('%j is refused with its place', (address) => {
    expect(() => decodeAddress(address, 'the.place')).toThrow(Inexpressible);
    expect(() => decodeAddress(address, 'the.place')).toThrow('the.place: ');
    expect(findAddress(address)).toBeUndefined();
  });
});

describe('bytes', () => {
  it('have the declared type, unless they are of another known type', () => {
    expect(decodeBytes('application/x-thing; v=1', 'AAEC', 'p').mime).toBe('application/x-thing');
    expect(decodeBytes('application/pdf', PNG, 'p').mime).toBe('image/png');
  });

  it('without a declared type get it from their first bytes or their name, or have none', () => {
    expect(decodeUntyped(PDF, undefined, 'p').mime).toBe('application/pdf');
    expect(decodeUntyped('YSxi', 'b.CSV', 'p').mime).toBe('text/csv');
    for (const name of [undefined, '', 'b', 'b.xyz', 'pdf']) {
      expect(() => decodeUntyped('YSxi', name, 'p')).toThrow('p: does not say what it is');
    }
  });

  it('are written in the standard alphabet with correct padding', () => {
    expect(['AA', 'AA=', 'AA==', 'A-_ \n+', 'AAA', 'AAAA'].map(standardBase64)).toEqual([
      ...['AA==', 'AA==', 'AA==', 'A+/+', 'AAA=', 'AAAA'],
    ]);
  });
});

describe('a part', () => {
  it('has the kind of its type, in any field', () => {
    const kindOf = (mime: string | undefined): string =>
      mediaPart('image', { kind: 'url', url: 'u', ...(mime === undefined ? {} : { mime }) }, {}).kind;
    expect([undefined, 'image/png', 'audio/wav', 'video/mp4', 'application/pdf'].map(kindOf)).toEqual([
      ...['image', 'image', 'audio', 'video', 'file'],
    ]);
    const source = { kind: 'url', url: 'u' } as const;
    expect(mediaPart('video', source, { cache: {} })).toEqual({ kind: 'video', source });
    expect(mediaPart('file', source, { filename: 'a', cache: {} })).toEqual({
      ...{ kind: 'file', source, filename: 'a', cache: {} },
    });
  });
});

describe('a media type', () => {
  it('is read without its parameters, and guessed from file extensions', () => {
    expect(plainType(' Text/Plain ; charset=x')).toBe('text/plain');
    expect(plainType('text')).toBeUndefined();
    expect(typeOfName('a.b.htm')).toBe('text/html');
    expect(typeOfAddress('https://a.example/b.jpeg?c=d.pdf#e')).toBe('image/jpeg');
    expect(endingOfType('image/jpeg')).toBe('jpg');
    expect(endingOfType('text/html')).toBe('html');
    expect(endingOfType('a/b')).toBeUndefined();
  });
});
