import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../test/support/cost.ts';
import { runs } from '../../../test/support/property-runs.ts';
import { STREAM_EVENT_BYTES_MAX } from '../../bounds.ts';
import { SseSplitter } from './sse.ts';

interface Seen {
  readonly data: (string | undefined)[];
  readonly passed: string;
}

/** Feeds the chunks and collects each event's data (blanks squeezed) and everything passed on. */
function split(chunks: readonly Buffer[], splitter = new SseSplitter()): Seen {
  const data: (string | undefined)[] = [];
  const passed: Buffer[] = [];
  for (const chunk of chunks) {
    splitter.feed(chunk);
    while (splitter.next()) {
      const { payload, payloadStart, payloadEnd } = splitter;
      data.push(payloadStart < 0 ? undefined : payload.toString('utf8', payloadStart, payloadEnd));
    }
    const { bytes } = splitter;
    passed.push(Buffer.from(bytes.subarray(0, splitter.keep())));
  }
  return { data, passed: Buffer.concat(passed).toString() };
}

const cut = (bytes: Buffer, at: readonly number[]): Buffer[] => {
  const places = [0, ...[...at].sort((one, other) => one - other), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
};

describe('server-sent events are found as the standard says', () => {
  const streams: readonly (readonly [string, string, (string | undefined)[]])[] = [
    ['LF', 'data: a\n\ndata: b\n\n', ['a', 'b']],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['CR', 'data: a\r\rdata: b\r\r', ['a', 'b']],
    ['mixed line ends', 'data: a\r\n\ndata: b\n\r\ndata: c\r\r\n', ['a', 'b', 'c']],
    ['a byte order mark', '\ufeffdata: a\n\n\ufeffdata: b\n\n', ['a', undefined]],
    ['comments', ': ping\n\n:\n: x\ndata: a\n\n', [undefined, 'a']],
    ['event, id and retry lines', 'event: e\nid: 1\nretry: 5\ndata: a\ndatax: no\n\n', ['a']],
    ['no blank after the colon', 'data:a\n\ndata:  b\n\n', ['a', ' b']],
    ['an empty value', 'data\n\ndata:\n\n', ['', '']],
    ['extra blank lines', '\n\ndata: a\n\n\n', [undefined, undefined, 'a', undefined]],
  ];
  it.each(streams)('%s, cut at every byte', (_name, text, data) => {
    const bytes = Buffer.from(text);
    expect(split([bytes])).toEqual({ data, passed: text });
    for (let at = 0; at <= bytes.length; at++) {
      const { passed, data: found } = split(cut(bytes, [at]));
      expect(passed).toBe(text);
      expect(found.filter((one) => one !== undefined)).toEqual(data.filter((one) => one !== undefined));
    }
    expect(split([...bytes].map((byte) => Buffer.from([byte]))).passed).toBe(text);
  });

  it('joins several data lines with blanks in place of what stands between them', () => {
    const { data } = split([Buffer.from('data: {"a":\r\nid: 7\r\ndata:1,\ndata: "b":2}\n\n')]);
    expect(data[0]).toMatch(/^\{"a": +1, +"b":2\}$/);
    expect(JSON.parse(data[0] ?? '')).toEqual({ a: 1, b: 2 });
  });

  it('holds back only an unfinished event', () => {
    const splitter = new SseSplitter();
    expect(split([Buffer.from('data: a\n\ndata: b\n')], splitter).passed).toBe('data: a\n\n');
    expect(splitter.atBoundary).toBe(false);
    expect(split([Buffer.from('\n')], splitter).passed).toBe('data: b\n\n');
    expect(splitter.atBoundary).toBe(true);
  });

  it('finds whole events in place, without a copy', () => {
    const chunk = Buffer.from('data: a\n\ndata: b\n\n');
    const splitter = new SseSplitter();
    splitter.feed(chunk);
    while (splitter.next()) expect(splitter.payload).toBe(chunk);
    expect(splitter.keep()).toBe(chunk.length);
    expect(splitter.bytes).toBe(chunk);
  });

  it('gives the same events however a random stream is cut', () => {
    const line = fc.constantFrom('data: x', 'data:', ': c', 'event: e', 'data: {"a":"é😀"}', 'id', '');
    const end = fc.constantFrom('\n', '\r\n', '\r');
    const stream = fc.array(fc.tuple(line, end), { maxLength: 30 }).map((all) => all.flat().join(''));
    fc.assert(
      fc.property(stream, fc.array(fc.nat(300), { maxLength: 12 }), (text, at) => {
        const bytes = Buffer.from(text);
        const whole = split([bytes]);
        const places = at.map((place) => place % (bytes.length + 1));
        const pieces = split(cut(bytes, places));
        expect(pieces.data.filter(Boolean)).toEqual(whole.data.filter(Boolean));
        // A LF cut off from the CR of a blank line follows at once instead of being held.
        expect(pieces.passed.replace(/\n$/, '')).toBe(whole.passed.replace(/\n$/, ''));
      }),
      { numRuns: runs(2000) },
    );
  });
});

describe('an endless line', () => {
  const LINE_BYTES = 20 * 1024 * 1024;

  it.each([1024, 65_536])('of 20 MiB costs linear time in chunks of %d', (size) => {
    const splitter = new SseSplitter();
    const chunk = Buffer.alloc(size, 0x78);
    const started = processorMs();
    splitter.feed(Buffer.from('data: "'));
    splitter.keep();
    for (let fed = 0; fed < LINE_BYTES; fed += size) {
      splitter.feed(chunk);
      expect(splitter.next()).toBe(false);
      splitter.keep();
    }
    splitter.feed(Buffer.from('"\n\n'));
    expect(splitter.next()).toBe(true);
    expect(splitter.payloadEnd - splitter.payloadStart).toBe(LINE_BYTES + 2);
    expect(processorMs() - started).toBeLessThan(5_000);
  });

  it('of single bytes stays linear', () => {
    const time = (count: number): number => {
      const splitter = new SseSplitter();
      const byte = Buffer.from('x');
      const started = processorMs();
      for (let fed = 0; fed < count; fed++) {
        splitter.feed(byte);
        splitter.next();
        splitter.keep();
      }
      return processorMs() - started;
    };
    time(50_000);
    expect(time(400_000)).toBeLessThan(40 * Math.max(5, time(50_000)));
  });

  it('of many lines stays linear when every CRLF is cut', () => {
    const splitter = new SseSplitter();
    const started = processorMs();
    for (let line = 0; line < 40_000; line++) {
      for (const piece of ['data: x\r', '\n']) {
        splitter.feed(Buffer.from(piece));
        splitter.next();
        splitter.keep();
      }
    }
    expect(processorMs() - started).toBeLessThan(4_000);
  });

  it('of letters outside a string, or of very many lines, is refused early', () => {
    for (const piece of ['x', ': x\n']) {
      const splitter = new SseSplitter();
      splitter.feed(Buffer.from('data: {'));
      splitter.next();
      splitter.keep();
      splitter.feed(Buffer.alloc(400_000, piece));
      splitter.feed(Buffer.from('\n\n'));
      splitter.next();
      expect(splitter.overflowed).toBe(true);
    }
  });

  it('is refused over the bound', () => {
    const splitter = new SseSplitter();
    const chunk = Buffer.alloc(8 * 1024 * 1024, 0x78);
    for (let fed = 0; fed <= STREAM_EVENT_BYTES_MAX; fed += chunk.length) {
      splitter.feed(chunk);
      splitter.next();
      splitter.keep();
    }
    expect(splitter.overflowed).toBe(true);
  });
});

describe('a stream without its last blank line', () => {
  const finish = (text: string): string | undefined => {
    const splitter = new SseSplitter();
    split([Buffer.from(text)], splitter);
    if (!splitter.finish()) return undefined;
    expect(splitter.next()).toBe(true);
    return splitter.bytes.toString('utf8', 0, splitter.keep());
  };

  it.each([
    ['data: [DONE]', 'data: [DONE]\n\n'],
    ['data: [DONE]\n', 'data: [DONE]\n\n'],
    ['data: [DONE]\r\n', 'data: [DONE]\r\n\n'],
    ['data: {"a":1}\r', 'data: {"a":1}\r\r'],
    [': bye\n', ': bye\n\n'],
  ])('%j is passed on with it', (text, rest) => {
    expect(finish(text)).toBe(rest);
  });

  it.each(['data: [DON', 'data: {"a":', 'data: {"a":"}', 'eve', 'data: {"a":\n', ': b'])(
    '%j is not an event and is dropped',
    (text) => {
      expect(finish(text)).toBeUndefined();
    },
  );
});
