import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { needs, RECORDINGS } from '../../test/needs.ts';
import { recordingsFolder } from '../../test/prerequisites.ts';
import type { Protocol } from '../kernel/protocol-name.ts';
import { NO_USAGE, type Usage } from '../kernel/usage.ts';
import type { Framing, RequestFacts, StreamRelay } from './dialect.ts';
import { getDialect } from './registry.ts';

type Json = Record<string, unknown>;

interface Recording {
  readonly id: string;
  readonly request: unknown;
  readonly status: number;
  /** One answer, or the events of a stream, or a stream's text as recorded. */
  readonly answer?: Json;
  readonly lines?: readonly string[];
  readonly text?: string;
}

const FILES: readonly (readonly [Protocol, string])[] = [
  ['chat', 'chat-completions'],
  ['responses', 'responses'],
  ['messages', 'messages'],
  ['gemini', 'generate-content'],
  ['images', 'images'],
];

function* load(name: string): Generator<Recording> {
  for (const file of readdirSync(recordingsFolder).filter((one) =>
    new RegExp(`^${name}(\\.[\\w-]+)?\\.jsonl$`).test(one),
  )) {
    for (const line of readFileSync(`${recordingsFolder}/${file}`, 'utf8').trim().split('\n')) {
      const { id, request, status, response } = JSON.parse(line);
      const text = typeof response === 'string' ? { text: response } : {};
      const events = Array.isArray(response) ? { lines: response.map((one) => JSON.stringify(one)) } : {};
      const answer = typeof response === 'object' && !Array.isArray(response) ? { answer: response } : {};
      yield { id, request, status, ...text, ...events, ...answer };
    }
  }
  for (const file of readdirSync(`${recordingsFolder}/vercel-ai/${name}`)) {
    const content = readFileSync(`${recordingsFolder}/vercel-ai/${name}/${file}`, 'utf8').trim();
    const part = file.endsWith('.chunks.txt')
      ? { lines: firstAnswer(content.split('\n')) }
      : { answer: JSON.parse(content) };
    yield { id: file, request: undefined, status: 200, ...part };
  }
}

/** One file has the stream of a call of Messages, and behind it the outlines of four others. */
function firstAnswer(lines: readonly string[]): readonly string[] {
  const second = lines.findIndex((line, at) => at > 0 && line.includes('"type":"message_start"'));
  return second === -1 ? lines : lines.slice(0, second);
}

/** Nothing for a line that is no JSON: one recording shows a vendor's event written into another. */
function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The stream as the vendor writes it. */
function streamText(protocol: Protocol, recording: Recording, framing: Framing): string {
  const { text, lines = [] } = recording;
  if (text !== undefined) return text;
  if (framing === 'json-array') return `[${lines.join('\n,\r\n')}\n]`;
  const events = lines.map((line) => {
    const head = protocol === 'messages' || protocol === 'responses' ? `event: ${parse(line)?.type}\n` : '';
    return `${head}data: ${line}\n\n`;
  });
  return `${events.join('')}${protocol === 'chat' ? 'data: [DONE]\n\n' : ''}`;
}

/** Every event's data, read by the plainest means there are. */
function dataOf(text: string): Json[] {
  const payloads = text
    .replaceAll('\r\n', '\n')
    .split('\n\n')
    .flatMap((block) => block.split('\n').filter((line) => line.startsWith('data:')))
    .map((line) => line.slice(5).trim());
  return payloads.map(parse).filter((one) => one !== undefined);
}

const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
const child = (value: unknown, key: string): unknown => (value as Json | null | undefined)?.[key];

