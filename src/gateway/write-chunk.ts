import type { ServerResponse } from 'node:http';

/** Copying more than this into a frame costs more than the pieces do in which Node writes one. */
const COPIED_BYTES_MAX = 8 * 1024;
const FRAME_BYTES = 4;
const CR = 0x0d;
const LF = 0x0a;

/**
 * `response.write` for the many small chunks of a stream. Node writes a chunk as four pieces (size, line end,
 * bytes, line end), which is a good part of what a chunk costs; here it is one. All else stays with Node:
 * back-pressure, waiting behind an earlier answer on the connection, the end, and clients without chunks.
 */
export function writeChunk(response: ServerResponse, bytes: Buffer): boolean {
  const worthIt = bytes.length > 0 && bytes.length <= COPIED_BYTES_MAX;
  if (!worthIt || !response.chunkedEncoding) return response.write(bytes);
  // For this one write: the bytes bring their frame along.
  response.chunkedEncoding = false;
  const isReady = response.write(framed(bytes));
  response.chunkedEncoding = true;
  return isReady;
}

function framed(bytes: Buffer): Buffer {
  const size = bytes.length.toString(16);
  const frame = Buffer.allocUnsafe(size.length + bytes.length + FRAME_BYTES);
  let at = 0;
  while (at < size.length) frame[at] = size.charCodeAt(at++);
  frame[at++] = CR;
  frame[at++] = LF;
  at += bytes.copy(frame, at);
  frame[at++] = CR;
  frame[at] = LF;
  return frame;
}
