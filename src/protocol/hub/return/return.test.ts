import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  someCall as call,
  someSignature as signature,
  someCapabilities,
  someRequest,
  someRules,
  someTarget,
} from '../../../../test/support/hub.ts';
import { runs } from '../../../../test/support/property-runs.ts';
import type { Choice, HubAnswer } from '../answer.ts';
import type { CodecRules, Target } from '../codec.ts';
import type { HubEvent } from '../event.ts';
import { fitRequest } from '../fit/fit.ts';
import { signedTextKey } from '../fit/signatures.ts';
import { StopScanner } from '../fit/stop.ts';
import type { Part, ToolCallPart } from '../part.ts';
import type { HubRequest, Tool } from '../request.ts';
import type { Signature } from '../signature.ts';
import { returnAnswer } from './return.ts';
import type { ReturnPlan } from './return-call.ts';
import { ReturnStage } from './return-stream.ts';

const CARRIES = someRules({ carriesReasoning: true });
const CARRIES_NOT = someRules({ carriesReasoning: false });
const text = (said: string): Part => ({ kind: 'text', text: said });
const thought = (said: string, signature?: Signature): Part => ({ kind: 'reasoning', text: said, signature });

function planFor(
  request: Partial<HubRequest> = {},
  client: CodecRules = CARRIES,
  vendor: Partial<Target> = {},
): ReturnPlan {
  const asked = someRequest(request);
  const capabilities = someCapabilities({ stopSequences: false, customTools: false });
  const target = someTarget({ ...vendor, capabilities });
  const { names } = fitRequest(asked, target, someRules());
  const session = { request: asked, target, modelId: 'm', callId: '01JD8', createdAtS: 1 };
  return { session, names, client, kept: new Map() };
}

function answerOf(...choices: (readonly Part[])[]): HubAnswer {
  const ofParts = (parts: readonly Part[]): Choice => ({ parts, finish: { reason: 'stop' } });
  return { id: 'a', choices: choices.map(ofParts), usage: undefined, serviceTier: undefined };
}

function plainly(plan: ReturnPlan, ...parts: Part[]): Choice {
  return returnAnswer(answerOf(parts), plan).choices[0] as Choice;
}

/** The events a decoder makes of parts, their text cut into pieces. */
function eventsOf(parts: readonly Part[], pieceLength: number): readonly HubEvent[] {
  const events = parts.flatMap((part): HubEvent[] => {
    if (part.kind === 'text')
      return [open({ kind: 'text' }), ...pieces(part.text, pieceLength), ...toSignatures(part.signatures)];
    if (part.kind === 'reasoning') {
      return [
        open({ kind: 'reasoning' }),
        ...pieces(part.text, pieceLength),
        ...toSignatures(part.signature && [part.signature]),
      ];
    }
    if (part.kind !== 'tool-call') return [];
    const { arguments: input, ...head } = part;
    return [open(head), ...pieces(input, pieceLength), { kind: 'part-end', choice: 0 }];
  });
  return [
    { kind: 'start', id: 'a', usage: undefined },
    ...events,
    { kind: 'finish', choice: 0, finish: { reason: 'stop' } },
  ];
}

type Head = Extract<HubEvent, { kind: 'part' }>['head'];
const open = (head: Head): HubEvent => ({ kind: 'part', choice: 0, head });
const toSignatures = (signatures: readonly Signature[] = []): HubEvent[] =>
  signatures.map((signature) => ({ kind: 'signature', choice: 0, signature }));

function pieces(said: string, length: number): HubEvent[] {
  const cut: HubEvent[] = [];
  for (let at = 0; at < said.length; at += length) {
    cut.push({ kind: 'delta', choice: 0, text: said.slice(at, at + length) });
  }
  return cut;
}

/** The parts that a client puts together from the events, and how the answer ended. */
function heard(events: readonly HubEvent[]): Choice & { readonly ended: boolean } {
  const parts: Record<string, unknown>[] = [];
  let finish: Choice['finish'] = { reason: 'stop' };
  for (const event of events) {
    const last = parts.at(-1) ?? {};
    if (event.kind === 'part') {
      const isCall = event.head.kind === 'tool-call';
      parts.push({ ...event.head, ...(isCall ? { arguments: '' } : { text: '' }) });
    } else if (event.kind === 'delta') {
      const key = last.kind === 'tool-call' ? 'arguments' : 'text';
      last[key] = `${String(last[key])}${event.text}`;
    } else if (event.kind === 'signature' && last.kind === 'reasoning') last.signature = event.signature;
    else if (event.kind === 'signature') last.signatures = [event.signature];
    else if (event.kind === 'finish') finish = event.finish;
  }
  return { parts: parts as unknown as Part[], finish, ended: events.at(-1)?.kind === 'end' };
}

