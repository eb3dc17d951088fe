import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../src/kernel/errors.ts';
import { getCodec } from '../../src/protocol/convert/codecs.ts';
import { type Conversion, convertRequest, readClientRequest } from '../../src/protocol/convert/convert.ts';
import type { RequestFacts } from '../../src/protocol/dialect.ts';
import type { HubAnswer } from '../../src/protocol/hub/answer.ts';
import type { Session, Target } from '../../src/protocol/hub/codec.ts';
import { type JsonObject, readJson, writeJson } from '../../src/protocol/hub/content/json.ts';
import { fitRequest } from '../../src/protocol/hub/fit/fit.ts';
import { Inexpressible, Notes } from '../../src/protocol/hub/notes.ts';
import type { TextProtocol } from '../../src/protocol/hub/protocol.ts';
import type { HubRequest } from '../../src/protocol/hub/request.ts';
import { getDialect } from '../../src/protocol/registry.ts';
import { decodeWhole, openDecoder } from '../../src/protocol/suite/reported.ts';
import { someCapabilities, someRequest, someTarget } from '../support/hub.ts';
import { runs } from '../support/property-runs.ts';
import { eventsOf, someAnswer, someConversation, someGarbage } from './arbitrary.ts';
import { answerEssence, essenceOf } from './essence.ts';
import { PROTOCOLS } from './recorded/load.ts';
import { hasTerminator, IDENTITY, passStream, rawRequest } from './recorded/pass.ts';

const PAIRS = PROTOCOLS.flatMap((vendor) => PROTOCOLS.map((client) => ({ vendor, client })));
const RUNS = { numRuns: runs(40) };

/** A model that can do all that its protocol has words for. */
function ableTarget(protocol: TextProtocol): Target {
  const capabilities = someCapabilities({ prefill: protocol !== 'gemini', thinking: 'none', efforts: [] });
  return someTarget({ protocol, capabilities });
}

function clientBody(protocol: TextProtocol, request: HubRequest): unknown {
  const codec = getCodec(protocol);
  const fitted = fitRequest({ ...request, client: protocol }, ableTarget(protocol), codec.rules);
  const notes = new Notes(codec.fields);
  return JSON.parse(writeJson(codec.encodeRequest(fitted.request, ableTarget(protocol), notes)));
}

function decoded(protocol: TextProtocol, body: unknown, stream: boolean): HubRequest {
  const read = readClientRequest(protocol, rawRequest(protocol, body, stream));
  if (isRefusal(read)) throw new Error(read.message);
  return read.request;
}

function converted(client: TextProtocol, vendor: TextProtocol, request: HubRequest): Conversion {
  const raw = rawRequest(client, clientBody(client, request), request.stream);
  const read = readClientRequest(client, raw);
  if (isRefusal(read)) throw new Error(read.message);
  const conversion = convertRequest(read, ableTarget(vendor), IDENTITY);
  if (isRefusal(conversion)) throw new Error(conversion.message);
  return conversion;
}

describe('random conversations', () => {
  it.each(PAIRS)(
    'of $client clients reach $vendor vendors without change of meaning',
    ({ client, vendor }) => {
      fc.assert(
        fc.property(someConversation, (request) => {
          const { body } = converted(client, vendor, request);
          const arrived = decoded(vendor, JSON.parse(body.toString()), request.stream);
          expect(essenceOf(arrived)).toEqual(essenceOf(request));
          // The same conversation gives the same bytes: caches depend on it (rule C-5).
          expect(converted(client, vendor, request).body.equals(body)).toBe(true);
        }),
        RUNS,
      );
    },
  );
});

function session(client: TextProtocol, vendor: TextProtocol): Session {
  const request = someRequest({ client, stream: true, includeUsage: true });
  return { request, target: ableTarget(vendor), ...IDENTITY };
}

/** What the client's own decoder makes of a plain answer. */
function readAnswer(client: TextProtocol, body: string): HubAnswer {
  const json = readJson(body, getCodec(client).rawKeys) as JsonObject;
  const answer = decodeWhole(getCodec(client), json, session(client, client));
  if (!('choices' in answer)) throw new Error(answer.message);
  return answer;
}

/** The vendor's stream as text, event by event; the last ones are its terminator. */
function vendorStream(vendor: TextProtocol, answer: HubAnswer, size: number): readonly string[] {
  const encoder = getCodec(vendor).createEncoder(session(vendor, vendor), 'sse');
  for (const event of eventsOf(answer, size)) encoder.push(event);
  return encoder
    .take()
    .split(/(?<=\n\n)/)
    .filter((block) => block !== '');
}

