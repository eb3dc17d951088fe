import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { needs, RECORDINGS } from '../../../test/needs.ts';
import { recordingsFolder } from '../../../test/prerequisites.ts';
import { someRequest, someSession, someTarget } from '../../../test/support/hub.ts';
import { type JsonObject, readJson, writeJson } from '../hub/content/json.ts';
import type { HubEvent } from '../hub/event.ts';
import { Inexpressible, Notes } from '../hub/notes.ts';
import { decodeWhole, openDecoder } from '../suite/reported.ts';
import { chatCodec } from './codec.ts';

type Json = Record<string, unknown>;

interface Recording {
  readonly id: string;
  readonly request: Json | undefined;
  readonly answer: Json | undefined;
  readonly events: readonly Json[];
}

const session = someSession({
  request: someRequest({ stream: true, includeUsage: true }),
  target: someTarget({ protocol: 'chat' }),
});

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

const dataOf = (text: string): Json[] =>
  text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => parse(line.slice(5)))
    .filter((one) => one !== undefined);

function* load(): Generator<Recording> {
  for (const file of readdirSync(recordingsFolder).filter((one) =>
    /^chat-completions(\.[\w-]+)?\.jsonl$/.test(one),
  )) {
    for (const line of readFileSync(`${recordingsFolder}/${file}`, 'utf8').trim().split('\n')) {
      const { id, request, response } = JSON.parse(line);
      const events =
        typeof response === 'string' ? dataOf(response) : Array.isArray(response) ? response : [];
      const isAnswer = typeof response === 'object' && !Array.isArray(response);
      const isBody = request !== null && typeof request === 'object' && Array.isArray(request.messages);
      yield { id, request: isBody ? request : undefined, answer: isAnswer ? response : undefined, events };
    }
  }
  for (const file of readdirSync(`${recordingsFolder}/vercel-ai/chat-completions`)) {
    const content = readFileSync(`${recordingsFolder}/vercel-ai/chat-completions/${file}`, 'utf8').trim();
    const isStream = file.endsWith('.chunks.txt');
    const events = isStream ? content.split('\n').map((line) => JSON.parse(line)) : [];
    yield { id: file, request: undefined, answer: isStream ? undefined : JSON.parse(content), events };
  }
}

const recordings = RECORDINGS.isMet ? [...load()] : [];

/** What a client takes from an answer, read from the wire by the plainest means. */
interface Essence {
  text: string;
  thoughts: string;
  refusal: string;
  calls: { id: string; name: string; input: string }[];
  signatures: string[];
  finish: string | null;
}

const words = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): Json[] => (Array.isArray(value) ? value : []);

function addMessage(essence: Essence, message: Json): void {
  const content = list(message.content);
  essence.text += words(message.content) + content.map(({ text }) => words(text)).join('');
  const details = list(message.reasoning_details);
  const said = words(message.reasoning_content) || words(message.reasoning);
  const thinking = content.flatMap((part) => list(part.thinking).map(({ text }) => words(text))).join('');
  essence.thoughts += said || thinking || details.map(({ text, summary }) => words(text ?? summary)).join('');
  essence.refusal += words(message.refusal);
  for (const { signature, data } of details)
    if (words(signature ?? data) !== '') essence.signatures.push(words(signature ?? data));
  for (const holder of [message, ...list(message.tool_calls)]) {
    const google = ((holder.extra_content as Json | undefined)?.google ?? {}) as Json;
    if (words(google.thought_signature) !== '') essence.signatures.push(words(google.thought_signature));
  }
  for (const call of list(message.tool_calls)) {
    const body = (call.function ?? call.custom) as Json;
    const index = typeof call.index === 'number' ? call.index : essence.calls.length;
    essence.calls[index] ??= { id: '', name: '', input: '' };
    const known = essence.calls[index];
    known.id ||= words(call.id);
    known.name ||= words(body.name);
    known.input += words(body.arguments ?? body.input);
  }
}

const FINISH: Readonly<Record<string, string>> = { '': 'stop' };

function essenceOf(choices: readonly Json[], key: 'message' | 'delta'): Essence {
  const essence: Essence = { text: '', thoughts: '', refusal: '', calls: [], signatures: [], finish: null };
  for (const choice of choices) {
    addMessage(essence, (choice[key] ?? {}) as Json);
    if (typeof choice.finish_reason === 'string') essence.finish = choice.finish_reason;
  }
  for (const call of essence.calls) call.input ||= '{}';
  essence.finish = FINISH[essence.finish ?? ''] ?? essence.finish;
  if (essence.calls.length > 0 && essence.finish === 'stop') essence.finish = 'tool_calls';
  return essence;
}