function streamed(plan: ReturnPlan, parts: readonly Part[], pieceLength = 1): readonly HubEvent[] {
  const events: HubEvent[] = [];
  const stage = new ReturnStage(plan, (event) => events.push(event));
  for (const event of eventsOf(parts, pieceLength)) stage.push(event);
  stage.end();
  return events;
}

/** Both ways must say the same. */
function both(request: Partial<HubRequest>, client: CodecRules, ...parts: Part[]): Choice {
  const plain = plainly(planFor(request, client), ...parts);
  for (const length of [1, 3, 1000]) {
    const { ended, ...stream } = heard(streamed(planFor(request, client), parts, length));
    expect(ended).toBe(true);
    expect(stream).toEqual(plain);
  }
  return plain;
}

describe('calls for the client', () => {
  const tools: readonly Tool[] = [
    { kind: 'function', name: 'a.b', namespace: 'ns', schema: undefined, strict: undefined },
    { kind: 'custom', name: 'patch' },
  ];

  it('have the name and the namespace of the client’s tool', () => {
    const { names } = planFor({ tools });
    const { name } = names.toVendor({ name: 'a.b', namespace: 'ns' });
    const [part] = both({ tools }, CARRIES, call('c1', { name })).parts;
    expect(part).toEqual(call('c1', { name: 'a.b', namespace: 'ns' }));
  });

  it('of custom tools contain their text, however the vendor splits its JSON', () => {
    const input = 'x "y"\n\\ 😀';
    const wrapped = call('c1', { name: 'patch', arguments: JSON.stringify({ input }) });
    expect(both({ tools }, CARRIES, wrapped).parts).toEqual([
      call('c1', { name: 'patch', custom: true, arguments: input }),
    ]);
  });

  it.each([
    ['not json', 'not json'],
    ['{}', ''],
    ['{"other":1}', '{"other":1}'],
    ['"text"', '"text"'],
  ])('of custom tools that violate the form are passed on: %s', (sent, expected) => {
    expect(both({ tools }, CARRIES, call('c1', { name: 'patch', arguments: sent })).parts[0]).toMatchObject({
      arguments: expected,
    });
  });

  it('get an id where the vendor gave none or a duplicate', () => {
    const turns = [{ role: 'assistant', parts: [call('call_0')] }] as const;
    const { parts } = both(
      { turns },
      CARRIES,
      call(''),
      call(''),
      call('call_0'),
      call('call_1'),
      call('call_1'),
    );
    const ids = parts.map((part) => (part as ToolCallPart).id);
    expect(new Set(ids).size).toBe(5);
    expect(ids[3]).toBe('call_1');
    for (const id of ids) expect(id).toMatch(/^call_([a-z2-7]{24}|1)$/);
  });
});