/** The answer that the events of a stream make together. */
function readStream(client: TextProtocol, text: string): HubAnswer {
  const parts: Record<string, unknown>[] = [];
  let [usage, finish]: unknown[] = [undefined, undefined];
  const decoder = openDecoder(getCodec(client), session(client, client), (event) => {
    const open = parts.at(-1);
    if (event.kind === 'part') parts.push({ ...event.head, text: '', arguments: '' });
    else if (event.kind === 'delta' && open !== undefined) {
      const key = open.kind === 'tool-call' ? 'arguments' : 'text';
      open[key] = `${open[key]}${event.text}`;
    } else if (event.kind === 'usage') usage = event.usage;
    else if (event.kind === 'finish') finish = event.finish;
  });
  for (const line of text.split('\n')) {
    if (line.startsWith('data: {')) decoder.push(JSON.parse(line.slice('data: '.length)));
  }
  decoder.finish();
  const whole = parts.map((part) => ({ ...part, arguments: part.arguments || '{}' }));
  return {
    id: '',
    choices: [{ parts: whole, finish }],
    usage,
    serviceTier: undefined,
  } as unknown as HubAnswer;
}

describe('random answers', () => {
  it.each(PAIRS)('of $vendor vendors reach $client clients without change of meaning', (pair) => {
    const { vendor, client } = pair;
    fc.assert(
      fc.property(someAnswer, fc.integer({ min: 1, max: 9 }), (answer, size) => {
        const native = getCodec(vendor).encodeAnswer(answer, session(vendor, vendor));
        const conversion = converted(client, vendor, someRequest(PLAIN));
        const plain = conversion.convertAnswer(Buffer.from(writeJson(native))) as Buffer;
        const among = [vendor, client];
        expect(answerEssence(readAnswer(client, plain.toString()), among)).toEqual(
          answerEssence(answer, among),
        );
        const stream = vendorStream(vendor, answer, size).join('');
        const passed = passStream(pair, Buffer.from(stream), []);
        expect(passed.complete).toBe(true);
        expect(answerEssence(readStream(client, passed.text), among)).toEqual(answerEssence(answer, among));
      }),
      RUNS,
    );
  });

  it.each(PAIRS)('of $vendor vendors are the same for $client clients at any split of the bytes', (pair) => {
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });
    fc.assert(
      fc.property(someAnswer, cuts, fc.boolean(), (answer, places, isByteByByte) => {
        const bytes = Buffer.from(vendorStream(pair.vendor, answer, 3).join(''));
        const all = places.map((place) => Math.floor(place * bytes.length)).sort((one, two) => one - two);
        const each = Array.from({ length: bytes.length - 1 }, (_nothing, index) => index + 1);
        const split = passStream(pair, bytes, isByteByByte ? each : all);
        expect(split).toEqual(passStream(pair, bytes, []));
      }),
      { numRuns: runs(20) },
    );
  });

  it.each(PAIRS)('of $vendor vendors that break off are never complete for $client clients', (pair) => {
    fc.assert(
      fc.property(someAnswer, (answer) => {
        const blocks = vendorStream(pair.vendor, answer, 4);
        for (let count = 0; count < blocks.length; count++) {
          const kept = blocks.slice(0, count);
          const last = blocks[count] as string;
          // Rule I-37: a Chat answer with its finish reason is whole, be the rest missing.
          if (pair.vendor === 'chat' && kept.some((block) => /"finish_reason":\s*"/.test(block))) break;
          for (const half of ['', last.slice(0, Math.floor(last.length / 2))]) {
            const passed = passStream(pair, Buffer.from(kept.join('') + half), []);
            expect(passed.complete).toBe(false);
            expect(hasTerminator(pair.client, passed.text)).toBe(false);
          }
        }
      }),
      { numRuns: runs(10) },
    );
  });
});

const PLAIN: Partial<HubRequest> = {
  turns: [{ role: 'user', parts: [{ kind: 'text', text: 'hello' }] }],
  maxTokens: 100,
};

describe('garbage', () => {
  it.each(PAIRS)('from $vendor vendors does not harm a $client client', ({ vendor, client }) => {
    const pair = { vendor, client };
    fc.assert(
      fc.property(fc.array(someGarbage, { maxLength: 8 }), (events) => {
        const stream = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
        const passed = passStream(pair, Buffer.from(stream), []);
        // Whatever comes is told in about as many words: nothing multiplies.
        expect(passed.text.length).toBeLessThan(50_000 + 200 * stream.length);
        const conversion = converted(client, vendor, someRequest(PLAIN));
        for (const event of events) conversion.convertAnswer(Buffer.from(JSON.stringify(event)));
      }),
      RUNS,
    );
  });

  it.each(PROTOCOLS)('from %s clients is decoded or refused with a message', (client) => {
    const codec = getCodec(client);
    fc.assert(
      fc.property(someGarbage, (garbage) => {
        const raw = rawRequest(client, garbage, false);
        const body = readJson(raw.body.toString(), codec.rawKeys) as JsonObject;
        try {
          codec.decodeRequest(body, raw, new Notes(codec.fields));
        } catch (error) {
          expect(error).toBeInstanceOf(Inexpressible);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it.each(PROTOCOLS)('of bytes is not a stream of %s', (vendor) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const facts = { usageInjected: false } as RequestFacts;
        const relay = getDialect(vendor).relayStream('sse', facts, 'm');
        const stream = converted('chat', vendor, someRequest(PLAIN)).convertStream('sse', relay);
        stream.push(Buffer.from(bytes));
        expect(stream.finish().complete).toBe(false);
      }),
      RUNS,
    );
  });
});
