import type { ServerResponse } from 'node:http';

/** The time for the last bytes to leave before the reset, which would overtake them. */
const FLUSH_MS = 50;
/** A client that does not read its error event is reset after this time. */
const FLUSH_MS_MAX = 1_000;

/**
 * Ends a broken stream: sends the last bytes, then a TCP reset. Rule I-35: after a clean end without a
 * terminator some SDKs report success; after a reset all of them raise an error.
 */
export function resetAfter(response: ServerResponse, lastBytes: Buffer | undefined): void {
  const { socket } = response;
  if (socket === null) {
    // A pipelined answer has no socket until the one before it has ended.
    response.once('socket', () => resetAfter(response, lastBytes));
    return;
  }
  if (socket.destroyed) return;
  const reset = (): void => {
    if (!socket.destroyed) socket.resetAndDestroy();
  };
  const late = setTimeout(reset, FLUSH_MS_MAX);
  socket.once('close', () => clearTimeout(late));
  const soon = (): void => void setTimeout(reset, FLUSH_MS);
  if (lastBytes === undefined || lastBytes.length === 0) soon();
  else response.write(lastBytes, soon);
}
