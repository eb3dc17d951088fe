/** Yields to the event loop. Long work is done in slices with this between them. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Bytes copied in one turn: some milliseconds, including memory that is touched for the first time. */
const COPY_BYTES = 4 * 1024 * 1024;

/** Joins the pieces; large ones in slices, and then as a promise. */
export function joinPieces(
  pieces: readonly Buffer[],
  bytes = pieces.reduce((sum, { length }) => sum + length, 0),
): Buffer | Promise<Buffer> {
  const [first] = pieces;
  if (pieces.length === 1 && first !== undefined) return first;
  return bytes <= COPY_BYTES ? Buffer.concat(pieces, bytes) : joinInSlices(pieces, bytes);
}

async function joinInSlices(pieces: readonly Buffer[], bytes: number): Promise<Buffer> {
  const whole = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  let copied = 0;
  for (const piece of pieces) {
    at += piece.copy(whole, at);
    copied += piece.length;
    if (copied < COPY_BYTES) continue;
    copied = 0;
    await nextTurn();
  }
  return whole;
}
