import { describe, expect, it } from 'vitest';
import type { RequestFacts } from '../dialect.ts';
import { chatCompletions } from './dialect.ts';

const INJECTED = { usageInjected: true } as RequestFacts;
const ASKED = { usageInjected: false } as RequestFacts;

/** The whole stream at once, as the client gets it. */
function pass(facts: RequestFacts, data: string): string | undefined {
  return chatCompletions.relayStream('sse', facts, 'platform/model').push(Buffer.from(data))?.toString();
}

describe('usage that only we asked for stays with us', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['{"model":"x","choices":[{}],"usage":null}', '{"model":"platform/model","choices":[{}]}'],
    ['{"usage":null,"choices":[{}]}', '{"choices":[{}]}'],
    ['{"choices":[{}] , "usage" : null , "z":1}', '{"choices":[{}]  , "z":1}'],
    ['{"usage":null}', '{}'],
    ['{"choices":[{"usage":null}]}', '{"choices":[{"usage":null}]}'],
    ['{"choices":[{}],"usage":{"prompt_tokens":1}}', '{"choices":[{}],"usage":{"prompt_tokens":1}}'],
  ];
  it.each(cases)('%s', (vendor, client) => {
    expect(pass(INJECTED, `data: ${vendor}\n\n`)).toBe(`data: ${client}\n\n`);
  });

  it('and stays in the stream when the client asked', () => {
    const data = 'data: {"choices":[],"usage":null}\n\ndata: {"choices":[],"usage":{"prompt_tokens":1}}\n\n';
    expect(pass(ASKED, data)).toBe(data);
  });

  it('is counted all the same', () => {
    const relay = chatCompletions.relayStream('sse', INJECTED, 'm');
    const data = 'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}\n\n';
    expect(relay.push(Buffer.from(data))).toBeUndefined();
    expect(relay.usage()).toMatchObject({ usage: { inputFresh: 7, outputText: 3 }, estimated: false });
  });
});

describe('a vendor that names its model late', () => {
  it('has every chunk counted, though the chunks begin alike', () => {
    const relay = chatCompletions.relayStream('sse', ASKED, 'm');
    for (let index = 0; index < 5; index++) {
      const choices = '[{"delta":{"content":" hello"}}]';
      relay.push(Buffer.from(`data: {"choices":${choices},"model":"v","index":${index}}\n\n`));
    }
    expect(relay.usage().usage.outputText).toBe(5);
  });
});
