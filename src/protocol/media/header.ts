/** The kind of a file by its first bytes. Names and media types come from the client and may be wrong. */
export type MediaKind = 'picture' | 'document' | 'sound' | 'video' | 'text' | 'unknown';

export type Format =
  | 'png'
  | 'jpeg'
  | 'gif'
  | 'webp'
  | 'heif'
  | 'pdf'
  | 'archive'
  | 'wav'
  | 'mp3'
  | 'aac'
  | 'ogg'
  | 'flac'
  | 'mp4'
  | 'webm';

const SIGNS: readonly (readonly [at: number, text: string, format: Format])[] = [
  [0, '\x89PNG\r\n\x1a\n', 'png'],
  [0, '\xff\xd8\xff', 'jpeg'],
  [0, 'GIF8', 'gif'],
  [8, 'WEBP', 'webp'],
  [0, '%PDF', 'pdf'],
  [0, 'PK\x03\x04', 'archive'],
  [8, 'WAVE', 'wav'],
  [0, 'ID3', 'mp3'],
  [0, 'OggS', 'ogg'],
  [0, 'fLaC', 'flac'],
  [0, '\x1aE\xdf\xa3', 'webm'],
];
/** Brands of the ISO container for images. All others are videos. */
const PICTURE_BRANDS = /^(?:avi[fs]|mif1|msf1|hei[cmsx]|hev[cx])/;

export const KINDS: Readonly<Record<Format, MediaKind>> = {
  png: 'picture',
  jpeg: 'picture',
  gif: 'picture',
  webp: 'picture',
  heif: 'picture',
  pdf: 'document',
  archive: 'document',
  wav: 'sound',
  mp3: 'sound',
  aac: 'sound',
  ogg: 'sound',
  flac: 'sound',
  mp4: 'video',
  webm: 'video',
};

export function findFormat(head: Buffer): Format | undefined {
  const text = head.toString('latin1', 0, 16);
  const sign = SIGNS.find(([at, wanted]) => text.startsWith(wanted, at));
  if (sign !== undefined) return sign[2];
  if (text.startsWith('ftyp', 4)) return PICTURE_BRANDS.test(text.slice(8)) ? 'heif' : 'mp4';
  // The sync word of an MPEG frame, and its layer: the third one, or AAC.
  const next = head[0] === 0xff ? (head[1] ?? 0) : 0;
  if ((next & 0xf6) === 0xf0) return 'aac';
  return (next & 0xe6) === 0xe2 ? 'mp3' : undefined;
}

/** By the media type that a client declares, or the extension of an address. */
export function kindOfName(name: string): MediaKind {
  const lower = name.toLowerCase();
  if (/^image\/|\.(?:png|jpe?g|gif|webp|avif|hei[cf]|bmp|tiff?|svg)(?:[?#]|$)/.test(lower)) return 'picture';
  if (/^audio\/|\.(?:wav|mp3|ogg|opus|flac|m4a|aac)(?:[?#]|$)/.test(lower)) return 'sound';
  if (/^video\/|\.(?:mp4|mov|webm|mkv|avi|mpe?g)(?:[?#]|$)|^https?:\/\/(?:www\.|m\.)?youtu/.test(lower))
    return 'video';
  if (/^text\/|^application\/(?:json|xml)|\.(?:txt|md|csv|json|xml|html?)(?:[?#]|$)/.test(lower))
    return 'text';
  return /^application\/|\.(?:pdf|docx?|xlsx?|pptx?)(?:[?#]|$)/.test(lower) ? 'document' : 'unknown';
}
