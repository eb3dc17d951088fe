import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRefusal } from '../../src/kernel/errors.ts';
import { convertRequest, readClientRequest } from '../../src/protocol/convert/convert.ts';
import type { TextProtocol } from '../../src/protocol/hub/protocol.ts';
import { needs, RECORDINGS } from '../needs.ts';
import { contentOf, missingFrom } from './recorded/content.ts';
import { differences } from './recorded/expected.ts';
import { KNOWN, TOTALS } from './recorded/known.ts';
import { loadRecordings, PROTOCOLS, type Recording } from './recorded/load.ts';
import { opaqueIn } from './recorded/opaque.ts';
import {
  callOf,
  hasTerminator,
  IDENTITY,
  type PassedStream,
  passStream,
  rawRequest,
  repeatAnswer,
  repeatStream,
  targetOf,
} from './recorded/pass.ts';
import { SdkReader } from './recorded/read-by-sdk.ts';
import { REFUSED } from './recorded/refused.ts';
import { BROKEN } from './recorded/told.ts';
import { toldBy } from './recorded/told-by.ts';

/** An answer with another status is passed on as it came, and never converted (rule I-41). */
const answered = (protocol: TextProtocol): readonly Recording[] =>
  loadRecordings(protocol).filter(({ status, events, answer }) => {
    const isSomething = answer === undefined ? events.length > 0 : answer.object !== 'list';
    return status === 200 && isSomething;
  });

const PAIRS = PROTOCOLS.flatMap((vendor) => PROTOCOLS.map((client) => ({ vendor, client })));
type Pair = (typeof PAIRS)[number];

let reader: SdkReader;
beforeAll(async () => {
  reader = await SdkReader.open();
});
afterAll(() => reader.close());

/** What the client's SDK reads differently from what the vendor told. */
async function problemsOf(recording: Recording, pair: Pair): Promise<readonly string[]> {
  const problems = recording.answer === undefined ? ofStream : ofAnswer;
  try {
    return await problems(recording, pair);
  } catch (error) {
    return [`the SDK throws: ${String(error)}`];
  }
}

async function ofAnswer(recording: Recording, { vendor, client }: Pair): Promise<readonly string[]> {
  const told = toldBy(recording);
  const given = Buffer.from(JSON.stringify(recording.answer));
  const converted =
    vendor === client ? repeatAnswer(vendor, recording.answer) : callOf(client, vendor).convertAnswer(given);
  if (converted === undefined) return ['taken for no answer at all'];
  if (typeof converted === 'object' && 'message' in converted) {
    const isTold = told !== BROKEN && 'error' in told && converted.message.includes(told.error);
    return isTold ? [] : [`taken for an error: ${converted.message}`];
  }
  if (told === BROKEN || 'error' in told) return ['an error was taken for an answer'];
  const body = converted.toString();
  const own = vendor === client ? opaqueDifferences(recording, [JSON.parse(body)]) : [];
  return [...differences(told, await reader.answer(client, body), client), ...own];
}

async function ofStream(recording: Recording, pair: Pair): Promise<readonly string[]> {
  const { vendor, client } = pair;
  const bytes = Buffer.from(recording.text);
  const told = toldBy(recording);
  const whole = passStream(pair, bytes, []);
  const split = splitDifferences(whole, passStream(pair, bytes, cutsOf(recording.id, bytes.length)));
  const passed = vendor === client ? repeatStream(recording) : whole;
  const isWhole = passed.complete || hasTerminator(client, passed.text);
  if (told === BROKEN) return isWhole ? ['complete without a terminator'] : split;
  if ('error' in told) {
    const isTold = passed.failed && !isWhole && passed.text.includes(told.error.slice(0, 20));
    return isTold ? split : ['an error went by'];
  }
  if (!passed.complete) return ['not complete'];
  const own = vendor === client ? opaqueDifferences(recording, eventsOf(passed.text)) : [];
  return [...differences(told, await reader.stream(client, passed.text), client), ...split, ...own];
}

function splitDifferences(whole: PassedStream, split: PassedStream): readonly string[] {
  const isSame = whole.text === split.text && whole.complete === split.complete;
  return isSame ? [] : ['another output when its bytes come in other pieces'];
}

