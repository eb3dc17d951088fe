import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeTurns } from '../hub/fit/turns.ts';
import { Inexpressible } from '../hub/notes.ts';
import type { Part, ToolCallPart, ToolResultPart } from '../hub/part.ts';
import type { Turn } from '../hub/request.ts';
import { geminiCodec } from './codec.ts';
import { createGeminiTarget, decodeBody, encodeBody, hubRequest } from './suite/sample.ts';

const words = fc.string({ minLength: 1 });
const base64 = fc.uint8Array({ minLength: 1 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const signed = <Place extends 'call' | 'text' | 'reasoning'>(place: Place) =>
  base64.map((value) => ({ issuer: 'gemini', form: 'thought' as const, place, value }));

const text = words.map((value): Part => ({ kind: 'text', text: value }));
const media = fc
  .constantFrom(
    ['image', 'image/png'],
    ['audio', 'audio/wav'],
    ['video', 'video/mp4'],
    ['file', 'application/pdf'],
  )
  .chain(([kind, mime]) =>
    base64.map((data) => ({ kind, source: { kind: 'bytes', mime, base64: data } }) as Part),
  );
const thought = fc
  .tuple(fc.string(), signed('reasoning'))
  .map(([value, signature]): Part => ({ kind: 'reasoning', text: value, signature }));
const signedText = fc
  .tuple(fc.string(), signed('text'))
  .map(([value, signature]): Part => ({ kind: 'text', text: value, signatures: [signature] }));
const said = fc.array(fc.oneof(text, thought, signedText), { minLength: 1, maxLength: 4 });
const json = fc.dictionary(words, fc.jsonValue()).map((value) => JSON.stringify(value));

/** Calls and their results, as the hub leaves them: one result for each, in order, in the next turn. */
const round = fc
  .array(fc.tuple(json, signed('call'), fc.oneof(words, json), fc.boolean()), { minLength: 1, maxLength: 3 })
  .map((calls): readonly Turn[] => {
    const parts = calls.map(
      ([args, signature], index): ToolCallPart => ({
        kind: 'tool-call',
        id: `c${index}`,
        name: 'f',
        arguments: args,
        custom: false,
        signatures: [signature],
      }),
    );
    const results = calls.map(
      ([, , outcome, isError], index): ToolResultPart => ({
        kind: 'tool-result',
        callId: `c${index}`,
        name: 'f',
        parts: [{ kind: 'text', text: outcome }],
        isError,
        custom: false,
      }),
    );
    return [
      { role: 'assistant', parts },
      { role: 'user', parts: results },
    ];
  });

const conversation = fc
  .array(
    fc.oneof(
      round,
      fc
        .tuple(said, fc.array(fc.oneof(text, media), { minLength: 1, maxLength: 3 }))
        .map(([answer, question]): readonly Turn[] => [
          { role: 'assistant', parts: answer },
          { role: 'user', parts: question },
        ]),
    ),
    { maxLength: 4 },
  )
  .map((rounds) => mergeTurns([{ role: 'user', parts: [{ kind: 'text', text: 'hi' }] }, ...rounds.flat()]));

describe('the Gemini codec', () => {
  it('preserves the conversation it encoded', () => {
    fc.assert(
      fc.property(conversation, (turns) => {
        const { text: body } = encodeBody(hubRequest({ turns }), createGeminiTarget('gemini-3-pro'));
        expect(decodeBody(body).request.turns).toEqual(turns);
      }),
    );
  });

  it('preserves the options it encoded', () => {
    const sampling = fc.record({
      temperature: fc.double({ min: 0, max: 2, noNaN: true }).map((value) => value + 0),
      topP: fc.constantFrom(undefined, 0.5),
      topK: fc.constantFrom(undefined, 40),
      seed: fc.constantFrom(undefined, 0, -7),
      frequencyPenalty: fc.constant(undefined),
      presencePenalty: fc.constant(undefined),
    });
    const options = fc.record({
      sampling,
      stop: fc.array(words, { maxLength: 5 }),
      maxTokens: fc.constantFrom(undefined, 1, 65_536),
      answers: fc.integer({ min: 1, max: 8 }),
      logprobs: fc.constantFrom(undefined, 0, 20),
      format: fc.constantFrom({ kind: 'text' as const }, { kind: 'json' as const }),
    });
    fc.assert(
      fc.property(options, (given) => {
        const { text: body, dropped } = encodeBody(hubRequest(given));
        expect(dropped).toEqual([]);
        expect(decodeBody(body).request).toMatchObject(given);
      }),
    );
  });

  it('refuses what it cannot decode and throws nothing else, for any body', () => {
    const value = fc.jsonValue({ maxDepth: 2 });
    const part = fc.dictionary(fc.constantFrom('text', 'functionCall', 'inline_data', 'thought', 'x'), value);
    const content = fc.record({ role: fc.oneof(value, fc.constant('model')), parts: fc.array(part) });
    const entry = fc.dictionary(fc.constantFrom('functionDeclarations', 'googleSearch'), value);
    const body = fc.record(
      {
        contents: fc.oneof(value, fc.array(content, { maxLength: 2 })),
        systemInstruction: fc.oneof(value, content),
        tools: fc.oneof(value, fc.array(entry, { maxLength: 2 })),
        toolConfig: fc.dictionary(fc.constant('functionCallingConfig'), value),
        generationConfig: fc.dictionary(fc.constantFrom('topK', 'thinkingConfig', 'stopSequences'), value),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(body, (given) => {
        try {
          decodeBody(given);
        } catch (error) {
          expect(error).toBeInstanceOf(Inexpressible);
        }
      }),
    );
  });

  it('names the options of the hub as its clients write them', () => {
    expect(geminiCodec.protocol).toBe('gemini');
    expect(geminiCodec.fields.temperature).toBe('generationConfig.temperature');
    expect('a.b:c-d').toMatch(geminiCodec.rules.toolName);
    expect('1a').not.toMatch(geminiCodec.rules.toolName);
  });
});