describe('signatures for the client', () => {
  const own = signature('call-sig', { place: 'call', form: 'thought' });

  it('of a call come before it in thinking without text, where the client keeps thinking', () => {
    expect(both({}, CARRIES, text('so'), call('c1', { signatures: [own] }), call('c2')).parts).toEqual([
      text('so'),
      thought('', own),
      call('c1'),
      call('c2'),
    ]);
  });

  it('of thinking stay with it, where the client keeps thinking', () => {
    const parts = [thought('hm', signature('s1')), text('so'), call('c1')];
    expect(both({}, CARRIES, ...parts).parts).toEqual(parts);
  });

  it('of thinking come on the next call, with its text and on its side of the text, for all others', () => {
    const { parts } = both(
      { client: 'gemini' },
      CARRIES_NOT,
      thought('one', signature('s1')),
      text('so'),
      thought('', signature('s2', { form: 'redacted' })),
      call('c1', { signatures: [own] }),
      call('c2'),
    );
    const riding = [
      signature('s1', { text: 'one', beforeText: true }),
      signature('s2', { form: 'redacted' }),
      own,
    ];
    expect(parts).toEqual([
      thought('one'),
      text('so'),
      thought(''),
      call('c1', { signatures: riding }),
      call('c2'),
    ]);
  });

  it('are stored by the gateway for Chat clients only, under the id the client sees', () => {
    const parts = [thought('one', signature('s1')), call('functions.f:0')];
    const chat = planFor({ client: 'chat' }, CARRIES_NOT);
    const [, seen] = plainly(chat, ...parts).parts;
    expect([...chat.kept.keys()]).toEqual([(seen as ToolCallPart).id]);
    const streaming = planFor({ client: 'chat' }, CARRIES_NOT);
    streamed(streaming, parts);
    expect(streaming.kept).toEqual(chat.kept);
    const gemini = planFor({ client: 'gemini' }, CARRIES_NOT);
    plainly(gemini, ...parts);
    expect(gemini.kept.size).toBe(0);
  });

  it('of texts are on them, or stored by the text where only thinking has a place for them', () => {
    const own = [signature('s', { place: 'text' })];
    const signed: Part = { kind: 'text', text: 'so', signatures: own };
    expect(both({ client: 'chat' }, CARRIES_NOT, signed).parts).toEqual([signed]);
    expect(both({ client: 'gemini' }, CARRIES_NOT, signed).parts).toEqual([signed]);
    for (const parts of [[signed], [text('so'), { ...signed, text: '' }]]) {
      const google = (): ReturnPlan => planFor({ client: 'messages' }, CARRIES, { protocol: 'gemini' });
      const [plan, streaming] = [google(), google()];
      expect(plainly(plan, ...parts).parts).toEqual([text('so')]);
      streamed(streaming, parts);
      for (const { kept } of [plan, streaming]) expect(kept).toEqual(new Map([[signedTextKey('so'), own]]));
    }
  });

  it('whose thinking is too long for a call are dropped, and the thinking is still included', () => {
    const long = 'x'.repeat(600_000);
    const plan = planFor({ client: 'chat' }, CARRIES_NOT);
    const parts = [thought(long, signature('s1')), call('c1')];
    expect(heard(streamed(plan, parts, 100_000)).parts).toEqual([thought(long), call('c1')]);
    expect(plan.kept.size).toBe(0);
  });
});

describe('stop sequences', () => {
  const stop = ['END', '\n\nHuman:'];

  it('cut the text, end the answer and drop what follows', () => {
    const choice = both({ stop }, CARRIES, text('one END two'), text('three'), call('c1'));
    expect(choice).toEqual({
      parts: [text('one ')],
      finish: { reason: 'stop-sequence', stopSequence: 'END' },
    });
  });

  it('that only begin are emitted after all', () => {
    expect(both({ stop }, CARRIES, text('EN'), text('D'), text('wEEND')).parts.at(-1)).toEqual(text('wE'));
    expect(both({ stop }, CARRIES, text('so EN')).parts).toEqual([text('so EN')]);
  });

  it('are not searched in thinking and arguments', () => {
    const parts = [thought('END'), call('c1', { arguments: '{"q":"END"}' })];
    expect(both({ stop }, CARRIES, ...parts).parts).toEqual(parts);
  });

  it('hold back no more text than may belong to one', () => {
    const scanner = new StopScanner(stop);
    expect(scanner.push('abcE')).toEqual({ text: 'abc', stop: undefined });
    expect(scanner.push('NE')).toEqual({ text: 'EN', stop: undefined });
    expect(scanner.push('x\n')).toEqual({ text: 'Ex', stop: undefined });
    expect(scanner.flush()).toBe('\n');
  });

  it('are found across the boundaries of text deltas', () => {
    const few = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 30 });
    const stops = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 5 }), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(few, stops, fc.integer({ min: 1, max: 4 }), (said, list, length) => {
        const places = list.map((one) => said.indexOf(one)).filter((at) => at >= 0);
        const scanner = new StopScanner(list);
        let out = '';
        let hit = false;
        for (let at = 0; at < said.length && !hit; at += length) {
          const scanned = scanner.push(said.slice(at, at + length));
          out += scanned.text;
          hit = scanned.stop !== undefined;
        }
        expect(hit ? out : out + scanner.flush()).toBe(hit ? said.slice(0, out.length) : said);
        expect(hit).toBe(places.length > 0);
      }),
      { numRuns: runs(300) },
    );
  });

  it('cut logprobs with the text', () => {
    const logprobs = ['on', 'e', ' E', 'ND', ' x'].map((token) => ({ token, logprob: -1, top: [] }));
    const choice: Choice = { parts: [text('one END x')], finish: { reason: 'stop' }, logprobs };
    const answer = { ...answerOf(), choices: [choice] };
    const [returned] = returnAnswer(answer, planFor({ stop: ['END'] })).choices;
    expect(returned?.logprobs?.map(({ token }) => token)).toEqual(['on', 'e']);
  });
});

