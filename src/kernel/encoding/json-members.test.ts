import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeMembers } from './json-members.ts';

const CHANGE = { added: '"v":"1"', removed: ['model', 'stream'] };

async function change(text: string, turnBytes = 1_000): Promise<string> {
  return Buffer.concat(await changeMembers(Buffer.from(text), CHANGE, turnBytes)).toString();
}

describe('changing the members of an object', () => {
  it('removes them wherever they stand, and leaves all other bytes as they are', async () => {
    const expected: [string, string][] = [
      ['{"model":"m","a":[1, 2]}', '{"v":"1","a":[1, 2]}'],
      ['{ "a": 1.0, "model" : "m" , "stream":true }', '{"v":"1", "a": 1.0}'],
      ['{"a":1,"model":"m"}', '{"v":"1","a":1}'],
      ['{"model":"m","stream":false}', '{"v":"1"}'],
      ['{}', '{"v":"1"}'],
      [
        '{"a":{"model":"inner","stream":1},"b":"\\"model\\",{"}',
        '{"v":"1","a":{"model":"inner","stream":1},"b":"\\"model\\",{"}',
      ],
      ['{"a":"model","model":"\\\\"}', '{"v":"1","a":"model"}'],
    ];
    for (const [before, after] of expected) {
      expect(await change(before), before).toBe(after);
      expect(await change(before, 1), `${before} byte by byte`).toBe(after);
    }
  });

  it('means the same as parsing, deleting and writing, for any object', async () => {
    const names = fc.constantFrom('model', 'stream', 'messages', 'a', 'q"', '');
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(names, fc.jsonValue()),
        fc.integer({ min: 1, max: 50 }),
        async (value, turn) => {
          const text = JSON.stringify(value);
          // What the text says: JSON has no -0.
          const { model: _model, stream: _stream, ...rest } = JSON.parse(text);
          expect(JSON.parse(await change(text, turn))).toEqual({ v: '1', ...rest });
        },
      ),
      { examples: [[{ a: -0 }, 1]] },
    );
  });
});
