import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/property-runs.ts';
import type { RequestFacts } from '../../dialect.ts';
import { countTokens } from '../../meter/tokens.ts';
import { chatCompletions } from '../dialect.ts';

const INJECTED = { usageInjected: true } as RequestFacts;
const ASKED = { usageInjected: false } as RequestFacts;

/** The whole stream at once, as the client gets it. */
function pass(facts: RequestFacts, data: string): string | undefined {
  return chatCompletions.relayStream('sse', facts, 'platform/model').push(Buffer.from(data))?.toString();
}

describe('usage that only the gateway requested', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['{"model":"x","choices":[{}],"usage":null}', '{"model":"platform/model","choices":[{}]}'],
    ['{"usage":null,"choices":[{}]}', '{"choices":[{}]}'],
    ['{"choices":[{}] , "usage" : null , "z":1}', '{"choices":[{}]  , "z":1}'],
    ['{"usage":null}', '{}'],
    ['{"choices":[{"usage":null}]}', '{"choices":[{"usage":null}]}'],
    ['{"choices":[{}],"usage":{"prompt_tokens":1}}', '{"choices":[{}],"usage":{"prompt_tokens":1}}'],
  ];
  it.each(cases)('is withheld: %s', (vendor, client) => {
    expect(pass(INJECTED, `data: ${vendor}\n\n`)).toBe(`data: ${client}\n\n`);
  });

  it('is passed on when the client requested it', () => {
    const data = 'data: {"choices":[],"usage":null}\n\ndata: {"choices":[],"usage":{"prompt_tokens":1}}\n\n';
    expect(pass(ASKED, data)).toBe(data);
  });

  it('is counted in either case', () => {
    const relay = chatCompletions.relayStream('sse', INJECTED, 'm');
    const data = 'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}\n\n';
    expect(relay.push(Buffer.from(data))).toBeUndefined();
    expect(relay.usage()).toMatchObject({ usage: { inputFresh: 7, outputText: 3 }, estimated: false });
  });
});

describe('usage in the field of Groq', () => {
  const chunk = (rest: string): Buffer =>
    Buffer.from(`data: {"model":"v","choices":[{"delta":{"content":" hi"}}],${rest}}\n\n`);
  const groq = '"x_groq":{"id":"req_1","usage":{"prompt_tokens":7,"completion_tokens":30,"total_tokens":37}}';

  it('is charged, and the client gets it unchanged', () => {
    const relay = chatCompletions.relayStream('sse', ASKED, 'v');
    relay.push(chunk('"index":0'));
    expect(relay.push(chunk(groq))?.toString()).toContain(groq);
    expect(relay.usage()).toMatchObject({ usage: { inputFresh: 7, outputText: 30 }, estimated: false });
  });

  it('yields to the ordinary field', () => {
    const relay = chatCompletions.relayStream('sse', ASKED, 'v');
    relay.push(chunk(groq));
    relay.push(Buffer.from('data: {"choices":[],"usage":{"prompt_tokens":8,"completion_tokens":31}}\n\n'));
    expect(relay.usage()).toMatchObject({ usage: { inputFresh: 8, outputText: 31 }, estimated: false });
  });
});

describe('a vendor that names its model late', () => {
  it('has every chunk counted, although the chunks begin alike', () => {
    const relay = chatCompletions.relayStream('sse', ASKED, 'm');
    for (let index = 0; index < 5; index++) {
      const choices = '[{"delta":{"content":" hello"}}]';
      relay.push(Buffer.from(`data: {"choices":${choices},"model":"v","index":${index}}\n\n`));
    }
    expect(relay.usage().usage.outputText).toBe(5);
  });
});

