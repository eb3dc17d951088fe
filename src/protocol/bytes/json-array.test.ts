import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../test/support/cost.ts';
import { runs } from '../../../test/support/property-runs.ts';
import { ArraySplitter } from './json-array.ts';

function split(
  chunks: readonly Buffer[],
  splitter = new ArraySplitter(),
): { elements: string[]; passed: string } {
  const elements: string[] = [];
  let passed = '';
  for (const chunk of chunks) {
    splitter.feed(chunk);
    while (splitter.next()) {
      elements.push(splitter.payload.toString('utf8', splitter.payloadStart, splitter.payloadEnd));
    }
    const { bytes } = splitter;
    passed += bytes.toString('latin1', 0, splitter.keep());
  }
  if (splitter.closed && splitter.finish()) passed += splitter.bytes.toString('latin1', 0, splitter.keep());
  return { elements, passed: Buffer.from(passed, 'latin1').toString() };
}

describe('elements of a growing array', () => {
  it('are found whole at any split', () => {
    const element = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 3 }), {
      maxKeys: 4,
    });
    const gap = fc.constantFrom(',', ' ,\r\n', '\n,\n');
    fc.assert(
      fc.property(fc.array(element, { maxLength: 5 }), gap, fc.array(fc.nat(2000)), (list, between, at) => {
        const texts = list.map((value) => JSON.stringify(value));
        const bytes = Buffer.from(`[${texts.join(between)}\n]\n`);
        const places = [0, ...at.map((place) => place % (bytes.length + 1)), bytes.length].sort(
          (a, b) => a - b,
        );
        const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        expect(split(pieces)).toEqual({ elements: texts, passed: bytes.toString() });
      }),
      { numRuns: runs(150) },
    );
  });

  it('keep their comma until they are complete, so that an error can follow', () => {
    const splitter = new ArraySplitter();
    expect(split([Buffer.from('[{"a":1}\n, ')], splitter).passed).toBe('[{"a":1}\n');
    expect(splitter.atBoundary).toBe(true);
    expect(split([Buffer.from('{"b"')], splitter).passed).toBe('');
    expect(splitter.atBoundary).toBe(false);
    expect(split([Buffer.from(':2}')], splitter).passed).toBe(', {"b":2}');
    expect(splitter.closed).toBe(false);
    expect(split([Buffer.from(']')], splitter).passed).toBe(']');
    expect(splitter.closed).toBe(true);
  });

  it('keep the closing bracket until the vendor has ended, so that an error can follow', () => {
    const splitter = new ArraySplitter();
    splitter.feed(Buffer.from('[{"a":1}\n]\n'));
    expect(splitter.next()).toBe(true);
    expect(splitter.next()).toBe(false);
    expect(splitter.keep()).toBe('[{"a":1}\n'.length);
    expect(splitter.closed).toBe(true);
    splitter.feed(Buffer.from(',{"b":2}'));
    expect(splitter.next()).toBe(false);
    expect(splitter.keep()).toBe(0);
  });

  it('pass as the same buffer when they arrive whole', () => {
    const chunk = Buffer.from('[{"a":"}]"}\n');
    const splitter = new ArraySplitter();
    splitter.feed(chunk);
    expect(splitter.next()).toBe(true);
    expect(splitter.next()).toBe(false);
    expect(splitter.keep()).toBe(chunk.length);
    expect(splitter.bytes).toBe(chunk);
  });

  it('of twenty megabytes cost linear time', () => {
    const splitter = new ArraySplitter();
    const chunk = Buffer.alloc(1024, 0x78);
    const started = processorMs();
    split([Buffer.from('[{"a":"')], splitter);
    for (let fed = 0; fed < 20 * 1024; fed++) {
      splitter.feed(chunk);
      splitter.next();
      splitter.keep();
    }
    expect(split([Buffer.from('"}')], splitter).elements[0]).toHaveLength(20 * 1024 * 1024 + 8);
    expect(processorMs() - started).toBeLessThan(5_000);
  });
});
