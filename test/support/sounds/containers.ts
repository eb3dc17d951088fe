import { flacFrame, streamInfo } from './frames.ts';
import { big, little, noise } from './noise.ts';

interface Packet {
  readonly data: Buffer;
  readonly granule: number;
}

/** Pages of Ogg with some packets each; a packet that fills its last segment has an empty one behind it. */
function pages(headers: readonly Buffer[], packets: readonly Packet[], perPage = 25): Buffer {
  const made: Buffer[] = [];
  const page = (flags: number, granule: number, all: readonly Buffer[]): void => {
    const lacing = all.flatMap(({ length }) => [...Array(Math.floor(length / 255)).fill(255), length % 255]);
    const head = Buffer.concat([
      Buffer.from('OggS\0'),
      Buffer.from([flags]),
      little(granule, 8),
      little(7, 4),
      little(made.length, 4),
      Buffer.alloc(4),
      Buffer.from([lacing.length]),
      Buffer.from(lacing),
      ...all,
    ]);
    head.writeUInt32LE(checksum(head), 22);
    made.push(head);
  };
  for (const [index, header] of headers.entries()) page(index === 0 ? 2 : 0, 0, [header]);
  for (let at = 0; at < packets.length; at += perPage) {
    const some = packets.slice(at, at + perPage);
    const isLast = at + perPage >= packets.length;
    page(
      isLast ? 4 : 0,
      some.at(-1)?.granule ?? 0,
      some.map(({ data }) => data),
    );
  }
  return Buffer.concat(made);
}

const CHECK = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24;
  for (let bit = 0; bit < 8; bit++) sum = sum & 0x80000000 ? (sum << 1) ^ 0x04c11db7 : sum << 1;
  return sum >>> 0;
});

function checksum(bytes: Buffer): number {
  let sum = 0;
  for (const byte of bytes) sum = ((sum << 8) ^ (CHECK[(sum >>> 24) ^ byte] as number)) >>> 0;
  return sum;
}

const OPUS_TAGS = Buffer.from('OpusTags\x04\0\0\0test\0\0\0\0', 'latin1');
const SKIPPED = 312;

function opusHead(): Buffer {
  const rest = [Buffer.from([1, 1]), little(SKIPPED, 2), little(48_000, 4), Buffer.alloc(3)];
  return Buffer.concat([Buffer.from('OpusHead'), ...rest]);
}

/** A packet of 20 ms. */
function opusPacket(bytes: number, index: number): Buffer {
  const packet = noise(bytes, index + 1);
  packet[0] = 19 << 3;
  return packet;
}

interface OggOptions {
  readonly packetBytes?: number;
  /** What the pages say instead of the truth. */
  readonly granule?: (truth: number) => number;
}

export function opus(
  seconds: number,
  { packetBytes = 160, granule = (truth) => truth }: OggOptions = {},
): Buffer {
  const end = Math.round(seconds * 48_000) + SKIPPED;
  const packets = Array.from({ length: Math.ceil(end / 960) }, (_, index) => ({
    data: opusPacket(packetBytes, index),
    granule: granule(Math.min(end, 960 * (index + 1))),
  }));
  return pages([opusHead(), OPUS_TAGS], packets);
}

/** Long blocks, and some short ones. */
export function vorbis(
  seconds: number,
  { packetBytes = 300, granule = (truth) => truth }: OggOptions = {},
): Buffer {
  const [short, long] = [256, 2_048];
  const head = Buffer.concat([
    Buffer.from('\x01vorbis\0\0\0\0\x01', 'latin1'),
    little(44_100, 4),
    Buffer.alloc(12),
    Buffer.from([0xb8, 1]),
  ]);
  const tags = Buffer.from('\x03vorbis\x04\0\0\0test\0\0\0\0\x01', 'latin1');
  const setup = Buffer.from('\x05vorbis and its books', 'latin1');
  const packets: Packet[] = [];
  let samples = 0;
  let last = 0;
  while (samples < seconds * 44_100) {
    const size = packets.length % 10 === 9 ? short : long;
    const data = noise(packetBytes, packets.length + 1);
    data[0] = size === long ? 2 : 0;
    if (last > 0) samples += (last + size) / 4;
    last = size;
    packets.push({ data, granule: granule(Math.min(samples, Math.round(seconds * 44_100))) });
  }
  return pages([head, tags, setup], packets);
}

export function flacInOgg(seconds: number): Buffer {
  const samples = seconds * 44_100;
  const start = Buffer.from('\x7fFLAC\x01\0\0\x01fLaC', 'latin1');
  const head = Buffer.concat([start, streamInfo(44_100, samples)]);
  const packets = Array.from({ length: Math.ceil(samples / 4_096) }, (_, index) => {
    const size = Math.min(4_096, samples - index * 4_096);
    return { data: flacFrame(index, size, 2_000), granule: index * 4_096 + size };
  });
  return pages([head, Buffer.from([0x84, 0, 0, 0])], packets, 10);
}

/** An element; without a size as browsers write it while they record. */
function element(id: number, data: Buffer | readonly Buffer[], size = 'known'): Buffer {
  const body = Buffer.isBuffer(data) ? data : Buffer.concat(data);
  const name = big(id, Math.ceil((32 - Math.clz32(id)) / 8));
  const length = size === 'unknown' ? Buffer.from('01ffffffffffffff', 'hex') : big(body.length + 2 ** 28, 4);
  return Buffer.concat([name, length, body]);
}

