import fc from 'fast-check';
import { parseBuffer } from 'music-metadata';
import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../../test/support/cost.ts';
import { runs } from '../../../../test/support/property-runs.ts';
import { flacInOgg, mp4, opus, vorbis, webm } from '../../../../test/support/sounds/containers.ts';
import { aac, flac, flacFrame, id3, mp3, wav } from '../../../../test/support/sounds/frames.ts';
import { noise } from '../../../../test/support/sounds/noise.ts';
import { finishInTurns, finishNow } from '../../bytes/slices.ts';
import { type SoundLength, soundLength } from './length.ts';
import { MOST_BYTES } from './rates.ts';
import { SoundBytes } from './sound-bytes.ts';

const lengthOf = (file: Buffer): SoundLength => finishNow(soundLength(SoundBytes.of(file)));
const secondsOf = (file: Buffer): number => lengthOf(file).seconds;

function lengthInText(text: string): SoundLength {
  const body = Buffer.from(`"${text}"`);
  return finishNow(soundLength(SoundBytes.ofBase64(body, 1, body.length - 1)));
}

const HONEST: Readonly<Record<string, Buffer>> = {
  'WAV of speech': wav(60),
  'WAV of music': wav(60, { sampleRate: 11_025, channels: 2, bits: 24 }),
  'WAV with a chunk before its data': wav(60, { between: Buffer.from('junk\x03\0\0\0abc\0', 'latin1') }),
  MP3: mp3(60),
  'MP3 of two rates': mp3(60, { kilobits: [32, 320] }),
  'MP3 of speech': mp3(60, { version: 2, kilobits: [24] }),
  'MP3 behind a tag': Buffer.concat([id3(300_000), mp3(60)]),
  'MP3 before a tag': Buffer.concat([mp3(60), Buffer.from(`TAG${' '.repeat(125)}`)]),
  AAC: aac(60),
  FLAC: flac(60),
  'FLAC of silence': flac(60, { frameBytes: 16 }),
  'Opus in Ogg': opus(60),
  'Opus in Ogg, small': opus(60, { packetBytes: 20 }),
  'Opus in Ogg, packets of a page and more': opus(60, { packetBytes: 765 }),
  'Vorbis in Ogg': vorbis(60),
  'FLAC in Ogg': flacInOgg(60),
  'WebM of a browser': webm(60),
  'WebM with sizes': webm(60, { sizes: 'known' }),
  'WebM with Vorbis': webm(60, { codec: 'A_VORBIS', sizes: 'known' }),
  MP4: mp4(60),
  'MP4 with long times': mp4(60, { version: 1 }),
  'MP4 in fragments': mp4(60, { isFragmented: true }),
};
/** The length of these is not known to the oracle: it looks for a size, or into no fragment. */
const UNKNOWN_TO_ORACLE = ['WebM of a browser', 'MP4 in fragments'];

describe.each(Object.entries(HONEST))('%s', (name, file) => {
  it('of a minute counts a minute, and at most a second more', () => {
    const { seconds, most, asFilm } = lengthOf(file);
    expect(seconds).toBeGreaterThanOrEqual(60);
    expect(seconds).toBeLessThanOrEqual(61);
    expect([most, asFilm]).toEqual([seconds, seconds]);
  });

  it('counts the same in base64, with whatever escapes', () => {
    const text = file.toString('base64');
    const { seconds } = lengthOf(file);
    expect(lengthInText(text).seconds).toBe(seconds);
    const lines = text.replaceAll(/.{76}/g, '$&\\r\\n').replaceAll('/', '\\/');
    for (const each of [lines, text.replaceAll('A', '\\u0041')]) {
      const escaped = lengthInText(each).seconds;
      expect(escaped).toBeGreaterThanOrEqual(seconds);
      expect(escaped).toBeLessThanOrEqual(seconds + 1);
    }
  });

  it('that is cut off counts what is left', () => {
    const half = secondsOf(file.subarray(0, Math.floor(file.length / 2)));
    if (name.startsWith('MP4')) return;
    const [least, most] = name === 'MP3 behind a tag' ? [10, 25] : [29, 32];
    expect(half).toBeGreaterThanOrEqual(least);
    expect(half).toBeLessThanOrEqual(most);
  });
});

