import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { isRefusal } from '../../kernel/errors.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import type { RawRequest, RequestFacts } from '../dialect.ts';
import { getDialect } from '../registry.ts';

const rawRequest = (body: string | Buffer): RawRequest => ({
  body: Buffer.from(body),
  contentType: 'application/json',
  path: undefined,
});

/** The body as the vendor gets it. */
function forward(protocol: Protocol, body: string, model: string): string {
  const request = rawRequest(body);
  const facts = getDialect(protocol).readRequest(request) as RequestFacts;
  expect(isRefusal(facts)).toBe(false);
  return Buffer.concat(getDialect(protocol).spliceRequest(request, facts, model)).toString();
}

describe('the model is replaced and nothing else', () => {
  it('keeps integer-like keys, large and odd numbers, duplicates, escapes and blanks byte for byte', () => {
    const before =
      '{ "10":1, "2":12345678901234567890,\n\t"a":1.0,"a":-0e+1,"\\u0062":"\\u00e9\\/",\r\n"model" : ';
    const after = ' ,"__proto__":{"x":[1 ,2]},"z":"\\ud83d\\ude00 😀"} \n';
    for (const protocol of ['chat', 'responses', 'messages', 'images'] as const) {
      expect(forward(protocol, `${before}"x/y"${after}`, 'vendor-1')).toBe(`${before}"vendor-1"${after}`);
    }
  });

  it('replaces every one of repeated models, and the last one counts', () => {
    const body = '{"model":"a","x":{"model":"inner"},"\\u006dodel":"b"}';
    const facts = getDialect('messages').readRequest(rawRequest(body)) as RequestFacts;
    expect(facts.model).toBe('b');
    expect(forward('messages', body, 'v')).toBe('{"model":"v","x":{"model":"inner"},"\\u006dodel":"v"}');
  });

  it('escapes the vendor’s name as JSON', () => {
    expect(forward('chat', '{"model":"a"}', 'q"\\\n')).toBe('{"model":"q\\"\\\\\\n"}');
  });

  it('sends the same buffer when the name is already right', () => {
    const request = rawRequest('{"model":"a","stream":true,"stream_options":{"include_usage":true}}');
    const facts = getDialect('chat').readRequest(request) as RequestFacts;
    const [only, ...more] = getDialect('chat').spliceRequest(request, facts, 'a');
    expect(only).toBe(request.body);
    expect(more).toEqual([]);
  });

  it('leaves the body of generateContent unchanged, except for a model in it', () => {
    const path = { model: 'gemini-x', stream: true, framing: 'sse' } as const;
    const sent = (text: string): readonly Buffer[] => {
      const request: RawRequest = { ...rawRequest(text), path };
      const facts = getDialect('gemini').readRequest(request) as RequestFacts;
      expect(facts).toMatchObject({ model: 'gemini-x', stream: true });
      return getDialect('gemini').spliceRequest(request, facts, 'other');
    };
    expect(sent('{"contents":[]}')).toEqual([Buffer.from('{"contents":[]}')]);
    for (const name of ['models/gemini-x', 'models/gemini\\u002dx', 'models\\/gemini-x']) {
      const body = `{"model":"${name}","contents":[]}`;
      expect(Buffer.concat(sent(body)).toString()).toBe('{"model":"models/other","contents":[]}');
    }
    expect(Buffer.concat(sent('{"model":"gemini-x"}')).toString()).toBe('{"model":"other"}');
  });

  it('holds for any JSON around the model', () => {
    const members = fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.json({ maxDepth: 3 })), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(members, members, fc.string({ minLength: 1, maxLength: 40 }), (before, after, name) => {
        const text = (list: [string, string][]): string[] =>
          list.filter(([key]) => key !== 'model').map(([key, json]) => `${JSON.stringify(key)}:${json}`);
        const join = (model: string): string =>
          `{${[...text(before), `"model": ${JSON.stringify(model)}`, ...text(after)].join(' , ')}}`;
        expect(forward('responses', join('client/name'), name)).toBe(join(name));
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('a chat stream is requested with usage', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['{"stream":true,"model":"m"}', '{"stream_options":{"include_usage":true},"stream":true,"model":"m"}'],
    [' {"stream":true,"model":"m"}', ' {"stream_options":{"include_usage":true},"stream":true,"model":"m"}'],
    [
      '{"stream":true,"model":"m","stream_options":null}',
      '{"stream":true,"model":"m","stream_options":{"include_usage":true}}',
    ],
    [
      '{"stream":true,"model":"m","stream_options":{ }}',
      '{"stream":true,"model":"m","stream_options":{"include_usage":true }}',
    ],
    [
      '{"stream":true,"model":"m","stream_options":{"include_obfuscation":false}}',
      '{"stream":true,"model":"m","stream_options":{"include_usage":true,"include_obfuscation":false}}',
    ],
    [
      '{"stream":true,"model":"m","stream_options":{"include_usage": false,"x":1}}',
      '{"stream":true,"model":"m","stream_options":{"include_usage": true,"x":1}}',
    ],
    [
      '{"stream":true,"model":"m","stream_options":{"include_usage":null}}',
      '{"stream":true,"model":"m","stream_options":{"include_usage":true}}',
    ],
  ];
  it.each(cases)('%s', (body, sent) => {
    const facts = getDialect('chat').readRequest(rawRequest(body)) as RequestFacts;
    expect(facts.usageInjected).toBe(true);
    expect(forward('chat', body, 'm')).toBe(sent);
    expect(JSON.parse(sent).stream_options).toMatchObject({ include_usage: true });
  });

  it.each([
    '{"stream":true,"model":"m","stream_options":{"include_usage":true}}',
    '{"stream":false,"model":"m"}',
    '{"stream":null,"model":"m"}',
    '{"model":"m"}',
  ])('leaves %s as it is', (body) => {
    expect((getDialect('chat').readRequest(rawRequest(body)) as RequestFacts).usageInjected).toBe(false);
    expect(forward('chat', body, 'm')).toBe(body);
  });
});
