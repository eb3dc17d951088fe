import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { someRequest, someSession, someTarget, someUsage } from '../../../test/support/hub.ts';
import { runs } from '../../../test/support/property-runs.ts';
import type { HubAnswer } from '../hub/answer.ts';
import { type JsonObject, readJson, writeJson } from '../hub/content/json.ts';
import type { HubEvent, PartHead } from '../hub/event.ts';
import { mergeTurns } from '../hub/fit/turns.ts';
import { Notes } from '../hub/notes.ts';
import type { Part, ToolCallPart } from '../hub/part.ts';
import { type HubRequest, NO_SAMPLING, NO_THINKING, type Turn } from '../hub/request.ts';
import { decodeWhole, openDecoder } from '../suite/reported.ts';
import { chatCodec } from './codec.ts';

const session = someSession({
  request: someRequest({ stream: true, includeUsage: true }),
  target: someTarget({ protocol: 'chat' }),
});
const RUNS = { numRuns: runs(150) };
const RAW = { body: Buffer.alloc(0), contentType: 'application/json', path: undefined };

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,12}$/);
const base64 = fc
  .uint8Array({ minLength: 1, maxLength: 9 })
  .map((bytes) => Buffer.from(bytes).toString('base64'));
const json = fc
  .dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  .map((value) => JSON.stringify(value));
const text = words.map((one): Part => ({ kind: 'text', text: one }));
const bytes = (mime: string): fc.Arbitrary<{ kind: 'bytes'; mime: string; base64: string }> =>
  base64.map((data) => ({ kind: 'bytes', mime, base64: data }));
const userPart: fc.Arbitrary<Part> = fc.oneof(
  text,
  bytes('image/png').map((source): Part => ({ kind: 'image', source, detail: 'high' })),
  fc.webUrl().map((url): Part => ({ kind: 'image', source: { kind: 'url', url } })),
  bytes('audio/wav').map((source): Part => ({ kind: 'audio', source })),
  bytes('application/pdf').map((source): Part => ({ kind: 'file', source, filename: 'a.pdf' })),
);
const call = fc
  .record({ name, arguments: json, custom: fc.boolean() })
  .map((one) => ({ kind: 'tool-call', id: '', ...one }) as const);

/** A round of a conversation: the user speaks, the assistant answers and calls, the tools give back. */
const round = fc.record({
  asked: fc.array(userPart, { minLength: 1, maxLength: 3 }),
  thought: fc.option(words),
  said: fc.option(words),
  calls: fc.array(call, { maxLength: 2 }),
  given: words,
});

function turnsOf(
  rounds: readonly (typeof round extends fc.Arbitrary<infer Round> ? Round : never)[],
): readonly Turn[] {
  const turns = rounds.flatMap(({ asked, thought, said, calls, given }, index): readonly Turn[] => {
    const made = calls.map((one, at): ToolCallPart => ({ ...one, id: `call_${index}_${at}` }));
    const answer: readonly Part[] = [
      ...(thought === null ? [] : [{ kind: 'reasoning', text: thought } as const]),
      { kind: 'text', text: said ?? 'ok' },
      ...made,
    ];
    const results = made.map(
      (one): Part => ({
        kind: 'tool-result',
        callId: one.id,
        parts: [{ kind: 'text', text: given }],
        isError: false,
        custom: one.custom,
      }),
    );
    return [
      { role: 'user', parts: asked },
      { role: 'assistant', parts: answer },
      { role: 'user', parts: results },
    ];
  });
  return mergeTurns(turns);
}

const request: fc.Arbitrary<Partial<HubRequest>> = fc.record({
  system: fc.array(
    words.map((one) => ({ kind: 'text', text: one }) as const),
    { maxLength: 2 },
  ),
  turns: fc.array(round, { minLength: 1, maxLength: 3 }).map(turnsOf),
  parallelCalls: fc.option(fc.boolean(), { nil: undefined }),
  thinking: fc.constantFrom('low', 'high', undefined).map((effort) => ({ ...NO_THINKING, effort })),
  format: fc.oneof(
    fc.constant({ kind: 'text' } as const),
    json.map((schema) => ({ kind: 'schema', name: 'n', description: 'd', schema, strict: false }) as const),
  ),
  sampling: fc
    .record({ temperature: fc.constantFrom(0, 1.5), seed: fc.integer() })
    .map((one) => ({ ...NO_SAMPLING, ...one })),
  stop: fc.array(words, { maxLength: 4 }),
  maxTokens: fc.option(fc.integer({ min: 1, max: 1000 }), { nil: undefined }),
  answers: fc.integer({ min: 1, max: 4 }),
  logprobs: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
  endUser: fc.option(words, { nil: undefined }),
  cacheKey: fc.option(words, { nil: undefined }),
});