/** The formulas of rule C-55, over parsed objects. */
function usageOf(protocol: Protocol, objects: readonly Json[]): Usage | undefined {
  const [input, output, inputDetails, outputDetails] =
    protocol === 'chat'
      ? ['prompt_tokens', 'completion_tokens', 'prompt_tokens_details', 'completion_tokens_details']
      : ['input_tokens', 'output_tokens', 'input_tokens_details', 'output_tokens_details'];
  if (protocol === 'gemini') return geminiUsage(objects);
  if (protocol === 'messages') return messagesUsage(objects);
  const report = objects
    .map((one) => child(one, 'usage') ?? child(child(one, 'response'), 'usage'))
    .findLast(Boolean);
  if (typeof child(report, output) !== 'number') return undefined;
  const details = child(report, inputDetails);
  const cached = number(
    child(details, 'cached_tokens') ??
      child(report, 'prompt_cache_hit_tokens') ??
      child(report, 'cached_tokens'),
  );
  // Azure's Grok reads more from its cache than the prompt it counts, and OpenRouter reports one cache of
  // Gemini as read and as written: no part is larger than its whole.
  const cacheRead = Math.min(cached, number(child(report, input)));
  const uncached = number(child(report, input)) - cacheRead;
  const cacheWrite = Math.min(number(child(details, 'cache_write_tokens')), uncached);
  const outputReasoning = number(child(child(report, outputDetails), 'reasoning_tokens'));
  const inputFresh = uncached - cacheWrite;
  const outputText = number(child(report, output)) - outputReasoning;
  const images = protocol === 'responses' ? picturesOf(objects) : 0;
  return { ...NO_USAGE, inputFresh, cacheRead, cacheWrite, outputText, outputReasoning, images };
}

/** The last object is the whole response, or holds it. */
function picturesOf(objects: readonly Json[]): number {
  const last = objects.at(-1);
  const output = (child(last, 'output') ?? child(child(last, 'response'), 'output') ?? []) as Json[];
  return output.filter(({ type, result }) => type === 'image_generation_call' && Boolean(result)).length;
}

function messagesUsage(objects: readonly Json[]): Usage | undefined {
  const merged: Json = {};
  for (const one of objects) {
    const report = (child(one, 'usage') ?? child(child(one, 'message'), 'usage') ?? {}) as Json;
    for (const [key, value] of Object.entries(report)) if (value !== null) merged[key] = value;
  }
  if (typeof merged.output_tokens !== 'number') return undefined;
  const extra = ((merged.iterations ?? []) as Json[]).filter(
    ({ type }) => type !== 'message' && type !== 'fallback_message',
  );
  const sum = (key: string): number =>
    number(merged[key]) + extra.reduce((all, one) => all + number(one[key]), 0);
  const outputReasoning = number(child(merged.output_tokens_details, 'thinking_tokens'));
  return {
    ...NO_USAGE,
    inputFresh: sum('input_tokens'),
    cacheRead: sum('cache_read_input_tokens'),
    cacheWrite: sum('cache_creation_input_tokens'),
    outputText: sum('output_tokens') - outputReasoning,
    outputReasoning,
  };
}

function geminiUsage(objects: readonly Json[]): Usage | undefined {
  const merged: Record<string, number> = {};
  for (const one of objects) {
    for (const [key, value] of Object.entries((one.usageMetadata ?? {}) as Json)) {
      if (typeof value === 'number') merged[key] = value;
    }
  }
  const { promptTokenCount: prompt, totalTokenCount: total, candidatesTokenCount: candidates } = merged;
  if (prompt === undefined || (total === undefined && candidates === undefined)) return undefined;
  const cacheRead = merged.cachedContentTokenCount ?? 0;
  const tool = merged.toolUsePromptTokenCount ?? 0;
  const outputReasoning = merged.thoughtsTokenCount ?? 0;
  const outputText = candidates ?? (total ?? 0) - prompt - outputReasoning - tool;
  return { ...NO_USAGE, inputFresh: prompt - cacheRead + tool, cacheRead, outputText, outputReasoning };
}

function modelOf(protocol: Protocol, objects: readonly Json[]): string {
  const found = objects.map((one) =>
    protocol === 'gemini' ? one.modelVersion : (one.model ?? child(one.message ?? one.response, 'model')),
  );
  return String(found.find((name) => typeof name === 'string') ?? 'none');
}

function pushed(relay: StreamRelay, text: string, size: number): string {
  const bytes = Buffer.from(text);
  const output: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    output.push(Buffer.from(relay.push(bytes.subarray(at, at + size)) ?? []));
  }
  output.push(relay.finish('closed').rest ?? Buffer.alloc(0));
  return Buffer.concat(output).toString();
}