const TOLD = Object.entries(HONEST).filter(([name]) => !UNKNOWN_TO_ORACLE.includes(name));

it.each(TOLD)('%s is as long as music-metadata says', async (_name, file) => {
  const { format } = await parseBuffer(file, undefined, { duration: true });
  // Whole seconds here, and about half a frame more or less there.
  expect(Math.abs((format.duration ?? 0) - secondsOf(file))).toBeLessThan(1.1);
});

describe('a header that lies counts nothing less', () => {
  const lying = (claims: object) => () => wav(600, { sampleRate: 8_000, claims });
  it.each([
    ['WAV: bytes a second', lying({ byteRate: 0xffffffff })],
    ['WAV: samples a second', lying({ sampleRate: 192_000 })],
    ['WAV: absurd samples a second', lying({ sampleRate: 0xffffffff })],
    ['WAV: both', lying({ sampleRate: 768_000, byteRate: 0xffffffff })],
    ['WAV: all alike', lying({ sampleRate: 4_000_000, byteRate: 8_000_000 })],
    ['WAV: the size of a block', lying({ blockBytes: 0xffff })],
    ['WAV: no size of a block', lying({ blockBytes: 0 })],
    ['WAV: little data', lying({ dataBytes: 4 })],
    ['WAV: endless data', lying({ dataBytes: 0xffffffff })],
    ['WAV: an unknown format', lying({ tag: 0x7777 })],
    [
      'MP3: a first frame of another kind',
      () => Buffer.concat([mp3(0.02, { kilobits: [320] }), slowMp3(600)]),
    ],
    ['MP3: frames of another kind between', () => Buffer.concat(Array(60).fill(mixedMp3(10)))],
    ['FLAC: no samples', () => flac(600, { claimed: 0, frameBytes: 100 })],
    ['FLAC: few samples', () => flac(600, { claimed: 44_100, frameBytes: 100 })],
    ['Opus: pages that end at once', () => opus(600, { granule: () => 1 })],
    ['Opus: a granule of none', () => opus(600, { granule: () => 0 })],
    ['Vorbis: pages that end at once', () => vorbis(600, { granule: () => 1 })],
    ['WebM: its duration', () => webm(600, { duration: 1 })],
    ['WebM: its clusters', () => webm(600, { time: () => 0 })],
    ['WebM: its scale', () => webm(600, { scale: 1 })],
    ['MP4: the movie', () => mp4(600, { movie: 1 })],
    ['MP4: the media', () => mp4(600, { media: 1 })],
    ['MP4: its table of times', () => mp4(600, { delta: 1, media: 1 })],
  ])('%s', (_name, make) => {
    const file = make();
    expect(secondsOf(file)).toBeGreaterThanOrEqual(600);
    expect(secondsOf(file)).toBeLessThanOrEqual(1_210 + file.length / 1_000);
    expect(lengthOf(file).most).toBeGreaterThanOrEqual(600);
  });

  it('that says less than its data holds is not followed where every reader agrees', () => {
    expect(secondsOf(wav(600, { claims: { byteRate: 0xffffffff } }))).toBe(600);
    expect(secondsOf(wav(600, { claims: { byteRate: 0 } }))).toBe(600);
    expect(secondsOf(wav(600, { claims: { sampleRate: 192_000 } }))).toBe(600);
  });

  it.each([
    ['FLAC', flac(60, { claimed: 2 ** 36 - 1 })],
    ['Opus', opus(60, { granule: () => 2 ** 50 })],
    ['Vorbis', vorbis(60, { granule: () => 2 ** 50 })],
    ['WebM', webm(60, { duration: 1e9 })],
    ['MP4', mp4(60, { movie: 2 ** 32 - 1, media: 2 ** 32 - 1 })],
  ])('and one that says too much, of %s, counts nothing more', (_name, file) => {
    expect(secondsOf(file)).toBeGreaterThanOrEqual(60);
    expect(secondsOf(file)).toBeLessThanOrEqual(61);
  });

  it('and one that says twice as much as can be is bounded', () => {
    expect(secondsOf(webm(60, { time: (truth) => truth * 1_000 }))).toBeLessThanOrEqual(121);
    expect(secondsOf(mp4(60, { delta: 0xffffff }))).toBeLessThanOrEqual(122);
  });
});

