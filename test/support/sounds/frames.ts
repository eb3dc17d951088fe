import { big, noise } from './noise.ts';

interface WavOptions {
  readonly sampleRate?: number;
  readonly channels?: number;
  readonly bits?: number;
  /** What the header says instead of the truth. */
  readonly claims?: {
    readonly tag?: number;
    readonly sampleRate?: number;
    readonly byteRate?: number;
    readonly blockBytes?: number;
    readonly dataBytes?: number;
  };
  /** Chunks between format and data. */
  readonly between?: Buffer;
}

export function wav(
  seconds: number,
  { sampleRate = 16_000, channels = 1, bits = 16, claims = {}, between = Buffer.alloc(0) }: WavOptions = {},
): Buffer {
  const block = (channels * bits) / 8;
  const data = Buffer.alloc(Math.round(seconds * sampleRate) * block, 7);
  const head = Buffer.alloc(36);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE((36 + between.length + data.length) >>> 0, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(claims.tag ?? 1, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(claims.sampleRate ?? sampleRate, 24);
  head.writeUInt32LE(claims.byteRate ?? sampleRate * block, 28);
  head.writeUInt16LE(claims.blockBytes ?? block, 32);
  head.writeUInt16LE(bits, 34);
  const dataHead = Buffer.from('data____', 'latin1');
  dataHead.writeUInt32LE(claims.dataBytes ?? data.length, 4);
  return Buffer.concat([head, between, dataHead, data]);
}

const MPEG_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

/** Frames of layer III: version 1 at 44.1 kHz, or version 2 at 22.05 kHz. Several rates take turns. */
export function mp3(
  seconds: number,
  { kilobits = [128], version = 1 }: { readonly kilobits?: readonly number[]; readonly version?: 1 | 2 } = {},
): Buffer {
  const [samples, sampleRate] = version === 1 ? [1_152, 44_100] : [576, 22_050];
  const frames = Math.ceil((seconds * sampleRate) / samples);
  const made = Array.from({ length: frames }, (_, index) => {
    const rate = kilobits[index % kilobits.length] as number;
    const frame = noise(Math.floor((samples * rate * 125) / sampleRate), index + 1);
    const place = (version === 1 ? MPEG_1 : MPEG_2).indexOf(rate);
    frame.set([0xff, version === 1 ? 0xfb : 0xf3, place << 4, 0xc4]);
    return frame;
  });
  return Buffer.concat(made);
}

/** A tag with a picture, before an MP3. */
export function id3(bytes: number): Buffer {
  const size = [21, 14, 7, 0].map((shift) => (bytes >> shift) & 127);
  return Buffer.concat([Buffer.from('ID3\x04\0\0', 'latin1'), Buffer.from(size), noise(bytes)]);
}

export function aac(seconds: number, { frameBytes = 200 } = {}): Buffer {
  const frames = Math.ceil((seconds * 44_100) / 1_024);
  const made = Array.from({ length: frames }, (_, index) => {
    const frame = noise(frameBytes, index + 1);
    const length = frameBytes << 5;
    frame.set([0xff, 0xf1, 0x50, 0x80 | (length >> 16), (length >> 8) & 0xff, (length & 0xe0) | 0x1f, 0xfc]);
    return frame;
  });
  return Buffer.concat(made);
}

const BLOCK = 4_096;

/** Frames of FLAC without the samples in them; `claimed` are the samples that its beginning says. */
export function flac(
  seconds: number,
  { sampleRate = 44_100, claimed, frameBytes = 5_000 }: FlacOptions = {},
): Buffer {
  const samples = Math.round(seconds * sampleRate);
  const frames: Buffer[] = [];
  for (let done = 0; done < samples; done += BLOCK) {
    frames.push(flacFrame(frames.length, Math.min(BLOCK, samples - done), frameBytes));
  }
  return Buffer.concat([Buffer.from('fLaC'), streamInfo(sampleRate, claimed ?? samples), ...frames]);
}

interface FlacOptions {
  readonly sampleRate?: number;
  readonly claimed?: number;
  readonly frameBytes?: number;
}

export function streamInfo(sampleRate: number, samples: number): Buffer {
  const info = Buffer.alloc(34);
  info.writeUInt16BE(BLOCK, 0);
  info.writeUInt16BE(BLOCK, 2);
  // 20 bits of rate, stereo, 16 bits each, 36 bits of samples.
  big(sampleRate * 16 + 2, 3).copy(info, 10);
  info[13] = 0xf0 + Math.floor(samples / 2 ** 32);
  info.writeUInt32BE(samples >>> 0, 14);
  return Buffer.concat([Buffer.from([0x80, 0, 0, 34]), info]);
}

export function flacFrame(number: number, samples: number, bytes: number): Buffer {
  const coded = number < 128 ? [number] : [...Buffer.from(String.fromCodePoint(number))];
  const head = [0xff, 0xf8, 0x70, 0x18, ...coded, (samples - 1) >> 8, (samples - 1) & 255];
  const check = head.reduce((sum, byte) => crc8(sum ^ byte), 0);
  return Buffer.concat([Buffer.from([...head, check]), noise(Math.max(8, bytes - head.length), number + 1)]);
}

function crc8(byte: number): number {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 0x80 ? ((sum << 1) ^ 0x07) & 0xff : sum << 1;
  return sum;
}
