import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import type { HubAnswer } from '../hub/answer.ts';
import { unwrapSignatures } from '../hub/envelope.ts';
import type { HubEvent, PartHead } from '../hub/event.ts';
import type { Part } from '../hub/part.ts';
import type { Turn } from '../hub/request.ts';
import type { Signature } from '../hub/signature.ts';
import { decodeWhole } from '../suite/reported.ts';
import { responsesCodec } from './codec.ts';
import { collect } from './suite/collect.ts';
import { decode, decodeEvents, encode, encodeEvents, OWN, parse, payloads, plain } from './suite/world.ts';

const text = fc.string({ minLength: 1, maxLength: 20, unit: 'binary' }).filter((one) => one.isWellFormed());
const name = fc.stringMatching(/^[a-z]{1,8}$/);
const id = fc.uuid();
const spoken = text.map((one): Part => ({ kind: 'text', text: one }));
const refused = text.map((one): Part => ({ kind: 'refusal', text: one }));
const bytes = fc
  .uint8Array({ minLength: 1, maxLength: 9 })
  .map((data) => Buffer.from([0, ...data]).toString('base64'));
const picture = fc.oneof(
  bytes.map((base64): Part => ({ kind: 'image', source: { kind: 'bytes', mime: 'image/heic', base64 } })),
  fc.webUrl().map((url): Part => ({ kind: 'image', source: { kind: 'url', url }, detail: 'low' })),
);
const file = bytes.map(
  (base64): Part => ({
    kind: 'file',
    source: { kind: 'bytes', mime: 'application/pdf', base64 },
    filename: 'a.pdf',
  }),
);
const call = fc.record({ id, name, input: fc.jsonValue(), custom: fc.boolean(), space: name }).map(
  (one): Part => ({
    kind: 'tool-call',
    id: one.id,
    name: one.name,
    namespace: one.space,
    arguments: one.custom ? 'free text' : JSON.stringify({ input: one.input }),
    custom: one.custom,
  }),
);
const result = fc
  .record({
    id,
    parts: fc.oneof(fc.tuple(spoken), fc.constant([]), fc.tuple(spoken, picture)),
    custom: fc.boolean(),
  })
  .map(
    (one): Part => ({
      kind: 'tool-result',
      callId: one.id,
      parts: one.parts,
      isError: false,
      custom: one.custom,
    }),
  );

function thought(issuer: string): fc.Arbitrary<readonly Part[]> {
  const signature = fc
    .record({ value: text, itemId: id })
    .map(
      ({ value, itemId }): Signature => ({ issuer, form: 'encrypted', place: 'reasoning', value, itemId }),
    );
  const visible = fc.oneof(text, fc.constant(''));
  // The vendor takes reasoning only with what it led to.
  return fc
    .tuple(visible, signature, fc.oneof(spoken, call))
    .map(([said, sealed, next]): readonly Part[] => [
      { kind: 'reasoning', text: said, signature: sealed },
      next,
    ]);
}

const userTurn = fc
  .array(fc.oneof(spoken, picture, file, result), { minLength: 1, maxLength: 5 })
  .map((parts): Turn => ({ role: 'user', parts }));
const assistantParts = (issuer: string): fc.Arbitrary<readonly Part[]> =>
  fc
    .array(
      fc.oneof(
        spoken.map((one) => [one]),
        refused.map((one) => [one]),
        call.map((one) => [one]),
        thought(issuer),
      ),
      {
        minLength: 1,
        maxLength: 5,
      },
    )
    .map((groups) => groups.flat());
const assistantTurn = assistantParts('responses').map((parts): Turn => ({ role: 'assistant', parts }));

/** The envelope of a ciphertext that came behind its text. */
function opened(part: Part): Part {
  if (part.kind !== 'reasoning' || part.signature === undefined) return part;
  return { ...part, signature: unwrapSignatures(part.signature.value)?.[0] ?? part.signature };
}

describe('a round trip preserves what the protocol can express', () => {
  test('in requests', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(userTurn, assistantTurn), { minLength: 1, maxLength: 3 }),
        text,
        (rounds, system) => {
          const turns = rounds.flat();
          const { body } = encode({ client: 'responses', turns, system: [{ kind: 'text', text: system }] });
          const { request } = decode(body);
          expect(request.turns).toEqual(turns);
          expect(request.system).toEqual([{ kind: 'text', text: system }]);
        },
      ),
      { numRuns: runs(200) },
    );
  });

  test('in plain answers', () => {
    fc.assert(
      fc.property(assistantParts('r-1'), (parts) => {
        const finish = { reason: parts.some((part) => part.kind === 'tool-call') ? 'tool' : 'stop' } as const;
        const answer: HubAnswer = {
          id: 'v',
          choices: [{ parts, finish }],
          usage: undefined,
          serviceTier: undefined,
        };
        const body = parse(plain(responsesCodec.encodeAnswer(answer, OWN)));
        const again = decodeWhole(responsesCodec, body, OWN) as HubAnswer;
        expect(again.choices[0]?.parts).toEqual(parts);
      }),
      { numRuns: runs(200) },
    );
  });

  test('in streams, however they are cut', () => {
    fc.assert(
      fc.property(assistantParts('r-1'), fc.integer({ min: 1, max: 7 }), (parts, size) => {
        const events = [
          { kind: 'start', id: 'v', usage: undefined } as const,
          ...parts.flatMap((part) => eventsOf(part, size)),
          { kind: 'finish', choice: 0, finish: { reason: 'stop' } } as const,
          { kind: 'end' } as const,
        ];
        const again = collect(decodeEvents(payloads(encodeEvents(events, OWN))));
        expect(again.parts.map(opened)).toEqual(parts);
        expect(again.isEnded).toBe(true);
      }),
      { numRuns: runs(200) },
    );
  });
});

function eventsOf(part: Part, size: number): readonly HubEvent[] {
  const pieces = (said: string): HubEvent[] => {
    const units = [...said];
    const starts = units.map((_, index) => index).filter((index) => index % size === 0);
    return starts.map((from) => ({
      kind: 'delta',
      choice: 0,
      text: units.slice(from, from + size).join(''),
    }));
  };
  const head = (one: PartHead): HubEvent => ({ kind: 'part', choice: 0, head: one });
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return [head({ kind: part.kind }), ...pieces(part.text)];
    case 'reasoning':
      return [
        head({ kind: 'reasoning' }),
        ...pieces(part.text),
        ...(part.signature === undefined
          ? []
          : [{ kind: 'signature', choice: 0, signature: part.signature } as const]),
      ];
    case 'tool-call': {
      const { arguments: said, ...rest } = part;
      return [head(rest), ...pieces(said), { kind: 'part-end', choice: 0 }];
    }
    default:
      return [];
  }
}
