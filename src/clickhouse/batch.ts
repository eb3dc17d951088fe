import { sha256Hex } from '../kernel/encoding/hash.ts';
import { BATCH_BYTES_MAX } from './bounds.ts';
import type { SinkLine, SinkRange } from './contract.ts';

/** Calls that are inserted by one statement. */
export interface Batch {
  readonly range: SinkRange;
  readonly calls: number;
  /** A line for each call. */
  readonly body: Buffer;
  /** The same for the same calls, so that ClickHouse inserts them once. */
  readonly token: string;
}

/** The lines of the range as one batch. */
export function toBatch(range: SinkRange, lines: readonly SinkLine[]): Batch {
  const text = lines.map(({ json }) => `${json}\n`).join('');
  const token = `tollgate-${range.after}-${range.to}-${sha256Hex(text)}`;
  return { range, calls: lines.length, body: Buffer.from(text), token };
}

/**
 * The first lines of a range that fit into one batch, and the range that they fill. Fewer lines than were
 * asked for are all there are, so that the range behind the last of them is empty.
 */
export function cutBatch(
  range: SinkRange,
  lines: readonly SinkLine[],
  callsMax: number,
): { readonly range: SinkRange; readonly lines: readonly SinkLine[] } {
  let bytes = 0;
  let fitting = 0;
  for (const { json } of lines) {
    bytes += Buffer.byteLength(json) + 1;
    if (bytes > BATCH_BYTES_MAX && fitting > 0) break;
    fitting += 1;
  }
  const taken = lines.slice(0, fitting);
  const isWhole = fitting === lines.length && lines.length < callsMax;
  const to = isWhole ? range.to : (taken.at(-1)?.number ?? range.to);
  return { range: { after: range.after, to }, lines: taken };
}
