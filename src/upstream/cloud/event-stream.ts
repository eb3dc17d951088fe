import { crc32 } from 'node:zlib';
import { isJsonObject, parseJson } from '../../kernel/encoding/json.ts';
import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import type { UpstreamHead } from '../contract.ts';
import { EVENT_MESSAGE_BYTES_MAX } from './bounds.ts';
import { readHeaders } from './event-headers.ts';

/** Total length, length of the headers, and the checksum of both. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const NOTHING = Buffer.alloc(0);
const JSON_BOUNDS = { bytesMax: EVENT_MESSAGE_BYTES_MAX, depthMax: 64 };

export function isAwsEventStream({ status, headers }: UpstreamHead): boolean {
  const type = (headers['content-type'] ?? '').toLowerCase();
  return status === 200 && type.startsWith('application/vnd.amazon.eventstream');
}

/**
 * Reads the event stream of AWS (application/vnd.amazon.eventstream) and writes the server-sent events of the
 * Messages protocol. Messages may be cut anywhere; each is checked by both of its checksums.
 */
export class EventStreamDecoder {
  /** Why reading stopped. Nothing is read after it. */
  complaint: string | undefined;
  readonly #prelude = Buffer.alloc(PRELUDE_BYTES);
  /** The message that arrives. Before its prelude is complete there is none. */
  #message: Buffer | undefined;
  #filled = 0;

  /** A message has begun and not ended. */
  get isInside(): boolean {
    return this.#filled > 0;
  }

  /** The events that these bytes complete. */
  push(chunk: LentBytes): Buffer {
    const events: Buffer[] = [];
    let at = 0;
    while (at < chunk.length && this.complaint === undefined) {
      const target = this.#message ?? this.#prelude;
      const taken = Math.min(target.length - this.#filled, chunk.length - at);
      chunk.copy(target, this.#filled, at, at + taken);
      this.#filled += taken;
      at += taken;
      if (this.#filled < target.length) break;
      const event = this.#message === undefined ? this.#begin() : this.#finish(this.#message);
      if (event !== undefined) events.push(event);
    }
    return events.length === 0 ? NOTHING : Buffer.concat(events);
  }

  #begin(): undefined {
    const prelude = this.#prelude;
    const totalBytes = prelude.readUInt32BE(0);
    const headerBytes = prelude.readUInt32BE(4);
    if (crc32(prelude.subarray(0, 8)) !== prelude.readUInt32BE(8)) {
      this.complaint = 'the checksum of a prelude is wrong';
    } else if (totalBytes > EVENT_MESSAGE_BYTES_MAX) {
      this.complaint = `a message is larger than ${EVENT_MESSAGE_BYTES_MAX} bytes`;
    } else if (totalBytes < PRELUDE_BYTES + headerBytes + CHECKSUM_BYTES) {
      this.complaint = 'the lengths of a message do not fit together';
    } else {
      this.#message = Buffer.allocUnsafe(totalBytes);
      prelude.copy(this.#message);
    }
  }

  #finish(message: Buffer): Buffer | undefined {
    this.#message = undefined;
    this.#filled = 0;
    const end = message.length - CHECKSUM_BYTES;
    if (crc32(message.subarray(0, end)) !== message.readUInt32BE(end)) {
      this.complaint = 'the checksum of a message is wrong';
      return undefined;
    }
    const headersEnd = PRELUDE_BYTES + message.readUInt32BE(4);
    const headers = readHeaders(message.subarray(PRELUDE_BYTES, headersEnd));
    if (headers === undefined) {
      this.complaint = 'the headers of a message cannot be read';
      return undefined;
    }
    return this.#toEvent(headers, message.toString('utf8', headersEnd, end));
  }

  #toEvent(headers: ReadonlyMap<string, string>, payload: string): Buffer | undefined {
    switch (headers.get(':message-type')) {
      case 'event':
        return headers.get(':event-type') === 'chunk' ? this.#readChunk(payload) : undefined;
      case 'exception':
        return errorEvent(headers.get(':exception-type') ?? '', readMessage(payload));
      case 'error':
        return errorEvent(headers.get(':error-code') ?? '', headers.get(':error-message') ?? '');
      default:
        this.complaint = 'a message has no known type';
        return undefined;
    }
  }

  /** `{"bytes":"…"}`: an event of the Messages protocol in base64. */
  #readChunk(payload: string): Buffer | undefined {
    const parsed = parseJson(payload, JSON_BOUNDS);
    const bytes = parsed.kind === 'parsed' && isJsonObject(parsed.value) ? parsed.value.bytes : undefined;
    // A line end would end the event. In JSON it can only stand between values.
    const data =
      typeof bytes === 'string'
        ? Buffer.from(bytes, 'base64')
            .toString('utf8')
            .replace(/[\r\n]/g, ' ')
        : '';
    const type = findType(data);
    if (type === undefined) {
      this.complaint = 'a chunk has no event of the protocol';
      return undefined;
    }
    return Buffer.from(`event: ${type}\ndata: ${data}\n\n`);
  }
}

const LEADING_TYPE = /^\s{0,8}\{\s{0,8}"type"\s{0,8}:\s{0,8}"([a-z_]{1,60})"/;

function findType(data: string): string | undefined {
  const leading = LEADING_TYPE.exec(data)?.[1];
  if (leading !== undefined) return leading;
  const parsed = parseJson(data, JSON_BOUNDS);
  const type = parsed.kind === 'parsed' && isJsonObject(parsed.value) ? parsed.value.type : undefined;
  return typeof type === 'string' && /^[a-z_]{1,60}$/.test(type) ? type : undefined;
}

function readMessage(payload: string): string {
  const parsed = parseJson(payload, JSON_BOUNDS);
  if (parsed.kind === 'invalid' || !isJsonObject(parsed.value)) return '';
  const { message, Message } = parsed.value;
  const text = message ?? Message;
  return typeof text === 'string' ? text : '';
}

/** The exceptions of a stream, as the errors of the Messages protocol. */
const ERROR_TYPES = new Map([
  ['throttlingException', 'rate_limit_error'],
  ['validationException', 'invalid_request_error'],
  ['modelTimeoutException', 'timeout_error'],
  ['serviceUnavailableException', 'service_unavailable_error'],
  ['accessDeniedException', 'permission_error'],
]);

function errorEvent(exception: string, message: string): Buffer {
  const name = exception.charAt(0).toLowerCase() + exception.slice(1);
  const type = ERROR_TYPES.get(name) ?? 'api_error';
  const error = { type, message: message === '' ? exception : message };
  return Buffer.from(`event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`);
}
