import type { ServerResponse } from 'node:http';
import { PLATFORM_EXPORT_STALL_MS } from '../../operations/bounds.ts';
import type { TextAnswer } from '../../operations/operation.ts';
import { type Addressee, guardHeaders } from './envelope.ts';

/**
 * Writes an export as it is read, at the speed of the client. The first piece is read before the head is
 * written, so that a failure until then is an ordinary answer. A later one resets the connection, because a
 * half export that ends normally would look complete.
 */
export async function sendText(
  { response, requestId }: Addressee,
  { contentType, fileName, chunks }: TextAnswer,
  stallMs: number = PLATFORM_EXPORT_STALL_MS,
): Promise<void> {
  const pieces = chunks[Symbol.asyncIterator]();
  let piece = await pieces.next();
  response.writeHead(200, {
    ...guardHeaders(requestId),
    'content-type': contentType,
    'content-disposition': `attachment; filename="${fileName.replace(/[^\w.-]/g, '_')}"`,
  });
  try {
    while (piece.done !== true) {
      if (!(await write(response, piece.value, stallMs))) break;
      piece = await pieces.next();
    }
  } catch (error) {
    response.destroy();
    throw error;
  }
  // The reader of the store must learn that the rest is not needed.
  if (piece.done !== true) await pieces.return?.();
  else response.end();
}

/** False: the client is gone, or has read nothing for too long. */
function write(response: ServerResponse, text: string, stallMs: number): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false);
  if (response.write(text)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const forget = (): void => {
      clearTimeout(stalled);
      response.off('drain', drained);
      response.off('close', closed);
    };
    const drained = (): void => {
      forget();
      resolve(true);
    };
    const closed = (): void => {
      forget();
      resolve(false);
    };
    // `closed` handles it.
    const stalled = setTimeout(() => response.destroy(), stallMs);
    response.on('drain', drained);
    response.on('close', closed);
  });
}
