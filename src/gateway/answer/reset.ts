import type { ServerResponse } from 'node:http';

/** What the last bytes get to leave our side before the reset would overtake them. */
const FLUSH_MS = 50;
/** A client that does not even take its error event is reset all the same. */
const FLUSH_MS_MAX = 1_000;

/**
 * Ends a broken stream: the last bytes, then a RESET. Rule I-35: after a clean end without a terminator
 * some SDKs report success; after a reset every one of them raises.
 */
export function resetAfter(response: ServerResponse, lastBytes: Buffer | undefined): void {
  const { socket } = response;
  if (socket === null) {
    // Behind another answer on the same connection it has no socket yet; after its end it never gets one.
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
  if (lastBytes === undefined) soon();
  else response.write(lastBytes, soon);
}
