import { existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { assert } from '../../kernel/assert.ts';
import type { CallRecord } from '../contract.ts';
import { encodeEnd, FRAME_BYTES_MAX, frameInto, withoutDroppedFields } from './record.ts';
import { decodeLine } from './record-reader.ts';
import { readLines } from './segment.ts';

/** Not the name of a segment, so recovery ignores it. The lines are those of a segment. */
const REJECTED_NAME = 'rejected.log';

/**
 * Stores calls that the database refuses; they are on the disk when this returns. After the cause is fixed,
 * rename the file to a segment (`000000.log`) while Tollgate is stopped, and the next start settles it.
 */
export async function keepRejected(directory: string, calls: readonly CallRecord[]): Promise<void> {
  if (calls.length === 0) return;
  const file = await open(join(directory, REJECTED_NAME), 'a+', 0o600);
  try {
    if (await isTorn(file)) await file.appendFile('\n');
    const frame = Buffer.alloc(FRAME_BYTES_MAX);
    for (const call of calls) {
      const length =
        frameInto(frame, encodeEnd(call)) ?? frameInto(frame, encodeEnd(withoutDroppedFields(call)));
      assert(length !== undefined, 'a record fits into its bound');
      await file.appendFile(frame.subarray(0, length));
    }
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** The calls of the file, by their ids. Duplicates are kept. */
export async function* listRejected(directory: string): AsyncGenerator<string> {
  const path = join(directory, REJECTED_NAME);
  if (!existsSync(path)) return;
  for await (const line of readLines(path)) {
    const record = decodeLine(line);
    if (record?.kind === 'end') yield record.call.callId;
  }
}

/** A full disk or a crash may have torn the last line: it is lost, but the next one must not be. */
async function isTorn(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer } = await file.read({ buffer: Buffer.alloc(1), position: size - 1 });
  return buffer.toString('latin1') !== '\n';
}