/** The figures both sides must agree on. */
function usageOf(usage: unknown): unknown {
  const report = (usage ?? {}) as Json;
  if (typeof report.completion_tokens !== 'number') return undefined;
  const hidden = (report.completion_tokens_details as Json | undefined)?.reasoning_tokens;
  // xAI counts reasoning beside the completion and not in it.
  const sum = Number(report.prompt_tokens) + report.completion_tokens + Number(hidden);
  const isBeside = Number(hidden) > 0 && report.total_tokens === sum;
  return {
    input: report.prompt_tokens,
    output: isBeside ? report.completion_tokens + Number(hidden) : report.completion_tokens,
  };
}

describe('recorded answers survive a round trip in their own protocol', needs(RECORDINGS), () => {
  const answers = recordings.filter(({ answer }) => Array.isArray(answer?.choices));

  it('when they are plain', () => {
    expect(answers.length).toBeGreaterThan(300);
    for (const { id, answer } of answers) {
      const decoded = decodeWhole(chatCodec, answer as JsonObject, session);
      if ('status' in decoded) throw new Error(`${id} was taken for an error`);
      const encoded = JSON.parse(writeJson(chatCodec.encodeAnswer(decoded, session))) as Json;
      expect(essenceOf(list(encoded.choices), 'message'), id).toEqual(
        essenceOf(list(answer?.choices), 'message'),
      );
      expect(usageOf(encoded.usage), id).toEqual(usageOf(answer?.usage));
    }
  });

  it('when they are errors', () => {
    const errors = recordings.filter(
      ({ answer }) => answer?.error !== undefined && answer.choices === undefined,
    );
    expect(errors.length).toBeGreaterThan(5);
    for (const { id, answer } of errors) {
      const decoded = decodeWhole(chatCodec, answer as JsonObject, session);
      const error = answer?.error as Json | undefined;
      expect(decoded, id).toMatchObject({ message: error?.message });
    }
  });

  it('when they are streamed', () => {
    const streams = recordings.filter(({ events }) => events.length > 0);
    expect(streams.length).toBeGreaterThan(40);
    for (const { id, events } of streams) {
      const decoded: HubEvent[] = [];
      const decoder = openDecoder(chatCodec, session, (event) => decoded.push(event));
      for (const event of events) decoder.push(event as JsonObject);
      decoder.finish();
      const encoder = chatCodec.createEncoder(session, 'sse');
      for (const event of decoded) encoder.push(event);
      const written = dataOf(encoder.take());
      const failed = events.some(({ error }) => error !== undefined);
      expect(
        written.some(({ error }) => error !== undefined),
        id,
      ).toBe(failed);
      if (failed) continue;
      const choices = (of: readonly Json[]): Json[] => of.flatMap((event) => list(event.choices));
      expect(essenceOf(choices(written), 'delta'), id).toEqual(essenceOf(choices(events), 'delta'));
      const usage = events
        .map((event) => event.usage ?? (event.x_groq as Json | undefined)?.usage)
        .findLast(Boolean);
      expect(usageOf(written.at(-1)?.usage), id).toEqual(usageOf(usage));
    }
  });
});

/** Every text a client sent in its messages, wherever it stands. */
function textsOf(message: Json): string[] {
  const parts = list(message.content);
  const media = parts.map((part) => (part.image_url ?? part.file ?? part.input_audio ?? {}) as Json);
  return [
    words(message.content),
    words(message.reasoning_content),
    ...parts.map(({ text }) => words(text)),
    ...media.map(
      ({ url, file_data, data }) =>
        words(url ?? file_data ?? data)
          .split(',')
          .at(-1) as string,
    ),
    ...list(message.tool_calls).map((call) => words((call.function as Json).arguments)),
  ].filter((text) => text !== '');
}

describe('recorded requests', needs(RECORDINGS), () => {
  it('are decoded without losing content', () => {
    const requests = recordings.filter(({ request }) => request !== undefined);
    expect(requests.length).toBeGreaterThan(400);
    const refused: string[] = [];
    for (const { id, request } of requests) {
      const notes = new Notes(chatCodec.fields);
      const body = readJson(JSON.stringify(request), chatCodec.rawKeys) ?? {};
      try {
        const raw = { body: Buffer.alloc(0), contentType: 'application/json', path: undefined };
        const decoded = chatCodec.decodeRequest(body, raw, notes);
        const held = JSON.stringify([decoded.system, decoded.turns]);
        for (const text of list(request?.messages).flatMap(textsOf)) {
          expect(held.includes(JSON.stringify(text).slice(1, -1)), `${id}: ${text.slice(0, 80)}`).toBe(true);
        }
        expect(decoded.tools.length + decoded.vendorTools.length, id).toBe(list(request?.tools).length);
        expect(decoded.webSearch === undefined, id).toBe(request?.web_search_options === undefined);
      } catch (error) {
        if (!(error instanceof Inexpressible)) throw error;
        refused.push(`${id}: ${error.message}`);
      }
    }
    expect(refused).toEqual([]);
  });
});