/** A fast frame before slow ones. */
function mixedMp3(seconds: number): Buffer {
  return Buffer.concat([mp3(0.02), slowMp3(seconds)]);
}

/** 8 kilobits at 22.05 kHz. */
function slowMp3(seconds: number): Buffer {
  return mp3(seconds, { version: 2, kilobits: [8] });
}

describe('bytes that are no sound', () => {
  it('count by their size: as usual speech, and at most as the slowest', () => {
    expect(lengthOf(Buffer.alloc(30_000))).toEqual({ seconds: 10, most: 30, asFilm: 1 });
    expect(lengthOf(Buffer.concat([Buffer.from('OggS'), Buffer.alloc(29_996)]))).toMatchObject({ most: 30 });
    expect(lengthOf(Buffer.alloc(0))).toEqual({ seconds: 0, most: 0, asFilm: 0 });
  });

  it('within a file count as the slowest sound', () => {
    const strays = Buffer.alloc(100_000, 0x11);
    expect(secondsOf(Buffer.concat([mp3(10), strays, mp3(10)]))).toBe(121);
    expect(secondsOf(Buffer.concat([opus(10), strays]))).toBe(110);
    expect(secondsOf(Buffer.concat([opus(10), strays, opus(10)]))).toBeGreaterThanOrEqual(120);
  });

  it('in a page around pages hide none of them', () => {
    const outer = Buffer.concat([
      Buffer.from('OggS\0\0'),
      Buffer.alloc(20),
      Buffer.from([255]),
      Buffer.alloc(255, 255),
    ]);
    const inner = opus(60, { packetBytes: 20 });
    expect(secondsOf(Buffer.concat([opus(1), outer, inner]))).toBeGreaterThanOrEqual(61);
  });

  it('streams one after the other add up', () => {
    expect(secondsOf(Buffer.concat([opus(30), opus(40)]))).toBe(71);
    expect(secondsOf(Buffer.concat([mp3(30), slowMp3(40)]))).toBeLessThanOrEqual(72);
  });

  it('that are not base64 leave only the size', () => {
    const text = mp3(60).toString('base64');
    const broken = `${text.slice(0, 100_000)}====${text.slice(100_004)}`;
    expect(lengthInText(broken).seconds).toBeGreaterThanOrEqual(60);
  });
});

const repeat = (piece: Buffer | string, bytes = 1 << 20): Buffer =>
  Buffer.alloc(bytes, typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);

/** Pieces without a length, heads of what never comes, and what looks like the beginning of everything. */
const ENDLESS: Readonly<Record<string, Buffer>> = {
  'chunks of nothing': Buffer.concat([wav(0).subarray(0, 36), repeat('abcd\0\0\0\0')]),
  'chunks of everything': Buffer.concat([wav(0).subarray(0, 36), repeat('abcd\xff\xff\xff\xff')]),
  'tags of nothing': repeat('ID3\x04\0\0\0\0\0\0'),
  'tags of everything': repeat('ID3\x04\0\0\x7f\x7f\x7f\x7f'),
  'sync words': Buffer.concat([mp3(1), repeat('\xff')]),
  'heads of MP3': Buffer.concat([mp3(1), repeat('\xff\xfb\x90\xc4')]),
  'heads of slow MP3': Buffer.concat([mp3(1), repeat('\xff\xf3\x10\xc4')]),
  'frames of AAC without a length': Buffer.concat([aac(1), repeat('\xff\xf1\x50\x80\0\x1f\xfc')]),
  'frames of AAC with nothing': Buffer.concat([aac(1), repeat(aac(0.01, { frameBytes: 7 }))]),
  'frames of AAC of all sizes': Buffer.concat([aac(1), repeat('\xff\xf1\x50\x83\xff\xff\xfc')]),
  'sync words of FLAC': Buffer.concat([flac(1), repeat('\xff\xf8')]),
  'heads of FLAC': Buffer.concat([flac(1), repeat('\xff\xf8\xc9\x08')]),
  'frames of FLAC': Buffer.concat([flac(1), repeat(flacFrame(1, 4_096, 12))]),
  'signs of pages': Buffer.concat([opus(1), repeat('OggS')]),
  'pages of nothing': Buffer.concat([opus(1), repeat(`OggS${'\0'.repeat(23)}`)]),
  'pages of empty packets': Buffer.concat([
    opus(1),
    repeat(`OggS\0\0${'\0'.repeat(20)}\xff${'\0'.repeat(255)}`),
  ]),
  'pages of everything': Buffer.concat([
    opus(1),
    repeat(`OggS\0\0${'\0'.repeat(20)}\xff${'\xff'.repeat(255)}`),
  ]),
  'elements of nothing': Buffer.concat([webm(1), repeat('\xec\x80')]),
  'clusters in clusters': Buffer.concat([
    webm(1),
    repeat('\x1f\x43\xb6\x75\x01\xff\xff\xff\xff\xff\xff\xff'),
  ]),
  'tracks of nothing': Buffer.concat([webm(1), repeat('\xae\x80\xd7\x81\x05\xa3\x84\x85\0\0\0')]),
  'boxes of nothing': Buffer.concat([mp4(1), repeat('\0\0\0\x08free')]),
  'boxes without a size': Buffer.concat([mp4(1), repeat('\0\0\0\x01free')]),
  'movies in movies': Buffer.concat([mp4(1), repeat('\0\0\0\x08moov\0\0\0\x08trak')]),
  'runs of everything': Buffer.concat([
    mp4(1),
    repeat('\0\0\0\x10tfhd\0\0\0\0\0\0\0\x01\0\0\0\x10trun\0\0\0\0\xff\xff\xff\xff'),
  ]),
};