describe('an event that is similar to the ones before it', () => {
  const text = fc.oneof(
    fc.constantFrom('', 'a', 'ab', '"', '\\', '\\"', '\n', 'é😀', '},"usage":null', '"model":"x"', 'null'),
    fc.string({ unit: 'binary', maxLength: 80 }),
  );
  /** Templates of one vendor differ in little, so that what was learned from one nearly fits the next. */
  const templates: readonly ((one: string, two: string) => string)[] = [
    (one, two) => `{"model":"v","choices":[{"delta":{"content":${one}}}],"usage":null,"obfuscation":${two}}`,
    (one, two) => `{"model":"v","choices":[{"delta":{"content":${one}}}],"obfuscation":${two},"usage":null}`,
    (one, two) => `{"model":"v","choices":[{"delta":{"content":${one}}}],"usage":null,"obfuscation":${two} }`,
    (one, two) => `{"model":${one},"choices":[{"delta":{"content":${two}}}],"usage":null}`,
    (one, two) => `{"model":"v","choices":[{"delta":{"content":"a"}}],"usage":null,${one}:${two}}`,
    (one, two) => `{"model":"v","choices":[{"delta":{"content":${one}}}],"usage":null,"error":${two}}`,
    (one, two) => `{"model":"v","choices":[{"delta":{"content":${one}}}],"usage":${two}}`,
    (one, two) =>
      `{"usage":null,"choices":[{"delta":{"refusal":${one}}}],"model":"v","error":null,"z":${two}}`,
    (one, two) => `{"model":"v","choices":[{"delta":{"content":${one}}}],"usage":null,"obfuscation":${two}`,
    (one) => `{"choices":[],"model":"v","usage":{"prompt_tokens":1,"completion_tokens":2,"x":${one}}}`,
    (one, two) => `{"a":\\${one},"model":"v","usage":null,"choices":nu${two}ll}`,
  ];
  const event = fc
    .tuple(fc.constantFrom(...templates), text, text)
    .map(([template, one, two]) => `data: ${template(JSON.stringify(one), JSON.stringify(two))}\n\n`);
  /** Runs of one template, as streams have them, and any mixture. */
  const run = fc
    .tuple(fc.constantFrom(...templates), fc.array(fc.tuple(text, text), { maxLength: 6 }))
    .map(([template, texts]) =>
      texts.map(([one, two]) => `data: ${template(JSON.stringify(one), JSON.stringify(two))}\n\n`),
    );
  const stream = fc
    .array(fc.oneof(run, fc.array(event, { maxLength: 4 })), { maxLength: 5 })
    .map((runs) => runs.flat());

  it('is passed on like the first', () => {
    fc.assert(
      fc.property(stream, fc.constantFrom(INJECTED, ASKED), (events, facts) => {
        const relay = chatCompletions.relayStream('sse', facts, 'platform/model');
        const passed = events.map((data) => relay.push(Buffer.from(data))?.toString());
        let hasFailed = false;
        const alone = events.map((data) => {
          const own = chatCompletions.relayStream('sse', facts, 'platform/model');
          const text = own.push(Buffer.from(data))?.toString();
          const isKept = own.failed || !hasFailed;
          hasFailed ||= own.failed;
          return isKept ? text : undefined;
        });
        expect(passed).toEqual(alone);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('has its text counted like the first, empty and escaped text too', () => {
    const words = fc.array(fc.oneof(fc.constantFrom('', ' toll', '"', '\n', 'é', '\\'), fc.string()), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(words, words, (contents, refusals) => {
        const relay = chatCompletions.relayStream('sse', ASKED, 'm');
        const deltas = contents.map((content, index) => ({ content, refusal: refusals[index] ?? 'no' }));
        for (const delta of deltas) {
          relay.push(Buffer.from(`data: ${JSON.stringify({ model: 'm', choices: [{ delta }] })}\n\n`));
        }
        const text = deltas.map(({ content, refusal }) => content + refusal).join('');
        expect(relay.usage().usage.outputText).toBe(countTokens(text));
      }),
      { numRuns: runs(300) },
    );
  });

  it('is counted and fails the stream like the first', () => {
    const content = (index: number, rest: string): string =>
      `data: {"model":"v","choices":[{"delta":{"content":" hello"}}],"pad":"${'x'.repeat(index)}"${rest}}\n\n`;
    const relay = chatCompletions.relayStream('sse', INJECTED, 'm');
    for (let index = 0; index < 9; index++) relay.push(Buffer.from(content(index, '')));
    expect(relay.usage().usage.outputText).toBe(9);
    expect(relay.failed).toBe(false);
    relay.push(Buffer.from(content(3, ',"error":{"message":"gone"}')));
    expect(relay.failed).toBe(true);
    relay.push(Buffer.from(content(4, ',"usage":{"prompt_tokens":7,"completion_tokens":30}')));
    expect(relay.usage()).toMatchObject({ usage: { inputFresh: 7, outputText: 30 }, estimated: false });
  });
});

describe('a long chunk that starts inside an event', () => {
  const streamOf = (lineEnd: string): string =>
    Array.from({ length: 100 }, (_, index) => {
      const choices = `[{"delta":{"content":"${'é'.repeat(index % 30)}"}}]`;
      return `data: {"model":"v","choices":${choices},"usage":null,"n":"${index}"}${lineEnd}${lineEnd}`;
    }).join('');

  it.each([['\n'], ['\r\n'], ['\r']])('is passed on like a short one, with line ends %j', (lineEnd) => {
    const data = Buffer.from(streamOf(lineEnd));
    const whole = pass(INJECTED, data.toString());
    expect(whole).not.toContain('usage');
    for (let first = 1; first < 300; first++) {
      const relay = chatCompletions.relayStream('sse', INJECTED, 'platform/model');
      const cuts = [0, first, first + 4096, data.length];
      const pieces = cuts
        .slice(1)
        .map((end, index) => Buffer.from(relay.push(data.subarray(cuts[index], end)) ?? []));
      expect(Buffer.concat(pieces).toString()).toBe(whole);
      expect(relay.atBoundary).toBe(true);
    }
  });

  it('is passed on up to its last whole event when it needs no change', () => {
    const relay = chatCompletions.relayStream('sse', ASKED, 'v');
    const data = Buffer.from(streamOf('\n'));
    expect(relay.push(data.subarray(0, 20))).toBeUndefined();
    expect(relay.push(data.subarray(20, data.length - 5))).toEqual(
      data.subarray(0, data.lastIndexOf('data:')),
    );
    expect(relay.atBoundary).toBe(false);
  });
});
