import { LIVE_HEARTBEAT_MS, LIVE_RETRY_MS, LIVE_UNREAD_BYTES_MAX } from '../../operations/bounds.ts';
import type { EventSink } from '../../operations/context.ts';
import type { EventsAnswer } from '../../operations/operation.ts';
import { type Addressee, guardHeaders } from './envelope.ts';

/**
 * Opens a stream of server-sent events and returns. It ends when the client leaves, when the operation ends
 * it, or when the client does not read: events are never kept without bound. `left` is called once.
 */
export function sendEvents(
  { response, requestId }: Addressee,
  answer: EventsAnswer,
  left: () => void,
  { heartbeatMs, unreadBytesMax }: EventBounds = BOUNDS,
): void {
  if (response.destroyed || response.req.method === 'HEAD') {
    response.writeHead(200, { ...guardHeaders(requestId), ...EVENTS_HEADERS }).end();
    left();
    return;
  }
  response.writeHead(200, { ...guardHeaders(requestId), ...EVENTS_HEADERS });
  response.write(`retry: ${LIVE_RETRY_MS}\n\n`);
  const write = (text: string): void => {
    if (response.writableEnded || response.destroyed) return;
    response.write(text);
    if (response.writableLength > unreadBytesMax) response.destroy();
  };
  const sink: EventSink = {
    send: ({ name, data, id }) =>
      write(`event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`),
    end: () => void response.end(),
  };
  const heartbeat = setInterval(() => write(':\n\n'), heartbeatMs);
  const close = answer.open(sink);
  response.once('close', () => {
    clearInterval(heartbeat);
    close();
    left();
  });
}

export interface EventBounds {
  readonly heartbeatMs: number;
  readonly unreadBytesMax: number;
}

const BOUNDS: EventBounds = { heartbeatMs: LIVE_HEARTBEAT_MS, unreadBytesMax: LIVE_UNREAD_BYTES_MAX };

/** No proxy may collect events before it passes them on. */
const EVENTS_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'x-accel-buffering': 'no',
  connection: 'close',
};
