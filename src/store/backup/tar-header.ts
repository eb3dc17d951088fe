/** Archives are tar files (POSIX ustar), so that a backup can be listed and unpacked without Tollgate. */

export const BLOCK_BYTES = 512;
const NAME = [0, 100] as const;
const SIZE = [124, 136] as const;
const CHECKSUM = [148, 156] as const;
const SPACE = 0x20;

export interface TarHeader {
  readonly name: string;
  readonly bytes: number;
}

export function encodeTarHeader({ name, bytes }: TarHeader, modifiedAtMs: number): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name, ...NAME, 'latin1');
  header.write('0000600\u00000000000\u00000000000\u0000', 100, 'latin1');
  header.write(`${octal(bytes, 11)}\u0000`, SIZE[0], 'latin1');
  header.write(`${octal(Math.floor(modifiedAtMs / 1000), 11)}\u0000`, 136, 'latin1');
  header.write('0', 156, 'latin1');
  header.write('ustar\u000000', 257, 'latin1');
  header.write(`${octal(sumOf(header), 6)}\u0000 `, CHECKSUM[0], 'latin1');
  return header;
}

/** `end`: the empty block that ends an archive. */
export function decodeTarHeader(header: Buffer): TarHeader | 'end' | 'damaged' {
  if (header.every((byte) => byte === 0)) return 'end';
  const sum = Number.parseInt(header.toString('latin1', ...CHECKSUM), 8);
  const bytes = Number.parseInt(header.toString('latin1', ...SIZE), 8);
  if (sum !== sumOf(header) || !Number.isSafeInteger(bytes) || bytes < 0) return 'damaged';
  const name = header.toString('latin1', ...NAME).replace(/\0.*$/s, '');
  return { name, bytes };
}

/** Bytes between the content of an entry and the next header. */
export function paddingOf(bytes: number): number {
  return (BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

/** The checksum counts its own field as spaces. */
function sumOf(header: Buffer): number {
  let sum = 0;
  for (let at = 0; at < BLOCK_BYTES; at++) {
    sum += at >= CHECKSUM[0] && at < CHECKSUM[1] ? SPACE : (header[at] ?? 0);
  }
  return sum;
}