/** True when the stream ended well and its usage could be compared. */
function checkStream(protocol: Protocol, recording: Recording, framing: Framing): boolean {
  let isCompared = false;
  const text = streamText(protocol, recording, framing);
  const objects = framing === 'sse' ? dataOf(text) : (JSON.parse(text) as Json[]);
  const modelId = modelOf(protocol, objects);
  const names = new Set(objects.map((one) => modelOf(protocol, [one])));
  names.delete('none');
  for (const size of [text.length * 4 + 1, 131]) {
    const relay = getDialect(protocol).relayStream(
      framing,
      { usageInjected: false } as RequestFacts,
      modelId,
    );
    const output = pushed(relay, text, size);
    // A recording may have lost its last blank line; the relay supplies it.
    if (names.size < 2) expect(output.replace(/\n+$/, ''), recording.id).toBe(text.replace(/\n+$/, ''));
    const { usage, estimated } = relay.usage();
    const truth = usageOf(protocol, objects);
    if (truth !== undefined && relay.terminated) {
      expect(usage, recording.id).toEqual(truth);
      expect(estimated, recording.id).toBe(false);
      isCompared = true;
    }
  }
  return isCompared;
}

describe('recordings of vendors pass byte for byte with their own usage', needs(RECORDINGS), () => {
  it.each(FILES)('%s', (protocol, name) => {
    const counts = { answers: 0, streams: 0, usages: 0 };
    for (const recording of load(name)) {
      const { answer, id } = recording;
      if (answer === undefined) {
        if (checkStream(protocol, recording, 'sse')) counts.usages++;
        if (protocol === 'gemini' && recording.lines !== undefined)
          checkStream(protocol, recording, 'json-array');
        counts.streams++;
        continue;
      }
      const body = Buffer.from(JSON.stringify(answer, null, 2));
      const read = getDialect(protocol).readResponse(body, modelOf(protocol, [answer]));
      expect(Buffer.concat(read.pieces).equals(body), id).toBe(true);
      const isError =
        child(answer, 'error') && !['choices', 'output', 'content', 'data'].some((key) => key in answer);
      expect(read.isError, id).toBe(Boolean(isError));
      // Someone recorded an embedding under Responses; it is none of ours, and the reader says so.
      if (recording.status === 200) expect(read.valid, id).toBe(child(answer, 'object') !== 'list');
      counts.answers++;
      if (protocol === 'images') continue;
      const truth = usageOf(protocol, [answer]);
      expect(read.usage, id).toEqual(truth);
      if (truth !== undefined) counts.usages++;
    }
    console.log(`${protocol}:`, JSON.stringify(counts));
    expect(counts.answers).toBeGreaterThan(0);
  });

  it('with the requests that led to them', () => {
    let count = 0;
    for (const [protocol, name] of FILES) {
      for (const { request, id } of load(name)) {
        if (typeof request !== 'object' || request === null || Array.isArray(request)) continue;
        const body = Buffer.from(JSON.stringify(request));
        const path = { model: 'gemini-x', stream: false, framing: 'sse' } as const;
        const raw = { body, contentType: 'application/json', path };
        const facts = getDialect(protocol).readRequest(raw) as RequestFacts;
        const model = protocol === 'gemini' ? path.model : child(request, 'model');
        if (typeof model !== 'string') continue;
        expect(facts.model, id).toBe(model);
        expect(facts.stream, id).toBe(protocol !== 'gemini' && child(request, 'stream') === true);
        const sent = Buffer.concat(getDialect(protocol).spliceRequest(raw, facts, 'other-model'));
        const parsed = JSON.parse(sent.toString());
        if (protocol !== 'gemini') expect(parsed.model, id).toBe('other-model');
        expect({ ...parsed, model: 0, stream_options: 0 }, id).toEqual({
          ...request,
          model: 0,
          stream_options: 0,
        });
        expect(getDialect(protocol).countInput(raw, facts), id).toBeGreaterThan(0);
        count++;
      }
    }
    console.log(`requests: ${count}`);
    expect(count).toBeGreaterThan(500);
  });
});
