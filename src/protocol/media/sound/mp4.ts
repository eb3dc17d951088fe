import { SOUND_STREAMS_MAX } from '../../bounds.ts';
import type { Sliced } from '../../bytes/slices.ts';
import { type Measured, MOST_BYTES } from './rates.ts';
import type { SoundBytes } from './sound-bytes.ts';

/** Boxes that are entered. All others are stepped over. */
const ENTERED: ReadonlySet<string> = new Set([
  'moov',
  'trak',
  'mdia',
  'minf',
  'stbl',
  'mvex',
  'moof',
  'traf',
]);
const HEAD_BYTES = 8;
const LONG_HEAD_BYTES = 16;
/** What is read of a box at once: the head of its table, or all of a box without one. */
const VALUE_BYTES_MAX = 64;
const HIGH = 0x1_0000_0000;

interface Track {
  id: number;
  handler: string;
  codec: string;
  sampleRate: number;
  timescale: number;
  /** By `mdhd`. */
  declared: number;
  /** By `stts`, and by the runs of fragments. */
  duration: number;
  timed: number;
  sized: number;
  usualDuration: number;
}

/** The tables of the samples, in the file or in its fragments. The length of the movie is a claim. */
export function* measureMp4(sound: SoundBytes): Sliced<Measured | undefined> {
  const tracks: Track[] = [];
  let fragment: Track | undefined;
  let usual = 0;
  let at = 0;
  for (;;) {
    if (sound.isDue()) yield;
    const index = sound.seek(at, LONG_HEAD_BYTES + VALUE_BYTES_MAX);
    const { bytes } = sound;
    if (index + HEAD_BYTES > bytes.length) break;
    const type = bytes.toString('latin1', index + 4, index + HEAD_BYTES);
    const short = bytes.readUInt32BE(index);
    const isLong = short === 1 && index + LONG_HEAD_BYTES <= bytes.length;
    const headBytes = isLong ? LONG_HEAD_BYTES : HEAD_BYTES;
    const size = isLong ? bytes.readUInt32BE(index + 8) * HIGH + bytes.readUInt32BE(index + 12) : short;
    // A box without an end is the last one.
    if (size < headBytes) break;
    const start = index + headBytes;
    if (ENTERED.has(type)) {
      if (type === 'trak' && tracks.length < SOUND_STREAMS_MAX) tracks.push(newTrack());
      at += headBytes;
      continue;
    }
    const box = { type, bytes, start, end: Math.min(bytes.length, index + size) };
    if (type === 'tfhd') {
      fragment = findTrack(tracks, number(box, 4));
      usual = fragmentDuration(box) ?? fragment?.usualDuration ?? 0;
    } else if (type === 'trex') {
      const track = findTrack(tracks, number(box, 4));
      if (track !== undefined) track.usualDuration = number(box, 12);
    } else if (type === 'stts' || type === 'trun') {
      const track = type === 'stts' ? tracks.at(-1) : fragment;
      const table = type === 'stts' ? timesTable(box) : runTable(box, usual);
      if (track !== undefined)
        yield* addTable(sound, track, { ...table, at: at + headBytes + table.at, end: at + size });
    } else readBox(tracks.at(-1), box);
    at += size;
  }
  return judge(tracks, sound.length);
}

function newTrack(): Track {
  const none = { timescale: 0, declared: 0, duration: 0, timed: 0, sized: 0, usualDuration: 0 };
  return { id: -1, handler: '', codec: '', sampleRate: 0, ...none };
}

function findTrack(tracks: readonly Track[], wanted: number): Track | undefined {
  return tracks.find(({ id }) => id === wanted);
}