describe('a round trip of the hub through this protocol', () => {
  it('preserves requests', () => {
    const target = someTarget({ protocol: 'chat' });
    const caps = { ...target.capabilities, reasoningContent: true };
    fc.assert(
      fc.property(request, (fields) => {
        const tools = [
          { kind: 'function', name: 'f', description: 'd', schema: '{"type":"object"}', strict: true },
        ] as const;
        const hub = someRequest({ ...fields, tools, toolChoice: { kind: 'tool', name: 'f' } });
        const notes = new Notes(chatCodec.fields);
        const written = writeJson(chatCodec.encodeRequest(hub, { ...target, capabilities: caps }, notes));
        const body = readJson(written, chatCodec.rawKeys) ?? {};
        const read = chatCodec.decodeRequest(body, RAW, notes);
        expect({ ...read, turns: mergeTurns(read.turns), spelled: undefined }).toEqual(hub);
        expect(notes.dropped).toEqual([]);
      }),
      RUNS,
    );
  });

  it('preserves answers', () => {
    const parts = fc.record({
      thought: fc.option(words),
      said: fc.option(words),
      calls: fc.array(call, { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(parts, { minLength: 1, maxLength: 2 }), (choices) => {
        const answer: HubAnswer = {
          id: 'chatcmpl-abc123',
          choices: choices.map(({ thought, said, calls }) => ({
            parts: [
              ...(thought === null ? [] : [{ kind: 'reasoning', text: thought } as const]),
              ...(said === null ? [] : [{ kind: 'text', text: said } as const]),
              ...calls.map((one, at) => ({ ...one, id: `c${at}` })),
            ],
            finish: { reason: calls.length > 0 ? 'tool' : 'length' },
          })),
          usage: USAGE,
          serviceTier: 'default',
        };
        const written = writeJson(chatCodec.encodeAnswer(answer, session));
        expect(decodeWhole(chatCodec, readJson(written, chatCodec.rawKeys) ?? {}, session)).toEqual(answer);
      }),
      RUNS,
    );
  });
});

const USAGE = someUsage({ cacheRead: 4, cacheWrite: 2 });

/** A part of a stream, cut into pieces anywhere. */
const piece = fc.oneof(
  fc.record({
    head: fc.constantFrom<PartHead>({ kind: 'text' }, { kind: 'reasoning' }),
    pieces: fc.array(words, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    head: call.map(
      (one, at = 0): PartHead => ({ kind: 'tool-call', id: `c${at}`, name: one.name, custom: one.custom }),
    ),
    pieces: json.chain((one) =>
      fc.nat(one.length).map((at) => [one.slice(0, at), one.slice(at)].filter((cut) => cut !== '')),
    ),
  }),
);

/** Neighbours of one kind are one here, so that what is compared does not depend on where parts were cut. */
function gather(events: readonly HubEvent[]): readonly (readonly [string, string])[] {
  const parts: [string, string][] = [];
  for (const event of events) {
    if (event.kind === 'part') {
      const { head } = event;
      const title = head.kind === 'tool-call' ? `${head.id} ${head.name} ${head.custom}` : head.kind;
      if (parts.at(-1)?.[0] !== title || head.kind === 'tool-call') parts.push([title, '']);
    } else if (event.kind === 'delta') (parts.at(-1) as [string, string])[1] += event.text;
  }
  return parts;
}

describe('a round trip of a hub stream through this protocol', () => {
  it('preserves it', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), fc.boolean(), (pieces, isEarly) => {
        const usage: HubEvent = { kind: 'usage', usage: USAGE };
        const body = pieces.flatMap(({ head, pieces: said }, index): HubEvent[] => [
          { kind: 'part', choice: 0, head: head.kind === 'tool-call' ? { ...head, id: `c${index}` } : head },
          ...said.map((one): HubEvent => ({ kind: 'delta', choice: 0, text: one })),
        ]);
        const hasCalls = pieces.some(({ head }) => head.kind === 'tool-call');
        const finish: HubEvent = {
          kind: 'finish',
          choice: 0,
          finish: { reason: hasCalls ? 'tool' : 'length' },
        };
        const events: HubEvent[] = [{ kind: 'start', id: 'v', usage: undefined }, ...body];
        events.push(...(isEarly ? [usage, finish] : [finish, usage]), { kind: 'end' });
        const encoder = chatCodec.createEncoder(session, 'sse');
        for (const event of events) encoder.push(event);
        const read: HubEvent[] = [];
        const decoder = openDecoder(chatCodec, session, (event) => read.push(event));
        for (const block of encoder.take().split('\n\n').slice(0, -2))
          decoder.push(JSON.parse(block.slice(6)) as JsonObject);
        decoder.finish();
        expect(gather(read)).toEqual(gather(events));
        expect(read).toContainEqual(usage);
        expect(read).toContainEqual(finish);
        expect(read.at(-1)).toEqual({ kind: 'end' });
      }),
      RUNS,
    );
  });
});
