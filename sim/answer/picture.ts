import { deflateSync } from 'node:zlib';
import type { Random } from '../../src/kernel/random.ts';

const SIDE = 8;
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** A real PNG of 8 × 8 points in one seeded colour: small, and different for every seed. */
export function samplePicture(random: Random): Buffer {
  const colour = random.bytes(3);
  const row = Buffer.concat([Buffer.from([0]), ...Array.from({ length: SIDE }, () => colour)]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  // Eight bits a channel, true colour.
  header.set([8, 2, 0, 0, 0], 8);
  const points = deflateSync(Buffer.concat(Array.from({ length: SIDE }, () => row)));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', points),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(checksum(body));
  return Buffer.concat([length, body, check]);
}

/** CRC-32, as PNG asks for. */
function checksum(bytes: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}
