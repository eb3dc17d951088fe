import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EventTemplate, learnTemplate } from './event-template.ts';

function toBytes(value: unknown): Buffer {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
}

function learn(one: unknown, other: unknown): EventTemplate | undefined {
  return learnTemplate(toBytes(one), toBytes(other));
}

/** What the template makes of an event that stands between other bytes. */
function read(template: EventTemplate | undefined, event: unknown): unknown {
  const bytes = Buffer.concat([toBytes('data: '), toBytes(event), toBytes('\n\ndata: 1')]);
  return template?.read(bytes, 6, bytes.length - '\n\ndata: 1'.length);
}

function delta(text: string, number: number): object {
  return { type: 'delta', number, item: { parts: [{ text, kind: 'words' }] }, usage: { all: number + 220 } };
}

describe('an event of a known shape', () => {
  const template = learn(delta('one', 9), delta('another', 10));

  it('has the value that parsing gives, with any text and whole numbers', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc.constantFrom('\\', '"', '\ud83d', '→'),
    );
    fc.assert(
      fc.property(texts, fc.nat(), (text, number) => {
        // A lone surrogate is escaped by JSON.stringify and comes back as it was.
        expect(read(template, delta(text, number))).toEqual(delta(text, number));
      }),
    );
  });

  it('is read with different padding', () => {
    const padded = (text: string, obfuscation: string): object => ({ delta: text, obfuscation });
    const event = read(learn(padded('a', 'p7'), padded('b', 'x')), padded('said', 'kkkkk'));
    expect(event).toMatchObject({ delta: 'said' });
  });

  it.each([
    ['another key', { ...delta('a', 1), more: true }],
    ['another fixed value', { ...delta('a', 1), type: 'done' }],
    ['a null for its text', { ...delta('a', 1), item: { parts: [{ text: null, kind: 'words' }] } }],
    ['a fraction', JSON.stringify(delta('a', 1)).replace('"number":1', '"number":1.5')],
    ['an exponent', JSON.stringify(delta('a', 1)).replace('"number":1', '"number":1e3')],
    ['a sign', JSON.stringify(delta('a', 1)).replace('"number":1', '"number":-1')],
    ['a number no parser takes', JSON.stringify(delta('a', 1)).replace('"number":1', '"number":01')],
    [
      'a number too long to be exact',
      JSON.stringify(delta('a', 1)).replace('"number":1', `"number":${'9'.repeat(16)}`),
    ],
    ['no number', JSON.stringify(delta('a', 1)).replace('"number":1', '"number":')],
    ['an escape there is not', JSON.stringify(delta('a', 1)).replace('"a"', '"\\x"')],
    ['a control character', JSON.stringify(delta('a', 1)).replace('"a"', '"\t"')],
    ['an end too early', JSON.stringify(delta('a', 1)).slice(0, -1)],
    ['something behind it', `${JSON.stringify(delta('a', 1))} `],
  ])('is left to the parser with %s', (_, event) => {
    expect(read(template, event)).toBeUndefined();
  });
});

describe('learnTemplate', () => {
  it.each([
    ['equal events', '{"a":"x"}', '{"a":"x"}'],
    ['events with other keys', '{"a":"x"}', '{"b":"x"}'],
    ['events with other words', '{"a":true}', '{"a":null}'],
    ['events with another nesting', '{"a":"x"}', '{"a":["x"]}'],
    ['a key that stands twice', '{"a":"x","a":"z"}', '{"a":"y","a":"z"}'],
    ['a value that looks like a mark', '{"a":"x","b":"hole:0"}', '{"a":"y","b":"hole:0"}'],
    ['a prototype', '{"__proto__":{"a":"x"}}', '{"__proto__":{"a":"y"}}'],
    ['fractions', '{"a":1.5}', '{"a":1.25}'],
    ['what is no JSON', '{"a":"x",}', '{"a":"y",}'],
  ])('learns nothing from %s', (_, one, other) => {
    expect(learnTemplate(toBytes(one), toBytes(other))).toBeUndefined();
  });
});