interface Box {
  readonly type: string;
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** A number behind the head of a box; 0 if the box ends before it. */
function number({ bytes, start, end }: Box, at: number): number {
  return start + at + 4 <= end ? bytes.readUInt32BE(start + at) : 0;
}

function text({ bytes, start, end }: Box, at: number): string {
  return bytes.toString('latin1', Math.min(end, start + at), Math.min(end, start + at + 4));
}

function readBox(track: Track | undefined, box: Box): void {
  if (track === undefined) return;
  const isLong = number(box, 0) >>> 24 === 1;
  switch (box.type) {
    case 'tkhd':
      track.id = number(box, isLong ? 20 : 12);
      break;
    case 'mdhd':
      track.timescale = number(box, isLong ? 20 : 12);
      track.declared = isLong ? number(box, 24) * HIGH + number(box, 28) : number(box, 16);
      break;
    case 'hdlr':
      // QuickTime has a second one, for where the data is.
      if (track.handler === '') track.handler = text(box, 8);
      break;
    case 'stsd':
      track.codec = text(box, 12);
      track.sampleRate = number(box, 40) >>> 16;
      break;
    case 'stsz':
    case 'stz2':
      track.sized = number(box, 8);
      break;
  }
}

/** Rows of a table: where the first is, how long each is, how many there are, and what a row says. */
interface Table {
  readonly at: number;
  readonly rowBytes: number;
  readonly rows: number;
  readonly row: (bytes: Buffer, at: number, track: Track) => void;
}

function timesTable(box: Box): Table {
  const row: Table['row'] = (bytes, at, track) => {
    const count = bytes.readUInt32BE(at);
    track.timed += count;
    track.duration += count * bytes.readUInt32BE(at + 4);
  };
  return { at: 8, rowBytes: 8, rows: number(box, 4), row };
}

function fragmentDuration(box: Box): number | undefined {
  const flags = number(box, 0);
  if ((flags & 8) === 0) return undefined;
  return number(box, 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0));
}

function runTable(box: Box, usual: number): Table {
  const flags = number(box, 0);
  const rows = number(box, 4);
  const at = 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0);
  const columns = [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0).length;
  if ((flags & 0x100) !== 0) {
    const row: Table['row'] = (bytes, from, track) => {
      track.timed++;
      track.duration += bytes.readUInt32BE(from);
    };
    return { at, rowBytes: 4 * columns, rows, row };
  }
  const row: Table['row'] = (_bytes, _from, track) => {
    track.timed += rows;
    track.duration += rows * usual;
  };
  return { at: 0, rowBytes: 8, rows: 1, row };
}

function* addTable(
  sound: SoundBytes,
  track: Track,
  { at: from, end, rowBytes, rows, row }: Table & { readonly end: number },
): Sliced<void> {
  let at = from;
  for (let index = 0; index < rows && at + rowBytes <= end; index++) {
    if (sound.isDue()) yield;
    const start = sound.seek(at, rowBytes);
    if (start + rowBytes > sound.bytes.length) return;
    row(sound.bytes, start, track);
    at += rowBytes;
  }
}

function judge(tracks: readonly Track[], bytes: number): Measured | undefined {
  const played = tracks.filter(({ handler }) => handler === 'soun' || handler === 'vide');
  if (played.length === 0) return undefined;
  const seconds = Math.max(...played.map((track) => trackSeconds(track, bytes)));
  if (seconds === 0) return undefined;
  return { seconds, strayBytes: 0, mostBytes: mostBytes(played) };
}

function mostBytes(tracks: readonly Track[]): number {
  if (tracks.some(({ handler }) => handler === 'vide')) return MOST_BYTES.film;
  return tracks.every(({ codec }) => codec === 'mp4a' || codec === 'Opus') ? MOST_BYTES.aac : MOST_BYTES.pcm;
}

/** A frame of AAC, and one whose upper half is only described. */
const AAC_SAMPLES = 1_024;
const AAC_SAMPLES_MAX = 2_048;
const AAC_RATE_MIN = 7_350;
const AAC_RATE_MAX = 96_000;
/** One sample of a file lasts for less than this: a packet of sound, or a picture. */
const SOUND_SECONDS_MAX = 1;
const PICTURE_SECONDS_MAX = 10;

function trackSeconds(track: Track, bytes: number): number {
  const { handler, codec, timescale, declared, duration, timed, sized } = track;
  // No sample is smaller than a byte.
  const samples = Math.min(Math.max(timed, sized), bytes);
  const claimed = timescale === 0 ? 0 : (duration || declared) / timescale;
  if (handler === 'vide') return Math.min(claimed, samples * PICTURE_SECONDS_MAX);
  if (codec !== 'mp4a') return Math.min(claimed, samples * SOUND_SECONDS_MAX);
  // An entry of QuickTime's second version has its rate elsewhere.
  const written = track.sampleRate < AAC_RATE_MIN ? timescale : track.sampleRate;
  const sampleRate = Math.min(written || AAC_RATE_MAX, AAC_RATE_MAX);
  const least = (samples * AAC_SAMPLES) / sampleRate;
  return Math.min(Math.max(claimed, least), (least * AAC_SAMPLES_MAX) / AAC_SAMPLES);
}
