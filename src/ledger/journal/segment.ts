import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FRAME_BYTES_MAX } from './record.ts';

/** Segments are `000001.log`, `000002.log`, …: their numbers are their order. */
const NAME = /^(\d{6,12})\.log$/;
const LINE_FEED = 0x0a;

export function segmentPath(directory: string, number: number): string {
  return join(directory, `${String(number).padStart(6, '0')}.log`);
}

/** The numbers of the segments in the directory, oldest first. */
export async function listSegments(directory: string): Promise<readonly number[]> {
  const numbers: number[] = [];
  for (const name of await readdir(directory)) {
    const match = NAME.exec(name);
    if (match?.[1] !== undefined) numbers.push(Number(match[1]));
  }
  return numbers.sort((one, other) => one - other);
}

/**
 * The lines of a segment, without their line feeds. Memory is bounded for any file: a line that is longer
 * than a record can be comes in pieces, and none of them is a record.
 */
export async function* readLines(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path)) {
    const data: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = data.indexOf(LINE_FEED); end !== -1; end = data.indexOf(LINE_FEED, start)) {
      yield data.subarray(start, end);
      start = end + 1;
    }
    rest = data.subarray(start);
    if (rest.length > FRAME_BYTES_MAX) {
      yield rest;
      rest = Buffer.alloc(0);
    }
  }
  if (rest.length > 0) yield rest;
}
