import { describe, expect, it } from 'vitest';
import { exampleCell } from '../../test/support/bench-results.ts';
import type { Cell } from '../report/result.ts';
import { CONTENT_CHUNKS, DIALECT_NAMES, DIALECTS, type DialectName, TEXTS } from './dialect.ts';
import { pairLines, renderPairs, worstPair } from './report.ts';
import { createVerifier } from './verify.ts';

function cell(client: DialectName, vendor: DialectName, repeat: number, cpuMs: number): Cell {
  const events = CONTENT_CHUNKS + DIALECTS[client].eventsAround;
  const pair = { pair: { client, vendor }, streamed: true, contentChunks: CONTENT_CHUNKS };
  const made = exampleCell('tollgate', repeat, { ...pair, part: 'convert', cpuMs });
  return { ...made, scenario: `${client}-over-${vendor}`, load: { ...made.load, calls: 1, events } };
}

describe('pairLines', () => {
  const cells = [0, 1, 2].flatMap((repeat) => [
    cell('chat', 'chat', repeat, 10 * (repeat + 1)),
    cell('messages', 'messages', repeat, 5 * (repeat + 1)),
    cell('messages', 'chat', repeat, 18 * (repeat + 1)),
    cell('chat', 'messages', repeat, 18 * (repeat + 1)),
    { ...cell('chat', 'chat', repeat, 12 * (repeat + 1)), target: 'bare' },
    { ...cell('messages', 'messages', repeat, 9 * (repeat + 1)), target: 'bare' },
  ]);

  it('compares a conversion with its vendor and its client passed through in the same repeat', () => {
    const line = pairLines(cells).find((each) => each.client === 'messages' && each.vendor === 'chat');
    // 500 chunks cost 36 ms in the second of three repeats.
    expect(line?.cost.median).toBeCloseTo(7.2);
    expect(line?.ofVendor.median).toBeCloseTo(1.8);
    expect(line?.ofClient.median).toBeCloseTo(3.6);
    expect(line?.ofBare?.median).toBeCloseTo(1.5);
  });

  it('judges by the bare proxy with the same vendor, and leaves out pairs that were not measured', () => {
    const text = renderPairs(cells);
    expect(text).toMatch(/\| chat +\| messages +\|.*\| met +\|/);
    expect(text).toMatch(/\| messages +\| chat +\|.*\| missed +\|/);
    expect(text).not.toContain('gemini');
    expect(worstPair(cells)).toMatchObject({ client: 'chat', vendor: 'messages' });
  });
});

describe.each(DIALECT_NAMES)('a stream of %s', (name) => {
  const events = DIALECTS[name].vendorEvents(TEXTS);
  const verify = createVerifier(name);
  const middle = Math.floor(events.length / 2);

  it('has as many events as are expected around its content', () => {
    expect(events).toHaveLength(CONTENT_CHUNKS + DIALECTS[name].eventsAround);
  });

  it('is complete only with every text in its place, its usage and its terminator', () => {
    const whole = events.join('');
    const swapped = [
      ...events.slice(0, middle),
      events[middle + 1],
      events[middle],
      ...events.slice(middle + 2),
    ];
    expect(verify(Buffer.from(whole))).toBeUndefined();
    expect(verify(Buffer.from(events.toSpliced(middle, 1).join('')))).toMatch(/^text \d+ is not there$/);
    expect(verify(Buffer.from(swapped.join('')))).toMatch(/^text \d+ is not there$/);
    expect(verify(Buffer.from(events.slice(0, -1).join('')))).toMatch(/^stream without/);
    expect(verify(Buffer.from(whole.replaceAll(DIALECTS[name].usageMarker, '')))).toBe(
      'stream without usage',
    );
  });
});
