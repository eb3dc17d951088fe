import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import type { LentBytes } from '../../kernel/encoding/lent-bytes.ts';
import { compilePaths } from './paths.ts';
import { Skimmer, skipValue, walkObjects } from './skim.ts';

const TREE = compilePaths({ model: 'model', usage: 'usage', input: 'usage.input', deep: 'a.b.c' });

function skim(text: string): Record<string, string | undefined> | undefined {
  const bytes = Buffer.from(text);
  const skimmer = new Skimmer(TREE);
  if (skimmer.run(bytes, 0, bytes.length) < 0) return undefined;
  const value = (slot: number): string | undefined => {
    const start = skimmer.starts[slot] ?? -1;
    return start < 0 ? undefined : bytes.toString('utf8', start, skimmer.ends[slot]);
  };
  const { model, usage, input, deep } = TREE.slots;
  return { model: value(model), usage: value(usage), input: value(input), deep: value(deep) };
}

describe('wanted values are found in a vendor’s JSON', () => {
  it('at their paths only', () => {
    const text = '{"x":{"model":"no"},"a":{"b":{"c":[1,{"c":2}]}},"usage":{"y":[{"input":1}],"input":7}}';
    expect(skim(text)).toEqual({
      model: undefined,
      usage: '{"y":[{"input":1}],"input":7}',
      input: '7',
      deep: '[1,{"c":2}]',
    });
  });

  it('behind any strings, long, escaped or full of quotes', () => {
    const hard = fc
      .array(fc.constantFrom('"', '\\', 'x'.repeat(60), '{', '}', 'é', '\\"', '\n', '"model":'), {
        maxLength: 12,
      })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(hard, { maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), (strings, model) => {
        const members = strings.map(
          (text, index) => `${JSON.stringify(`${text}${index}`)}:${JSON.stringify(text)}`,
        );
        const text = `{${[...members, `"model":${JSON.stringify(model)}`, '"z":[]'].join(', ')}}`;
        expect(skim(text)?.model).toBe(JSON.stringify(model));
      }),
      { numRuns: runs(1000) },
    );
  });

  it('but not when the object does not end', () => {
    const text = '{"model":"m","usage":{"input":[1,"}"]},"z":"\\""}';
    expect(skim(text)?.input).toBe('[1,"}"]');
    for (let at = 0; at < text.length; at++) expect(skim(text.slice(0, at))).toBeUndefined();
  });
});

describe('a value is skipped as a whole', () => {
  it('of any kind', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 4 }),
        fc.constantFrom(',', '}', ']', ' ', '\n'),
        (value, after) => {
          const text = JSON.stringify(value);
          const bytes = Buffer.from(`${text}${after}"x"`);
          expect(skipValue(bytes, 0, bytes.length)).toBe(Buffer.byteLength(text));
        },
      ),
      { numRuns: runs(1000) },
    );
  });
});

describe('a vector', () => {
  const text = '[-0.25,1e-7, 3,[],[1,2],-4.5E+9]';

  it('is skipped as a whole, and not if it ends outside of the text', () => {
    const bytes = Buffer.from(`${text},"x"`);
    expect(skipValue(bytes, 0, bytes.length)).toBe(text.length);
    for (let end = 0; end < text.length; end++) expect(skipValue(bytes, 0, end)).toBe(-1);
  });
});

describe('a slot that is walked', () => {
  const text = '{"model":1,"usage":[{"a":1},2,"}",[{"b":2}],{"c":"]"} , {"d":{}}],"a":{"b":{"c":3}}}';
  const bytes = Buffer.from(text);

  it('hands over its objects, and the walk continues behind it', () => {
    const objects: string[] = [];
    const walk = (all: LentBytes, start: number, end: number): number =>
      walkObjects(all, start, end, (_all, open) => {
        const after = skipValue(all, open, end);
        objects.push(all.toString('utf8', open, after));
        return after;
      });
    const skimmer = new Skimmer(TREE, { slot: TREE.slots.usage, walk });
    expect(skimmer.run(bytes, 0, bytes.length)).toBe(bytes.length);
    expect(objects).toEqual(['{"a":1}', '{"c":"]"}', '{"d":{}}']);
    const { usage, deep } = TREE.slots;
    expect(text.slice(skimmer.starts[usage], skimmer.ends[usage])).toMatch(/^\[.*\]$/);
    expect(text.slice(skimmer.starts[deep], skimmer.ends[deep])).toBe('3');
  });

  it.each(['[{"a":1}', '[{"a":1},', '['])('does not end: %s', (open) => {
    expect(walkObjects(Buffer.from(open), 0, open.length, skipValue)).toBe(-1);
  });

  it('is skipped where a walk gives up', () => {
    const list = '[{"a":1},{}]';
    expect(walkObjects(Buffer.from(list), 0, list.length, () => -1)).toBe(list.length);
    expect(walkObjects(Buffer.from('"x"'), 0, 3, () => -1)).toBe(3);
  });
});
