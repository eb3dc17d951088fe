import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { FRAME_BYTES_MAX } from './record.ts';
import { listSegments, readLines, segmentPath } from './segment.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tollgate-segment-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function writeAndReadLines(content: string | Buffer): Promise<string[]> {
  const path = segmentPath(directory, 1);
  await writeFile(path, content);
  const lines: string[] = [];
  for await (const line of readLines(path)) lines.push(line.toString('latin1'));
  return lines;
}

describe('segments', () => {
  it('are listed by number, without other files', async () => {
    const names = [
      '000002.log',
      '000010.log',
      '1000000.log',
      '000001.log',
      'rejected.log',
      '01.log',
      'x.log',
    ];
    for (const name of names) await writeFile(join(directory, name), '');
    expect(await listSegments(directory)).toEqual([1, 2, 10, 1_000_000]);
  });

  it('return their lines, the last one also without its line feed', async () => {
    const line = fc.stringMatching(/^[a-z]{0,40}$/);
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 30 }), async (lines) => {
        expect(await writeAndReadLines(lines.map((text) => `${text}\n`).join(''))).toEqual(lines);
        expect(await writeAndReadLines(`${lines.join('\n')}\nlast`)).toEqual([
          ...(lines.length ? lines : ['']),
          'last',
        ]);
      }),
      { numRuns: runs(30) },
    );
  });

  it('return a line of a whole record across the borders of reads', async () => {
    const lines = Array.from({ length: 9 }, (_, index) => String(index).repeat(FRAME_BYTES_MAX - 1));
    expect(await writeAndReadLines(lines.map((text) => `${text}\n`).join(''))).toEqual(lines);
  });

  it('never hold a line in memory that is longer than a record', async () => {
    const lines = await writeAndReadLines(Buffer.alloc(1_000_000, 0x61));
    expect(lines.length).toBeGreaterThan(5);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(2 * FRAME_BYTES_MAX);
  });
});
