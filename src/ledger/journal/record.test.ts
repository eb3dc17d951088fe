import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JOURNAL_RECORD_BYTES_MAX } from '../../bounds.ts';
import { anyEnd, anyOpen, anyUsage, sampleEnd, sampleOpen, sampleUsage } from '../suite/sample.ts';
import {
  encodeEnd,
  encodeMark,
  encodeOpen,
  FRAME_BYTES_MAX,
  frameInto,
  type JournalRecord,
} from './record.ts';
import { decodeEnd, decodeLine } from './record-reader.ts';

const frame = Buffer.alloc(FRAME_BYTES_MAX);

function frameLine(json: string): Buffer {
  const length = frameInto(frame, json) ?? 0;
  return Buffer.from(frame.subarray(0, length));
}

function readBack(json: string): JournalRecord | undefined {
  return decodeLine(frameLine(json).subarray(0, -1));
}

describe('a journal record', () => {
  it('of an open call is read back as written', () => {
    fc.assert(
      fc.property(anyOpen, (call) => {
        expect(readBack(encodeOpen(call))).toEqual({ kind: 'open', call });
      }),
    );
  });

  it('of an ended call is read back as written', () => {
    fc.assert(
      fc.property(anyEnd, (call) => {
        expect(readBack(encodeEnd(call))).toEqual({ kind: 'end', call });
      }),
    );
  });

  it('of a mark is read back as written', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        anyUsage,
        fc.nat(),
        fc.bigInt({ min: 0n, max: 10n ** 20n }),
        (...of) => {
          const [callId, usage, atMs, heldMicro] = of;
          const mark = { callId, usage, atMs, heldMicro };
          expect(readBack(encodeMark(mark))).toEqual({ kind: 'mark', ...mark });
          const before = encodeMark({ ...mark, heldMicro: undefined });
          expect(readBack(before)).toEqual({ kind: 'mark', ...mark, heldMicro: undefined });
        },
      ),
    );
  });

  it('separates BYOK attempts from those of the platform', () => {
    const attempt = { routeId: 1, vendor: 'openai', credential: 'main', outcome: '401', durationMs: 5 };
    const call = sampleEnd('req_1', { attempts: [{ ...attempt, own: true }, attempt] });
    const read = readBack(encodeEnd(call));
    expect(read).toMatchObject({ call: { attempts: [{ own: true }, { own: undefined }] } });
  });

  it('contains the basis of the grant, where a wallet pays', () => {
    const all = { month: '2026-11', mayExchange: true, creditsPerYuan: 1000 } as const;
    for (const granted of [all, { month: '2026-12' }]) {
      expect(readBack(encodeOpen(sampleOpen('req_1', granted)))).toMatchObject({ call: granted });
      expect(readBack(encodeEnd(sampleEnd('req_1', granted)))).toMatchObject({ call: granted });
    }
    const none = { month: undefined, mayExchange: undefined, creditsPerYuan: undefined };
    expect(readBack(encodeEnd(sampleEnd('req_1')))).toMatchObject({ call: none });
    expect(encodeEnd(sampleEnd('req_1'))).not.toMatch(/month|mayExchange/);
  });

  it('of a call that created a job names it, and no other record does', () => {
    const job = { kind: 'video', objectId: 'video_"1"' } as const;
    expect(readBack(encodeEnd(sampleEnd('req_1', { job })))).toMatchObject({ call: { job } });
    expect(decodeEnd(encodeEnd(sampleEnd('req_1', { job })))).toMatchObject({ callId: 'req_1', job });
    expect(decodeEnd(encodeOpen(sampleOpen('req_1')))).toBeUndefined();
    const without = encodeEnd(sampleEnd('req_1'));
    expect(without).not.toContain('job');
    expect(readBack(without)).toMatchObject({ call: { job: undefined } });
    for (const wrong of ['1', '{}', '{"kind":"dream","objectId":"x"}', '{"kind":"video","objectId":7}']) {
      expect(readBack(without.replace('"callId"', `"job":${wrong},"callId"`))).toBeUndefined();
    }
  });

  it('of an open call from before credentials were named is read without one', () => {
    const named = encodeOpen(sampleOpen('req_1'));
    const before = named.replace(',"credential":"main"', '');
    expect(before).not.toBe(named);
    expect(readBack(before)).toMatchObject({ kind: 'open', call: { credential: '', own: undefined } });
  });

  it('is one line, with any texts', () => {
    const line = frameLine(encodeEnd(sampleEnd('req_1', { keyName: 'two\nlines\r\n\u2028\ud800' })));
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(line.toString('utf8')).toMatch(/^[0-9a-f]{8} \{"kind":"end"/);
  });

  it('with a flipped bit or a cut is unreadable, without an exception', () => {
    const line = frameLine(encodeOpen(sampleOpen('req_1'))).subarray(0, -1);
    for (let bit = 0; bit < line.length * 8; bit++) {
      const flipped = Buffer.from(line);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(decodeLine(flipped)).toBeUndefined();
    }
    for (let length = 0; length < line.length; length++) {
      expect(decodeLine(line.subarray(0, length))).toBeUndefined();
    }
  });

  it('of garbage is undefined, without an exception', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(decodeLine(Buffer.from(bytes))).toBeUndefined();
      }),
    );
  });

  it('with a right checksum and wrong fields is undefined, without an exception', () => {
    const samples = [
      encodeOpen(sampleOpen('req_1')),
      encodeEnd(sampleEnd('req_1')),
      encodeMark({ callId: 'req_1', usage: sampleUsage(1, 2), atMs: 3, heldMicro: 4n }),
    ];
    fc.assert(
      fc.property(fc.constantFrom(...samples), fc.nat(), fc.jsonValue(), (sample, at, value) => {
        const record = JSON.parse(sample);
        const target = record.call ?? record;
        const names = Object.keys(target).filter((name) => name !== 'kind');
        const name = names[at % names.length] ?? '';
        const read = readBack(JSON.stringify({ ...record, call: { ...target, [name]: value } }));
        // Whatever was accepted has the type of its field; a mark has no call and is not touched.
        if (read?.kind === 'open') expect(encodeOpen(read.call)).toContain('"open"');
        if (read?.kind === 'end') expect(encodeEnd(read.call)).toContain('"end"');
      }),
    );
    for (const json of [
      'null',
      '[]',
      '1',
      '{}',
      '{"kind":"open"}',
      '{"kind":"end","call":[]}',
      '{"kind":"x"}',
    ]) {
      expect(readBack(json)).toBeUndefined();
    }
  });

  it('is not written with a number that could not be read back', () => {
    expect(() => encodeEnd(sampleEnd('req_1', { durationMs: Number.NaN }))).toThrow(
      'durations are not negative',
    );
    expect(() => encodeEnd(sampleEnd('req_1', { chargeMicro: -1n }))).toThrow('never negative');
    expect(() => encodeEnd(sampleEnd('req_1', { usage: sampleUsage(1.5, 0) }))).toThrow('whole numbers');
    expect(() => encodeOpen(sampleOpen('req_1', { accountId: Number.NaN }))).toThrow('ids');
    expect(() => encodeMark({ callId: 'req_1', usage: sampleUsage(0, 0), atMs: -1, heldMicro: 0n })).toThrow(
      'a time',
    );
  });

  it('beyond its bound is refused, and one of exactly the bound is not', () => {
    expect(frameInto(frame, 'x'.repeat(JOURNAL_RECORD_BYTES_MAX))).toBe(FRAME_BYTES_MAX);
    expect(frameInto(frame, 'x'.repeat(JOURNAL_RECORD_BYTES_MAX + 1))).toBeUndefined();
    expect(frameInto(frame, '語'.repeat(JOURNAL_RECORD_BYTES_MAX / 2))).toBeUndefined();
  });
});
