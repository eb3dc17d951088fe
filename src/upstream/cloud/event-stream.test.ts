import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkFrame, eventFrame, exceptionFrame } from '../../../sim/cloud/event-frame.ts';
import { EVENT_MESSAGE_BYTES_MAX } from './bounds.ts';
import { EventStreamDecoder } from './event-stream.ts';

const START = '{"type":"message_start","message":{"id":"m"}}';
const DELTA = '{"type":"content_block_delta","delta":{"text":"né 你好"}}';
const STREAM = Buffer.concat([
  chunkFrame(START),
  chunkFrame(DELTA),
  chunkFrame('{"a":1,"type":"message_stop"}'),
]);
const EVENTS =
  `event: message_start\ndata: ${START}\n\n` +
  `event: content_block_delta\ndata: ${DELTA}\n\n` +
  'event: message_stop\ndata: {"a":1,"type":"message_stop"}\n\n';

/** Bytes of a socket are overwritten as soon as they were read. */
function read(decoder: EventStreamDecoder, bytes: Buffer): string {
  const lent = Buffer.from(bytes);
  const events = decoder.push(lent);
  const text = events.toString();
  lent.fill(0);
  return text;
}

describe('the event stream of AWS', () => {
  it('becomes the events of the protocol, wherever it is cut', () => {
    for (let cut = 0; cut <= STREAM.length; cut++) {
      const decoder = new EventStreamDecoder();
      const text = read(decoder, STREAM.subarray(0, cut)) + read(decoder, STREAM.subarray(cut));
      expect(text, `cut at ${cut}`).toBe(EVENTS);
      expect(decoder.isInside).toBe(false);
      expect(decoder.complaint).toBeUndefined();
    }
  });

  it('becomes the same events byte by byte, and an event as soon as its last byte came', () => {
    const decoder = new EventStreamDecoder();
    const firstEnd = chunkFrame(START).length;
    let text = '';
    STREAM.forEach((_byte, index) => {
      text += read(decoder, STREAM.subarray(index, index + 1));
      if (index === firstEnd - 2) expect(text).toBe('');
      if (index === firstEnd - 1) expect(text).toBe(`event: message_start\ndata: ${START}\n\n`);
    });
    expect(text).toBe(EVENTS);
  });

  it('is refused if any single byte of it is wrong', () => {
    for (let index = 0; index < STREAM.length; index++) {
      const wrong = Buffer.from(STREAM);
      wrong[index] = (wrong[index] as number) ^ 0x01;
      const decoder = new EventStreamDecoder();
      const text = read(decoder, wrong);
      // A length that became larger makes the message end later than the stream.
      expect(decoder.complaint !== undefined || decoder.isInside, `byte ${index}`).toBe(true);
      expect(EVENTS.startsWith(text)).toBe(true);
      expect(text).not.toBe(EVENTS);
    }
  });

  it('reads nothing after a complaint', () => {
    const decoder = new EventStreamDecoder();
    const wrong = Buffer.from(STREAM);
    wrong[9] = (wrong[9] as number) ^ 0xff;
    expect(read(decoder, wrong)).toBe('');
    expect(decoder.complaint).toBe('the checksum of a prelude is wrong');
    expect(read(decoder, STREAM)).toBe('');
  });

  it('is known to be cut if it ends inside of a message', () => {
    const decoder = new EventStreamDecoder();
    read(decoder, STREAM.subarray(0, STREAM.length - 1));
    expect(decoder.isInside).toBe(true);
    expect(decoder.complaint).toBeUndefined();
  });

  it('is refused before memory is taken if a message is larger than the bound', () => {
    const payload = 'x'.repeat(EVENT_MESSAGE_BYTES_MAX);
    const large = eventFrame({ ':message-type': 'event' }, payload);
    const decoder = new EventStreamDecoder();
    expect(read(decoder, large.subarray(0, 12))).toBe('');
    expect(decoder.complaint).toMatch(/^a message is larger than/);
  });

  it('gives errors of the protocol for exceptions', () => {
    const expected: [string, string][] = [
      ['throttlingException', 'rate_limit_error'],
      ['validationException', 'invalid_request_error'],
      ['modelStreamErrorException', 'api_error'],
      ['internalServerException', 'api_error'],
      ['serviceUnavailableException', 'service_unavailable_error'],
    ];
    for (const [exception, type] of expected) {
      const text = read(new EventStreamDecoder(), exceptionFrame(exception, 'Too "many"\n'));
      const error = { type: 'error', error: { type, message: 'Too "many"\n' } };
      expect(text).toBe(`event: error\ndata: ${JSON.stringify(error)}\n\n`);
    }
    const headers = { ':message-type': 'error', ':error-code': 'InternalError', ':error-message': 'gone' };
    expect(read(new EventStreamDecoder(), eventFrame(headers, ''))).toContain('"message":"gone"');
  });

  it('passes over events that are no chunks, and refuses messages and chunks that it cannot read', () => {
    const other = eventFrame({ ':message-type': 'event', ':event-type': 'initial-response' }, '{}');
    expect(read(new EventStreamDecoder(), other)).toBe('');
    const chunk = { ':message-type': 'event', ':event-type': 'chunk' };
    for (const frame of [
      eventFrame({}, ''),
      eventFrame(chunk, '{"bytes":1}'),
      eventFrame(chunk, 'no'),
      chunkFrame('[]'),
    ]) {
      const decoder = new EventStreamDecoder();
      expect(read(decoder, frame)).toBe('');
      expect(decoder.complaint).toBeDefined();
    }
  });

  it('never throws and never ends in an endless loop, whatever arrives', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 100 }), { maxLength: 20 }), (chunks) => {
        const decoder = new EventStreamDecoder();
        for (const chunk of chunks) decoder.push(Buffer.from(chunk));
      }),
    );
  });
});
