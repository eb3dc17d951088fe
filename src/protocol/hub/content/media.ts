import { SNIFF_BYTES, sniffMedia } from '../../../kernel/encoding/sniff.ts';
import { Inexpressible } from '../notes.ts';
import type { AudioPart, CacheMark, FilePart, ImagePart, MediaSource, VideoPart } from '../part.ts';
import { plainType, typeOfName } from './media-type.ts';

export type MediaPart = ImagePart | AudioPart | VideoPart | FilePart;
export type ByteSource = Extract<MediaSource, { readonly kind: 'bytes' }>;
export type AddressSource = Exclude<MediaSource, { readonly kind: 'file' }>;

/** How many base64 characters contain the first bytes of a file. */
const BEGINNING_CHARS = Math.ceil((SNIFF_BYTES / 3) * 4);
/** How much of a wrong type a refusal repeats. */
const SHOWN_CHARS_MAX = 100;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** What a client's address refers to: the bytes of a `data:` address, or the http address itself. */
export function decodeAddress(address: string, path: string): AddressSource {
  if (/^https?:\/\//i.test(address)) return { kind: 'url', url: address };
  if (/^data:/i.test(address)) return decodeDataAddress(address, path);
  throw new Inexpressible(path, 'is neither an http address nor a data address');
}

/** The same for a vendor's answer, without refusals: `undefined` if it cannot be read. */
export function findAddress(address: string): AddressSource | undefined {
  try {
    return decodeAddress(address, '');
  } catch (error) {
    if (error instanceof Inexpressible) return undefined;
    throw error;
  }
}

function decodeDataAddress(address: string, path: string): ByteSource {
  const comma = address.indexOf(',');
  if (comma === -1) throw new Inexpressible(path, 'is a data address without data');
  const head = address.slice('data:'.length, comma);
  const data = address.slice(comma + 1);
  const declared = head.split(';', 1)[0]?.trim() ?? '';
  if (!/;\s*base64\s*$/i.test(head)) return percentEncoded(declared, data, path);
  return declared === '' ? decodeUntyped(data, undefined, path) : decodeBytes(declared, data, path);
}

/** Without base64 a data address contains percent-encoded text, plain unless it declares a type. */
function percentEncoded(declared: string, data: string, path: string): ByteSource {
  try {
    const base64 = Buffer.from(decodeURIComponent(data)).toString('base64');
    return decodeBytes(declared === '' ? 'text/plain' : declared, base64, path);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw new Inexpressible(path, 'is a data address that cannot be read');
  }
}

/** Bytes with a declared type. If the bytes show another type, that one counts. */
export function decodeBytes(declared: string, data: string, path: string): ByteSource {
  const base64 = checkedBase64(data, path);
  const type = plainType(declared);
  if (type === undefined) {
    throw new Inexpressible(path, `'${declared.slice(0, SHOWN_CHARS_MAX)}' is not a media type`);
  }
  return { kind: 'bytes', mime: typeOfBytes(base64) ?? type, base64 };
}

/** Bare base64: its type comes from its bytes or the file name, and from nothing else. */
export function decodeUntyped(data: string, filename: string | undefined, path: string): ByteSource {
  const base64 = checkedBase64(data, path);
  const mime = typeOfBytes(base64) ?? typeOfName(filename);
  if (mime !== undefined) return { kind: 'bytes', mime, base64 };
  const how = 'a data address with a media type, or a file name with a known ending, is needed';
  throw new Inexpressible(path, `does not say what it is: ${how}`);
}

/** Base64 with the standard alphabet and padding, however the client wrote it. Other text is refused. */
function checkedBase64(data: string, path: string): string {
  const base64 = standardBase64(data);
  if (base64.length % 4 === 0 && BASE64.test(base64)) return base64;
  throw new Inexpressible(path, base64 === '' ? 'holds no data' : 'is not base64');
}

/** Accepts both alphabets, with or without padding and white space. Returns the standard one, padded. */
export function standardBase64(data: string): string {
  const plain = /[-_\s]/.test(data)
    ? data.replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/')
    : data;
  if (plain.length % 4 === 0) return plain;
  const bare = plain.slice(0, plain.length - countPadding(plain));
  return bare.padEnd(Math.ceil(bare.length / 4) * 4, '=');
}

function countPadding(base64: string): number {
  if (base64.endsWith('==')) return 2;
  return base64.endsWith('=') ? 1 : 0;
}

function typeOfBytes(base64: string): string | undefined {
  return sniffMedia(Buffer.from(base64.slice(0, BEGINNING_CHARS), 'base64'));
}

/**
 * A part of the kind that its type implies, whatever field it came in; `kind` is used if it has no type.
 * Cache marks stay on images and files: no protocol has one for audio and video.
 */
export function mediaPart(
  kind: 'image' | 'video' | 'file',
  source: MediaSource,
  { filename, cache }: { readonly filename?: string | undefined; readonly cache?: CacheMark | undefined },
): MediaPart {
  const family = source.mime?.split('/', 1)[0];
  const mark = cache === undefined ? {} : { cache };
  if (family === 'audio' || family === 'video') return { kind: family, source };
  if (family === 'image' || (family === undefined && kind === 'image')) {
    return { kind: 'image', source, ...mark };
  }
  if (family === undefined && kind === 'video') return { kind, source };
  return { kind: 'file', source, ...(filename === undefined ? {} : { filename }), ...mark };
}
