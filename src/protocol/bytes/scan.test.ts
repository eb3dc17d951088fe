import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { JSON_DEPTH_MAX } from '../../bounds.ts';
import { compileMediaKeys, MediaFinder } from '../media/finder.ts';
import { compilePaths } from './paths.ts';
import { JsonScan } from './scan.ts';

const TREE = compilePaths({
  model: 'model',
  options: 'stream_options',
  asked: 'stream_options.include_usage',
});
const { slots } = TREE;

function scan(text: string | Buffer): JsonScan | undefined {
  const bytes = Buffer.from(text);
  const made = new JsonScan(bytes, TREE);
  return made.run(bytes.length) === 'done' ? made : undefined;
}

function found(text: string, slot: number): string[] {
  const bytes = Buffer.from(text);
  return (scan(text)?.found[slot] ?? []).map(({ start, end }) => bytes.toString('utf8', start, end));
}

function isObjectForNode(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

describe('the scanner finds values by their place', () => {
  it('reports the value of a top-level key with its quotes', () => {
    expect(found('{"a":[{"model":"no"}],"model" : "yes" ,"b":{"model":"no"}}', slots.model)).toEqual([
      '"yes"',
    ]);
  });

  it('never takes a key out of a string', () => {
    expect(found('{"a":"\\"model\\":\\"no\\"","b":"{\\"model\\":1}"}', slots.model)).toEqual([]);
  });

  it('recognises a key spelled with escapes', () => {
    expect(found('{"\\u006dod\\u0065l":"x","mod\\/el":"y"}', slots.model)).toEqual(['"x"']);
  });

  it('reports every value of a repeated key', () => {
    expect(found('{"model":"a","model":{"x":1},"model":[2]}', slots.model)).toEqual([
      '"a"',
      '{"x":1}',
      '[2]',
    ]);
  });

  it('forgets what stood under an earlier value of a repeated key', () => {
    const text = '{"stream_options":{"include_usage":true},"stream_options":{}}';
    expect(found(text, slots.options)).toEqual(['{"include_usage":true}', '{}']);
    expect(found(text, slots.asked)).toEqual([]);
  });

  it('follows a path through objects and not through arrays', () => {
    expect(found('{"stream_options":[{"include_usage":true}]}', slots.asked)).toEqual([]);
    expect(found('{"stream_options":{"x":{"include_usage":1},"include_usage":false}}', slots.asked)).toEqual([
      'false',
    ]);
  });
});

describe('the scanner accepts exactly the JSON objects', () => {
  const INVALID = [
    ...[
      '',
      ' ',
      '[]',
      '"x"',
      '1',
      'null',
      '{',
      '}',
      '{"a"}',
      '{"a":}',
      '{"a":1,}',
      '{,}',
      "{'a':1}",
      '{a:1}',
    ],
    ...['{"a":01}', '{"a":1.}', '{"a":.5}', '{"a":+1}', '{"a":1e}', '{"a":-}', '{"a":0x1}', '{"a":NaN}'],
    ...['{"a":tru}', '{"a":nul', '{"a":"\n"}', '{"a":"\\x"}', '{"a":"\\u12g4"}', '{"a":"\\u12', '{"a":"b'],
    ...[
      '{"a":1}{}',
      '{"a":1} x',
      '{"a":[1,]}',
      '{"a":[}',
      '{"a":{]}',
      '{"a" 1}',
      '{"a":1 "b":2}',
      '\ufeff{}',
    ],
    ...['{"a":1}\u0000', '{"a":"\u0001"}', '{"a":1}//', '{"a":[1 2]}', '{"a"::1}', '{"a":"\t"}', '\u00a0{}'],
  ];
  it.each(INVALID)('refuses %j', (text) => {
    expect(scan(text)).toBeUndefined();
  });

  const VALID = [
    ...['{}', ' {} ', '\r\n\t{ "a" : [ ] } ', '{"a":-0.0e+10}', '{"a":1E-7,"b":[{},[],null]}', '{"":""}'],
    ...['{"a":"\\ud800"}', '{"a":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9é😀\u2028"}', '{"a":true,"b":false}'],
    ...['{"10":1,"2":1.0,"__proto__":12345678901234567890}'],
  ];
  it.each(VALID)('accepts %j', (text) => {
    expect(scan(text)).toBeDefined();
  });

  it('bounds the nesting and says so', () => {
    const deep = (depth: number): string => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect(scan(deep(JSON_DEPTH_MAX - 1))).toBeDefined();
    const bytes = Buffer.from(deep(JSON_DEPTH_MAX));
    const refused = new JsonScan(bytes, TREE);
    expect(refused.run(bytes.length)).toBe('invalid');
    expect(refused.complaint).toContain('nested too deeply');
  });

  it('agrees with JSON.parse on random JSON and on every mutation of it', () => {
    const letters = '{}[]:,"\\ \n\t0123456789.eE+-truefalsn/ux\u0001é'.split('');
    const mutation = fc.record({ at: fc.nat(), drop: fc.nat(2), put: fc.constantFrom('', ...letters) });
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.array(mutation, { maxLength: 3 }), (json, mutations) => {
        let text = `{"model":${json},"x":${json}}`;
        for (const { at, drop, put } of mutations) {
          const place = at % (text.length + 1);
          text = text.slice(0, place) + put + text.slice(place + drop);
        }
        const bytes = Buffer.from(text);
        const scanned = new JsonScan(bytes, TREE);
        const outcome = scanned.run(bytes.length);
        // What is refused for another reason may be JSON or not.
        if (scanned.complaint === undefined) expect(outcome === 'done', text).toBe(isObjectForNode(text));
      }),
      { numRuns: runs(3000) },
    );
  });

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        scan(Buffer.from(bytes));
        scan(Buffer.concat([Buffer.from('{"model":"'), Buffer.from(bytes)]));
      }),
      { numRuns: runs(1000) },
    );
  });
});

