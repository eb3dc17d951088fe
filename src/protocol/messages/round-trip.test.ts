import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { someRequest, someSession, someTarget } from '../../../test/support/hub.ts';
import { runs } from '../../../test/support/property-runs.ts';
import type { HubAnswer } from '../hub/answer.ts';
import { type JsonObject, readJson, writeJson } from '../hub/content/json.ts';
import { Inexpressible, Notes } from '../hub/notes.ts';
import type { Part, TextPart } from '../hub/part.ts';
import type { FunctionTool, HubRequest, Turn } from '../hub/request.ts';
import { decodeWhole } from '../suite/reported.ts';
import { messagesCodec } from './codec.ts';

const RAW = { body: Buffer.alloc(0), contentType: 'application/json', path: undefined };
const target = someTarget({ issuer: 'messages' });
const session = someSession({ request: someRequest({ client: 'messages' }), target, callId: 'c1' });

function read(body: JsonObject): JsonObject {
  return readJson(writeJson(body), messagesCodec.rawKeys) as JsonObject;
}

const words = fc
  .string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
  .filter((text) => text.trim() !== '');
const identifier = fc.stringMatching(/^[a-z]{1,8}$/);
const argumentsText = fc
  .dictionary(identifier, fc.jsonValue({ maxDepth: 2 }))
  .map((value) => JSON.stringify(value));
const text: fc.Arbitrary<TextPart> = words.map((said) => ({ kind: 'text', text: said }));
const image: fc.Arbitrary<Part> = fc.constantFrom<Part>(
  { kind: 'image', source: { kind: 'url', url: 'https://x/a.png' } },
  { kind: 'image', source: { kind: 'bytes', mime: 'image/gif', base64: 'R0lGODlh' } },
);
const file: fc.Arbitrary<Part> = words.map((said) => ({
  kind: 'file',
  source: { kind: 'text', text: said },
  title: 'T',
}));
const reasoning: fc.Arbitrary<Part> = fc.tuple(words, identifier).map(([said, value]) => ({
  kind: 'reasoning',
  text: said,
  signature: { issuer: 'messages', form: 'signature', place: 'reasoning', value },
}));
const redacted: fc.Arbitrary<Part> = identifier.map((value) => ({
  kind: 'reasoning',
  text: '',
  signature: { issuer: 'messages', form: 'redacted', place: 'reasoning', value },
}));
const call: fc.Arbitrary<Part> = fc.tuple(identifier, identifier, argumentsText).map(([id, name, args]) => ({
  kind: 'tool-call',
  id,
  name,
  arguments: args,
  custom: false,
}));
const result: fc.Arbitrary<Part> = fc
  .tuple(identifier, fc.array(fc.oneof(text, image, file), { maxLength: 2 }), fc.boolean())
  .map(([callId, parts, isError]) => ({ kind: 'tool-result', callId, parts, isError, custom: false }));

const userTurn = fc
  .tuple(fc.array(result, { maxLength: 2 }), fc.array(fc.oneof(image, file), { maxLength: 2 }), text)
  .map(([results, media, said]): Turn => ({ role: 'user', parts: [...results, ...media, said] }));
const assistantTurn = fc
  .array(fc.oneof(text, reasoning, redacted, call), { minLength: 1, maxLength: 4 })
  .map((parts): Turn => ({ role: 'assistant', parts }));
const conversation = fc
  .tuple(fc.array(fc.tuple(userTurn, assistantTurn), { maxLength: 3 }), userTurn)
  .map(([rounds, last]) => [...rounds.flat(), last]);
const tool: fc.Arbitrary<FunctionTool> = fc.tuple(identifier, words).map(([name, description]) => ({
  kind: 'function',
  name,
  description,
  schema: '{"type":"object","properties":{"b":{"type":"string"},"a":{"minimum":1.0}}}',
  strict: undefined,
}));

