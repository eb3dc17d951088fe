import { afterAll, describe, expect, it } from 'vitest';
import { isRefusal } from '../../src/kernel/errors.ts';
import { convertRequest, readClientRequest } from '../../src/protocol/convert/convert.ts';
import type { TextProtocol } from '../../src/protocol/hub/protocol.ts';
import { needs, RECORDINGS, SPECIFICATIONS } from '../needs.ts';
import { type Json, loadRecordings, PROTOCOLS, type Recording } from './recorded/load.ts';
import { callOf, IDENTITY, passStream, rawRequest, targetOf } from './recorded/pass.ts';
import { Judge } from './specs/judge.ts';
import { RELAXED } from './specs/relaxed.ts';
import { MODELS, refusedBySimulator } from './specs/simulator.ts';

interface Excepted {
  readonly id: string;
  readonly to: TextProtocol;
  readonly reason: string;
}

const LAX_SCHEMA = 'the client asked for `strict` with a schema that OpenAI refuses in every protocol';

/** The whole list: what fails and is not here fails the test, and so does what is here and has healed. */
const EXCEPTED: readonly Excepted[] = [
  {
    id: 'pydantic-ai/chat-completions.third-party/cassettes__test_ref_sibling_wire_contract__test_ref_sibling_wire_contract[qwen-nested-model].yaml#0',
    to: 'responses',
    reason: LAX_SCHEMA,
  },
  {
    id: 'pydantic-ai/chat-completions.third-party/models__test_openrouter__test_openrouter_google_nested_schema.yaml#1',
    to: 'responses',
    reason: LAX_SCHEMA,
  },
  {
    id: 'ruby_llm/chat-completions.third-party/chat_openrouter_reasoning_details_round-trip_replays_reasoning_details_across_tool_calls_and_turns.yml#1',
    to: 'messages',
    reason: 'a signature that Anthropic made: it goes back as it must, and the simulator knows its own only',
  },
  {
    id: 'langchain/responses/openai__test_custom_tool.yaml.gz#2',
    to: 'chat',
    reason: 'the specification has custom calls in plain answers and forgot them in chunks',
  },
  {
    id: 'openai-custom-tool.1.chunks.txt',
    to: 'chat',
    reason: 'the specification has custom calls in plain answers and forgot them in chunks',
  },
];

const judges = new Map<TextProtocol, Judge>();
function judgeOf(protocol: TextProtocol): Judge {
  const known = judges.get(protocol) ?? new Judge(protocol);
  judges.set(protocol, known);
  return known;
}

const counts = new Map<string, { requests: number; answers: number; events: number }>();
function countsOf(from: TextProtocol, to: TextProtocol) {
  const key = `${from} as ${to}`;
  const known = counts.get(key) ?? { requests: 0, answers: 0, events: 0 };
  counts.set(key, known);
  return known;
}

/** What is wrong with a recorded request as a body for each model of another protocol. */
function requestProblems({ protocol: from, request }: Recording, to: TextProtocol): readonly string[] {
  if (request === undefined) return [];
  const read = readClientRequest(from, rawRequest(from, request, request.stream === true));
  if (isRefusal(read)) return [];
  return MODELS[to].flatMap((model) => {
    const conversion = convertRequest(read, targetOf(to, model), IDENTITY);
    if (isRefusal(conversion)) return [];
    const body = JSON.parse(conversion.body.toString()) as Json;
    countsOf(from, to).requests++;
    return [judgeOf(to).request(body), refusedBySimulator(to, model, body)].filter(
      (one) => one !== undefined,
    );
  });
}

/** What is wrong with a recorded answer as one for a client of another protocol. */
function answerProblems(recording: Recording, to: TextProtocol): readonly string[] {
  const { protocol: from, answer, status, text } = recording;
  if (status !== 200 || answer?.object === 'list') return [];
  if (answer === undefined) {
    const passed = passStream({ client: to, vendor: from }, Buffer.from(text), []);
    return passed.text.split('\n').flatMap((line) => eventProblem(line, from, to));
  }
  const converted = callOf(to, from).convertAnswer(Buffer.from(JSON.stringify(answer)));
  if (!Buffer.isBuffer(converted)) return [];
  countsOf(from, to).answers++;
  return [judgeOf(to).answer(JSON.parse(converted.toString()))].filter((one) => one !== undefined);
}

/** Signs of life and errors are in none of the documents. */
const UNLISTED = new Set(['ping', 'keepalive', 'error']);

function eventProblem(line: string, from: TextProtocol, to: TextProtocol): readonly string[] {
  if (!line.startsWith('data: {')) return [];
  const event = JSON.parse(line.slice('data: '.length)) as Json;
  if (event.error !== undefined || UNLISTED.has(String(event.type))) return [];
  countsOf(from, to).events++;
  return [judgeOf(to).event(event)].filter((one) => one !== undefined);
}

const PAIRS = PROTOCOLS.flatMap((from) => PROTOCOLS.filter((to) => to !== from).map((to) => ({ from, to })));

describe(
  'according to the specifications of the vendors and their strict simulators',
  needs(RECORDINGS, SPECIFICATIONS),
  () => {
    afterAll(() => console.table(Object.fromEntries(counts)));

    it.each(PAIRS)(
      'everything of $from that is converted to $to is valid',
      ({ from, to }) => {
        const failed: string[] = [];
        const surprises: string[] = [];
        const recordings = loadRecordings(from);
        for (const recording of recordings) {
          const problems = [...requestProblems(recording, to), ...answerProblems(recording, to)];
          if (problems.length === 0) continue;
          failed.push(recording.id);
          const isKnown = EXCEPTED.some(({ id, to: excepted }) => id === recording.id && excepted === to);
          if (!isKnown) surprises.push(`${recording.id}: ${[...new Set(problems)].join('\n').slice(0, 600)}`);
        }
        expect(surprises).toEqual([]);
        const ids = new Set(recordings.map(({ id }) => id));
        const known = EXCEPTED.filter((one) => one.to === to && ids.has(one.id)).map(({ id }) => id);
        expect(failed.sort()).toEqual(known.sort());
        const { requests, answers, events } = countsOf(from, to);
        expect([requests > 500, answers > 200, events > 300]).toEqual([true, true, true]);
      },
      300_000,
    );

    it.each(RELAXED)('$property of $schema may $may, because its own vendor does it', (rule) => {
      const objects = loadRecordings(rule.protocol).flatMap(rule.among);
      const isBroken = (one: Json): boolean =>
        rule.may === 'be null' ? one[rule.property] === null : one[rule.property] === undefined;
      expect(objects.filter(isBroken).length).toBeGreaterThan(0);
    });

    it('an invalid body is found', () => {
      const chat = { model: 'm', messages: [{ role: 'user', content: 'x' }] };
      expect(judgeOf('chat').request(chat)).toBe(undefined);
      expect(judgeOf('chat').request({ ...chat, max_output_tokens: 1 })).toContain('max_output_tokens');
      expect(judgeOf('messages').request({ ...chat, max_tokens: 1 })).toBe(undefined);
      expect(judgeOf('messages').request({ ...chat, max_tokens: 1, n: 1 })).toContain('"n"');
      expect(judgeOf('responses').request({ model: 'm', input: [{ type: 'thinking' }] })).not.toBe(undefined);
      expect(judgeOf('gemini').request({ contents: [{ parts: [{ txt: 'x' }] }] })).toContain('"txt"');
      expect(judgeOf('responses').event({ type: 'response.invented' })).toContain('response.invented');
      expect(judgeOf('messages').event({ type: 'message_start', message: {} })).toContain('id');
    });
  },
);