describe.each(Object.entries(ENDLESS))('a megabyte of %s', (_name, file) => {
  it('is read in time, forwards, and not shorter than its size allows', async () => {
    const started = processorMs();
    const { seconds, most } = lengthOf(file);
    const text = Buffer.from(file.toString('base64'));
    const decoded = await finishInTurns(soundLength(SoundBytes.ofBase64(text, 0, text.length)));
    expect(processorMs() - started).toBeLessThan(3_000);
    expect(decoded).toEqual({ seconds, most, asFilm: decoded.asFilm });
    expect(seconds).toBeGreaterThanOrEqual(file.length / MOST_BYTES.film);
  });
});

it('a long file is read in turns of a few milliseconds', () => {
  const file = Buffer.concat(Array(8).fill(mp3(60)));
  const body = Buffer.from(file.toString('base64'));
  const work = soundLength(SoundBytes.ofBase64(body, 0, body.length));
  let turns = 1;
  while (work.next().done !== true) turns++;
  expect(turns).toBeGreaterThan(file.length / (1 << 20));
});

describe('any bytes', () => {
  const starts = Object.values(HONEST).map((file) => file.subarray(0, 2_000));
  const bytes = fc.tuple(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 3_000 }), fc.nat(2_000));

  it('have a length that is a number, and as long as their size at the highest rate', () => {
    fc.assert(
      fc.property(bytes, ([start, rest, cut]) => {
        const file = Buffer.concat([start.subarray(0, cut), rest]);
        const { seconds, most } = lengthOf(file);
        expect(Number.isSafeInteger(seconds) && Number.isSafeInteger(most)).toBe(true);
        expect(most).toBeGreaterThanOrEqual(seconds);
        expect(seconds).toBeGreaterThanOrEqual(Math.floor(file.length / MOST_BYTES.film));
      }),
      { numRuns: runs(300) },
    );
  });

  it('changed anywhere have one, in base64 too', () => {
    const change = fc.tuple(
      fc.constantFrom(...starts),
      fc.array(fc.tuple(fc.nat(1_999), fc.nat(255)), { maxLength: 20 }),
    );
    fc.assert(
      fc.property(change, ([start, changes]) => {
        const file = Buffer.from(start);
        for (const [at, value] of changes) if (at < file.length) file[at] = value;
        expect(lengthInText(file.toString('base64'))).toEqual(lengthOf(file));
      }),
      { numRuns: runs(300) },
    );
  });
});

it('noise has no sync word, so that the files of the tests are what they say', () => {
  expect(noise(10_000).includes(0xff)).toBe(false);
});
