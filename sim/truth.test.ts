import { describe, expect, it } from 'vitest';
import { TRUTH_CALLS_MAX, TRUTH_RAW_BYTES_MAX, TRUTH_RAW_CALLS_MAX } from './bounds.ts';
import { Truth, type TruthCall } from './truth.ts';

function call(sequence: number): TruthCall {
  return { sequence, tag: '' } as TruthCall;
}

describe('the truth', () => {
  it('finds calls by tag, the newest call first', () => {
    const truth = new Truth();
    const calls = [call(1), call(2), call(3)];
    for (const one of calls) truth.record(one);
    for (const [index, one] of calls.entries()) truth.tag(one, index === 1 ? 'other' : 'same');
    expect(truth.list('same').map(({ sequence }) => sequence)).toEqual([1, 3]);
    expect(truth.find('same')?.sequence).toBe(3);
    expect(truth.find('never')).toBeUndefined();
  });

  it('forgets the oldest call, and its tag, when the ring is full', () => {
    const truth = new Truth();
    for (let sequence = 0; sequence < TRUTH_CALLS_MAX + 2; sequence++) {
      const one = call(sequence);
      truth.record(one);
      truth.tag(one, sequence < 3 ? 'early' : '');
    }
    expect(truth.size).toBe(TRUTH_CALLS_MAX);
    expect(truth.list('early').map(({ sequence }) => sequence)).toEqual([2]);
    expect(truth.all()[0]?.sequence).toBe(2);
    expect(truth.all().at(-1)?.sequence).toBe(TRUTH_CALLS_MAX + 1);
  });

  it('keeps the bytes of the last requests only, and none that are too large', () => {
    const truth = new Truth();
    const calls = Array.from({ length: TRUTH_RAW_CALLS_MAX + 1 }, (_, index) => call(index));
    for (const one of calls) truth.keepBody(one, Buffer.from(`body ${one.sequence}`));
    expect(truth.body(calls[0] as TruthCall)).toBeUndefined();
    expect(truth.body(calls[1] as TruthCall)?.toString()).toBe('body 1');
    const large = call(9);
    truth.keepBody(large, Buffer.alloc(TRUTH_RAW_BYTES_MAX + 1));
    expect(truth.body(large)).toBeUndefined();
    expect(large.bodySha256).toMatch(/^[0-9a-f]{64}$/);
  });
});