const request: fc.Arbitrary<HubRequest> = fc
  .record({
    system: fc.array(text, { maxLength: 2 }),
    turns: conversation,
    tools: fc.uniqueArray(tool, { selector: ({ name }) => name, maxLength: 3 }),
    maxTokens: fc.integer({ min: 1, max: 64_000 }),
    stop: fc.array(identifier, { maxLength: 2 }),
    stream: fc.boolean(),
    endUser: fc.option(identifier, { nil: undefined }),
  })
  .map((fields) => someRequest({ client: 'messages', ...fields }));

const anyBlock = fc.record(
  {
    type: fc.constantFrom(
      'text',
      'image',
      'document',
      'thinking',
      'tool_use',
      'tool_result',
      'search_result',
      'x',
    ),
    text: fc.jsonValue(),
    source: fc.oneof(
      fc.jsonValue(),
      fc.record({ type: fc.constantFrom('base64', 'content', 'text', 'url') }),
    ),
    content: fc.jsonValue(),
    input: fc.jsonValue(),
    cache_control: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
/** Fields of the protocol with any values. */
const anyBody = fc.record(
  {
    messages: fc.oneof(
      fc.jsonValue(),
      fc.array(
        fc.record({
          role: fc.constantFrom('user', 'assistant', 'system', 'x'),
          content: fc.array(anyBlock),
        }),
      ),
    ),
    system: fc.oneof(fc.jsonValue(), fc.array(anyBlock)),
    tools: fc.oneof(fc.jsonValue(), fc.array(fc.record({ name: fc.string(), input_schema: fc.jsonValue() }))),
    tool_choice: fc.oneof(fc.jsonValue(), fc.record({ type: fc.constantFrom('auto', 'tool', 'any') })),
    thinking: fc.oneof(fc.jsonValue(), fc.record({ type: fc.constantFrom('enabled', 'adaptive') })),
    output_config: fc.jsonValue(),
    metadata: fc.jsonValue(),
    cache_control: fc.jsonValue(),
    max_tokens: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

describe('a round trip of the hub through Messages', () => {
  test('preserves requests, and reports no loss', () => {
    fc.assert(
      fc.property(request, (before) => {
        const notes = new Notes(messagesCodec.fields);
        const body = read(messagesCodec.encodeRequest(before, target, notes));
        expect(messagesCodec.decodeRequest(body, RAW, notes)).toEqual(before);
        expect(notes.dropped).toEqual([]);
      }),
      { numRuns: runs(100) },
    );
  });

  test('preserves answers', () => {
    const parts = fc.array(fc.oneof(text, reasoning, redacted, call), { maxLength: 5 });
    fc.assert(
      fc.property(parts, (said) => {
        const reason = said.some(({ kind }) => kind === 'tool-call') ? 'tool' : 'stop';
        const before: HubAnswer = {
          id: 'msg_c1',
          choices: [{ parts: said, finish: { reason } }],
          usage: {
            inputFresh: 1,
            cacheRead: 2,
            cacheWrite: 4,
            cacheWriteLong: 3,
            outputText: 5,
            outputReasoning: 6,
            toolPrompt: 0,
            images: 0,
            videos: 0,
          },
          serviceTier: 'standard',
        };
        expect(
          decodeWhole(messagesCodec, read(messagesCodec.encodeAnswer(before, session)), session),
        ).toEqual(before);
      }),
      { numRuns: runs(100) },
    );
  });

  test('decodes or refuses a body of any shape', () => {
    const wanted = fc.option(fc.constant(true), { nil: false });
    fc.assert(
      fc.property(anyBody, wanted, (fields, isConverted) => {
        const notes = new Notes(messagesCodec.fields);
        try {
          const decoded = messagesCodec.decodeRequest(read(fields as JsonObject), RAW, notes);
          if (isConverted) messagesCodec.encodeRequest({ ...decoded, client: 'chat' }, target, notes);
        } catch (error) {
          expect(error).toBeInstanceOf(Inexpressible);
        }
      }),
      { numRuns: runs(150) },
    );
  });
});
