import type { Format } from './header.ts';

export interface Pixels {
  readonly width: number;
  readonly height: number;
}

/** No vendor accepts a larger side. A header with more is wrong, or the image is refused. */
const SIDE_MAX = 100_000;
/** Segments before the frame of a JPEG: thumbnails, colours, comments. */
const SEGMENTS_MAX = 64;

/** The size in an image's header; `undefined` if the given bytes have none. */
export function pictureSize(format: Format, head: Buffer): Pixels | undefined {
  const size = READERS[format]?.(head);
  if (size === undefined || size.width < 1 || size.height < 1) return undefined;
  return { width: Math.min(size.width, SIDE_MAX), height: Math.min(size.height, SIDE_MAX) };
}

type Reader = (head: Buffer) => Pixels | undefined;

const READERS: Partial<Record<Format, Reader>> = {
  png: (head) =>
    head.length < 24 ? undefined : { width: head.readUInt32BE(16), height: head.readUInt32BE(20) },
  gif: (head) =>
    head.length < 10 ? undefined : { width: head.readUInt16LE(6), height: head.readUInt16LE(8) },
  jpeg: readJpeg,
  webp: readWebp,
  heif: readHeif,
};

function readJpeg(head: Buffer): Pixels | undefined {
  let at = 2;
  for (let segment = 0; segment < SEGMENTS_MAX && at + 9 <= head.length; segment++) {
    if (head[at] !== 0xff) return undefined;
    const marker = head[at + 1] as number;
    // Frames are C0 to CF, except for the tables among them.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: head.readUInt16BE(at + 5), width: head.readUInt16BE(at + 7) };
    at += 2 + head.readUInt16BE(at + 2);
  }
  return undefined;
}

function readWebp(head: Buffer): Pixels | undefined {
  if (head.length < 30) return undefined;
  const chunk = head.toString('latin1', 12, 16);
  if (chunk === 'VP8X') return { width: 1 + head.readUIntLE(24, 3), height: 1 + head.readUIntLE(27, 3) };
  if (chunk === 'VP8 ')
    return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
  if (chunk !== 'VP8L') return undefined;
  const bits = head.readUInt32LE(21);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

const EXTENT = Buffer.from('ispe');

/** The largest of the extents: thumbnails and tiles have their own. */
function readHeif(head: Buffer): Pixels | undefined {
  let largest: Pixels | undefined;
  let at = head.indexOf(EXTENT);
  for (let found = 0; found < SEGMENTS_MAX && at >= 0 && at + 16 <= head.length; found++) {
    const size = { width: head.readUInt32BE(at + 8), height: head.readUInt32BE(at + 12) };
    if (largest === undefined || size.width * size.height > largest.width * largest.height) largest = size;
    at = head.indexOf(EXTENT, at + 16);
  }
  return largest;
}