describe('the return stage of a stream', () => {
  it('passes deltas unchanged where nothing is to be done', () => {
    const events: HubEvent[] = [];
    const stage = new ReturnStage(planFor(), (event) => events.push(event));
    const delta: HubEvent = { kind: 'delta', choice: 0, text: 'x' };
    stage.push({ kind: 'part', choice: 0, head: { kind: 'text' } });
    stage.push(delta);
    expect(events[1]).toBe(delta);
  });

  it('emits the end once, with a start and never behind an error', () => {
    const events: HubEvent[] = [];
    const stage = new ReturnStage(planFor(), (event) => events.push(event));
    stage.push({ kind: 'end' });
    expect(events).toEqual([]);
    stage.end();
    expect(events.map(({ kind }) => kind)).toEqual(['start', 'end']);
    const failing = new ReturnStage(planFor(), (event) => events.push(event));
    const error = { status: 529, code: undefined, type: undefined, message: 'Overloaded' };
    failing.push({ kind: 'error', error });
    failing.push({ kind: 'delta', choice: 0, text: 'late' });
    failing.end();
    expect(events.slice(2)).toEqual([{ kind: 'error', error }]);
    expect(failing.failed).toBe(true);
  });

  it('fails where the input of a custom tool exceeds its bound', () => {
    const events: HubEvent[] = [];
    const plan = planFor({ tools: [{ kind: 'custom', name: 'patch' }] });
    const stage = new ReturnStage(plan, (event) => events.push(event));
    stage.push({
      kind: 'part',
      choice: 0,
      head: { kind: 'tool-call', id: 'c', name: 'patch', custom: false },
    });
    const piece: HubEvent = { kind: 'delta', choice: 0, text: 'x'.repeat(1024 * 1024) };
    for (let count = 0; count < 17; count++) stage.push(piece);
    expect(events.at(-1)).toMatchObject({ kind: 'error', error: { status: 502 } });
    expect(stage.failed).toBe(true);
  });

  it('keeps choices apart, up to the maximum number', () => {
    const events: HubEvent[] = [];
    const stage = new ReturnStage(planFor({ stop: ['END'] }), (event) => events.push(event));
    for (const choice of [0, 1]) stage.push({ kind: 'part', choice, head: { kind: 'text' } });
    stage.push({ kind: 'delta', choice: 0, text: 'aE' });
    stage.push({ kind: 'delta', choice: 1, text: 'ND' });
    stage.push({ kind: 'delta', choice: 0, text: 'ND' });
    stage.end();
    expect(events.filter(({ kind }) => kind === 'delta')).toEqual([
      { kind: 'delta', choice: 0, text: 'a' },
      { kind: 'delta', choice: 1, text: 'ND' },
    ]);
    expect(events.filter(({ kind }) => kind === 'finish')).toEqual([
      { kind: 'finish', choice: 0, finish: { reason: 'stop-sequence', stopSequence: 'END' } },
    ]);
    const count = events.length;
    for (let choice = 2; choice < 1000; choice++)
      stage.push({ kind: 'part', choice, head: { kind: 'text' } });
    expect(events.length - count).toBe(126);
  });

  it('gives the same result as for the plain answer', () => {
    const said = fc.string({ maxLength: 8 });
    const part = fc.oneof(
      said.map(text),
      fc
        .tuple(said, fc.option(said, { nil: undefined }))
        .map(([words, value]) => thought(words, value === undefined ? undefined : signature(value))),
      fc
        .tuple(fc.constantFrom('', 'a', 'b.c'), fc.boolean())
        .map(([id, signed]) => call(id, signed ? { signatures: [signature('x', { place: 'call' })] } : {})),
    );
    const client = fc.constantFrom<[HubRequest['client'], CodecRules]>(
      ['chat', CARRIES_NOT],
      ['gemini', CARRIES_NOT],
      ['messages', CARRIES],
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), client, (parts, [protocol, rules]) => {
        both({ client: protocol, stop: ['a', 'bc'] }, rules, ...parts);
      }),
      { numRuns: runs(200) },
    );
  });
});