interface WebmOptions {
  readonly codec?: string;
  readonly scale?: number;
  readonly sizes?: 'known' | 'unknown';
  /** What the beginning says. */
  readonly duration?: number;
  readonly time?: (truth: number) => number;
}

/** One block of sound every 20 ms, in clusters of five seconds. */
export function webm(
  seconds: number,
  {
    codec = 'A_OPUS',
    scale = 1_000_000,
    sizes = 'unknown',
    duration,
    time = (truth) => truth,
  }: WebmOptions = {},
): Buffer {
  const track = element(0xae, [
    element(0xd7, big(1, 1)),
    element(0x83, big(2, 1)),
    element(0x86, Buffer.from(codec)),
    ...(codec === 'A_OPUS' ? [element(0x63a2, opusHead())] : []),
  ]);
  const claim = Buffer.alloc(8);
  claim.writeDoubleBE(((duration ?? seconds) * 1e9) / scale);
  const head = [
    element(0x1a45dfa3, [element(0x4282, Buffer.from('webm'))]),
    element(0x1549a966, [element(0x2ad7b1, big(scale, 4)), element(0x4489, claim)]),
    element(0x1654ae6b, [track]),
  ];
  const clusters: Buffer[] = [];
  const blocks = Math.round(seconds * 50);
  for (let first = 0; first < blocks; first += 250) {
    const some = Array.from({ length: Math.min(250, blocks - first) }, (_, index) =>
      element(0xa3, [Buffer.from([0x81]), big(index * 20, 2), Buffer.from([0x80]), opusPacket(160, index)]),
    );
    clusters.push(element(0x1f43b675, [element(0xe7, big(time(first * 20), 4)), ...some], sizes));
  }
  const [ebml, ...rest] = head as [Buffer, Buffer, Buffer];
  return Buffer.concat([ebml, element(0x18538067, [...rest, ...clusters], sizes)]);
}

function box(type: string, ...data: readonly Buffer[]): Buffer {
  const body = Buffer.concat(data);
  return Buffer.concat([big(body.length + 8, 4), Buffer.from(type, 'latin1'), body]);
}

interface Mp4Options {
  readonly version?: 0 | 1;
  /** What the movie, the media and the table say instead of the truth. */
  readonly movie?: number;
  readonly media?: number;
  readonly delta?: number;
  readonly isFragmented?: boolean;
  readonly sampleBytes?: number;
}

/** AAC at 44.1 kHz. */
export function mp4(seconds: number, options: Mp4Options = {}): Buffer {
  const { isFragmented = false, sampleBytes = 180 } = options;
  const samples = Math.ceil((seconds * 44_100) / 1_024);
  const ftyp = box('ftyp', Buffer.from('M4A \0\0\0\0M4A isom', 'latin1'));
  const data = box('mdat', noise(samples * sampleBytes));
  if (!isFragmented) return Buffer.concat([ftyp, data, movie(seconds, samples, options)]);
  const run = box('trun', big(0, 4), big(samples, 4));
  const moof = box('moof', box('traf', box('tfhd', big(0, 4), big(1, 4)), run));
  return Buffer.concat([ftyp, movie(seconds, 0, options), moof, data]);
}

function movie(seconds: number, samples: number, options: Mp4Options): Buffer {
  const { version = 0, media = samples * 1_024, isFragmented } = options;
  const time = version === 1 ? 8 : 4;
  const empty = Buffer.concat([big(version * 2 ** 24, 4), Buffer.alloc(2 * time)]);
  const timed = (scale: number, duration: number, rest: number): Buffer =>
    Buffer.concat([empty, big(scale, 4), big(duration, time), Buffer.alloc(rest)]);
  const handler = box('hdlr', Buffer.alloc(8), Buffer.from('soun'), Buffer.alloc(13));
  const tables = box('minf', sampleTables(samples, options));
  const trak = box(
    'trak',
    box('tkhd', empty, big(1, 4), Buffer.alloc(60 + time)),
    box('mdia', box('mdhd', timed(44_100, media, 4)), handler, tables),
  );
  const usual = box('trex', big(0, 4), big(1, 4), big(1, 4), big(1_024, 4), Buffer.alloc(8));
  const said = options.movie ?? Math.round(seconds * 1_000);
  const rest = isFragmented === true ? [box('mvex', usual)] : [];
  return box('moov', box('mvhd', timed(1_000, said, 80)), trak, ...rest);
}

function sampleTables(samples: number, { delta = 1_024, sampleBytes = 180 }: Mp4Options): Buffer {
  const sound = [big(2, 2), big(16, 2), Buffer.alloc(4), big(44_100 * 65_536, 4)];
  const times = samples > 0 ? [big(1, 4), big(samples, 4), big(delta, 4)] : [big(0, 4)];
  return box(
    'stbl',
    box('stsd', big(0, 4), big(1, 4), box('mp4a', Buffer.alloc(16), ...sound)),
    box('stts', big(0, 4), ...times),
    box('stsc', big(0, 4), big(1, 4), big(1, 4), big(samples, 4), big(1, 4)),
    box('stsz', big(0, 4), big(sampleBytes, 4), big(samples, 4)),
    box('stco', big(0, 4), big(1, 4), big(32, 4)),
  );
}