describe('the scanner may pause anywhere', () => {
  it('gives the same result in slices of any size and at any alignment', () => {
    const long = `${'plain '.repeat(40)}\\n\\"é😀${'x'.repeat(90)}`;
    const text = `{"text":"${long}","model":"m","n":[1.5e3,true,null]}`;
    const whole = scan(text);
    for (let slice = 1; slice < 70; slice++) {
      for (let offset = 0; offset < 4; offset++) {
        const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]).subarray(offset);
        const sliced = new JsonScan(bytes, TREE);
        let until = slice;
        while (sliced.run(until) === 'paused') until += slice;
        expect(sliced.run(bytes.length)).toBe('done');
        expect(sliced.found).toEqual(whole?.found);
        expect(sliced.textBytes).toBe(whole?.textBytes);
      }
    }
  });

  it('finds a control character at every position of a long run', () => {
    for (let at = 0; at < 80; at++) {
      const bytes = Buffer.from(`{"a":"${'y'.repeat(100)}"}`);
      bytes[6 + at] = 0x1f;
      expect(new JsonScan(bytes, TREE).run(bytes.length)).toBe('invalid');
      bytes[6 + at] = 0xff;
      expect(new JsonScan(bytes, TREE).run(bytes.length)).toBe('done');
    }
  });
});

describe('the input estimate', () => {
  it('counts the bytes of string values and not of keys', () => {
    expect(scan('{"model":"abcd","messages":[{"content":"12345678"}],"n":3}')?.textBytes).toBe(12);
  });

  it('counts text that looks like a file as text, because the media finder finds files', () => {
    const base64 = 'QUJD'.repeat(8192);
    expect(scan(`{"data":"${base64}"}`)).toMatchObject({ textBytes: base64.length, encryptedBytes: 0 });
  });

  it('leaves out what a vendor has sealed, and nothing else', () => {
    const keys = compileMediaKeys({ raw: ['input'], part: [], inner: [] });
    const sealedIn = (text: string): number => {
      const bytes = Buffer.from(text);
      const found = new JsonScan(bytes, TREE, undefined, new MediaFinder(keys));
      expect(found.run(bytes.length)).toBe('done');
      return found.encryptedBytes;
    };
    const sealed = 'QUJD'.repeat(100);
    expect(sealedIn(`{"signature":"${sealed}"}`)).toBe(400);
    expect(sealedIn(`{"signature":"${'some words '.repeat(100)}"}`)).toBe(0);
    expect(sealedIn(`{"input":{"signature":"${sealed}"}}`)).toBe(0);
    expect(sealedIn(`{"content":"${sealed}"}`)).toBe(0);
  });
});
