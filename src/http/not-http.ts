import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Node's error codes of malformed requests. All others are a 400. */
const STATUS_BY_CODE = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
]);

export interface NotHttp {
  readonly error: NodeJS.ErrnoException;
  readonly socket: Socket;
  /** The newest answer on this connection. */
  readonly answer: ServerResponse | undefined;
  readonly requestId: string;
}

/** A malformed request has no protocol for an error body. It gets a bare status, and the socket closes. */
export function refuseNotHttp({ error, socket, answer, requestId }: NotHttp): void {
  // A status line within another answer would be read as a part of it.
  const isInside = answer?.headersSent === true && !answer.writableFinished;
  if (!socket.writable || isInside) {
    socket.destroy();
    return;
  }
  const status = STATUS_BY_CODE.get(error.code ?? '') ?? '400 Bad Request';
  socket.end(
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\nx-request-id: ${requestId}\r\n\r\n`,
  );
}