/** What only its vendor can read must come back to it: signatures, ciphertexts, ids of calls. */
function opaqueDifferences(recording: Recording, made: readonly unknown[]): readonly string[] {
  // OpenAI encrypts anew for every event; what counts is the item when it is done (rule C-40).
  const isPassing = /^response\.(output_item\.added|completed|incomplete)$/;
  const final = recording.events.filter(({ type }) => !isPassing.test(String(type)));
  const before = opaqueIn(recording.protocol, recording.answer ?? final);
  const after = opaqueIn(recording.protocol, made);
  return [...before].filter((one) => !after.has(one)).map((one) => `lost ${one.slice(0, 60)}`);
}

function eventsOf(text: string): readonly unknown[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice('data: '.length)));
}

/** Places by chance, the same ones every time. */
function cutsOf(id: string, length: number): readonly number[] {
  let state = [...id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);
  const cuts = Array.from({ length: 24 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % (length + 1);
  });
  return cuts.sort((one, two) => one - two);
}

/** Models that are served in each protocol today, in the words of the capability table. */
const MODELS: Readonly<Record<TextProtocol, readonly string[]>> = {
  chat: ['gpt-4.1', 'gpt-5.6'],
  responses: ['gpt-4.1', 'gpt-5.6'],
  messages: ['claude-sonnet-4-5', 'claude-opus-5'],
  gemini: ['gemini-2.5-flash', 'gemini-3-pro-preview'],
};

interface Carried {
  readonly refused: readonly string[];
  readonly lost: readonly string[];
  readonly count: number;
}

/** Every recorded request of a protocol to one model, and what of its content is not to be found there. */
function carry(client: TextProtocol, vendor: TextProtocol, model: string): Carried {
  const refused: string[] = [];
  const lost: string[] = [];
  let count = 0;
  for (const { id, request } of loadRecordings(client)) {
    if (request === undefined) continue;
    count++;
    const read = readClientRequest(client, rawRequest(client, request, request.stream === true));
    const conversion = isRefusal(read) ? read : convertRequest(read, targetOf(vendor, model), IDENTITY);
    if (isRefusal(conversion)) refused.push(conversion.message.replace(/\d+/g, 'N'));
    else {
      const missing = missingFrom(JSON.parse(conversion.body.toString()), contentOf(client, request));
      if (missing.length > 0) lost.push(`${id}: ${missing.join('; ')}`);
    }
  }
  return { refused, lost, count };
}

describe('recorded requests', needs(RECORDINGS), () => {
  const table: Record<string, unknown>[] = [];
  afterAll(() => console.table(table));
  const ways = PAIRS.flatMap(({ vendor, client }) =>
    MODELS[vendor].map((model) => ({ client, vendor, model })),
  );

  it.each(ways)('of $client clients reach $model on $vendor with all their content', (way) => {
    const { refused, lost, count } = carry(way.client, way.vendor, way.model);
    table.push({ ...way, passed: `${count - refused.length - lost.length}/${count}` });
    expect(lost).toEqual([]);
    const counted: Record<string, number> = {};
    for (const message of refused) counted[message] = (counted[message] ?? 0) + 1;
    expect(counted).toEqual(REFUSED[way.client][way.vendor]);
  });
});

describe('recorded answers, plain and streamed', needs(RECORDINGS), () => {
  const table: Record<string, unknown>[] = [];
  afterAll(() => console.table(table));

  it.each(PAIRS)(
    'of $vendor vendors reach $client clients with all their content',
    async (pair) => {
      const passed = { plain: 0, streams: 0 };
      const recordings = answered(pair.vendor);
      const failed: string[] = [];
      const surprises: string[] = [];
      for (const recording of recordings) {
        const { id, answer } = recording;
        const problems = await problemsOf(recording, pair);
        if (problems.length === 0) passed[answer === undefined ? 'streams' : 'plain']++;
        else failed.push(id);
        const isKnown = KNOWN.some((one) => one.id === id && one.clients.includes(pair.client));
        if (problems.length > 0 && !isKnown) surprises.push(`${id}: ${problems.join('; ').slice(0, 500)}`);
      }
      const total = TOTALS[pair.vendor];
      table.push({
        ...pair,
        plain: `${passed.plain}/${total.plain}`,
        streams: `${passed.streams}/${total.streams}`,
      });
      expect(surprises).toEqual([]);
      const ids = new Set(recordings.map(({ id }) => id));
      const known = KNOWN.filter(({ id, clients }) => ids.has(id) && clients.includes(pair.client));
      expect(failed.sort()).toEqual(known.map(({ id }) => id).sort());
      const streams = recordings.filter(({ answer }) => answer === undefined).length;
      expect({ plain: recordings.length - streams, streams }).toEqual(total);
      expect(passed.plain + passed.streams).toBe(recordings.length - known.length);
    },
    300_000,
  );
});
