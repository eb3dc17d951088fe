import { gzipSync } from 'node:zlib';
import type { Encoder } from '../answer/send.ts';
import type { FaultCall } from '../request/directive.ts';

/** Faults of the bytes: line ends, marks, and how the text is cut into writes. */
export interface ByteFault {
  encoder(next: Encoder, fault: FaultCall): Encoder;
  readonly headers?: Readonly<Record<string, string>>;
  writePaceMs?(fault: FaultCall): number;
}

const SLOW_MS_DEFAULT = 1_000;

/** In the order in which they are applied: text first, then compression, then the cutting. */
export const BYTE_FAULTS: ReadonlyMap<string, ByteFault> = new Map<string, ByteFault>([
  ['crlf', { encoder: (next) => (text) => next(lineEnds(text, '\r\n')) }],
  ['cr', { encoder: (next) => (text) => next(lineEnds(text, '\r')) }],
  ['mixed', { encoder: mixedLineEnds }],
  ['bom', { encoder: (next) => onFirst(next, (text) => `\uFEFF${text}`) }],
  [
    'gzip-sse',
    {
      // Members of a gzip file may follow each other: every event is one, so that each can be flushed.
      encoder: (next) => (text) => [...next(text)].map((chunk) => gzipSync(chunk)),
      headers: { 'content-encoding': 'gzip' },
    },
  ],
  ['split', { encoder: (next) => (text) => bytesOf(next(text)) }],
  [
    'slow-bytes',
    {
      encoder: (next) => (text) => bytesOf(next(text)),
      writePaceMs: (fault) => fault.at ?? SLOW_MS_DEFAULT,
    },
  ],
]);

function lineEnds(text: string, lineEnd: string): string {
  return text.replace(/\r\n|\n/g, lineEnd);
}

/** Every line end of the stream is the next of the three; a CR before a LF would be one line end, not two. */
function mixedLineEnds(next: Encoder): Encoder {
  const turns = ['\n', '\r', '\r\n'];
  let turn = 0;
  return (text) => next(text.replace(/\r\n|\n/g, () => turns[turn++ % turns.length] ?? '\n'));
}

function onFirst(next: Encoder, change: (text: string) => string): Encoder {
  let first = true;
  return (text) => {
    const written = first ? change(text) : text;
    first = false;
    return next(written);
  };
}

/** One write for every byte, through the middle of characters. */
function* bytesOf(chunks: Iterable<string | Buffer>): Iterable<Buffer> {
  for (const chunk of chunks) {
    const bytes = Buffer.from(chunk as string);
    for (let index = 0; index < bytes.length; index++) yield bytes.subarray(index, index + 1);
  }
}
