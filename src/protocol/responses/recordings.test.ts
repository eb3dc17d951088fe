import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { needs, RECORDINGS } from '../../../test/needs.ts';
import { recordingsFolder } from '../../../test/prerequisites.ts';
import type { HubAnswer } from '../hub/answer.ts';
import { type JsonObject, readJson } from '../hub/content/json.ts';
import { unwrapSignatures } from '../hub/envelope.ts';
import { Inexpressible } from '../hub/notes.ts';
import type { Part } from '../hub/part.ts';
import { decodeWhole } from '../suite/reported.ts';
import { responsesCodec } from './codec.ts';
import { collect } from './suite/collect.ts';
import { decode, decodeEvents, encodeEvents, OWN, parse, payloads, plain } from './suite/world.ts';

type Json = Record<string, unknown>;

interface Recording {
  readonly id: string;
  readonly request?: Json;
  readonly answer?: Json;
  readonly events?: readonly Json[];
}

function* load(): Generator<Recording> {
  for (const file of ['responses.jsonl', 'responses.third-party.jsonl']) {
    for (const line of readFileSync(`${recordingsFolder}/${file}`, 'utf8').trim().split('\n')) {
      const { id, request, status, response } = JSON.parse(line);
      // Background calls are only queued, and one recording is of another endpoint.
      if (status !== 200 || response.status === 'queued' || response.object === 'list') continue;
      const told = typeof response === 'string' ? { events: eventsOf(response) } : { answer: response };
      yield { id, request, ...told };
    }
  }
  for (const file of readdirSync(`${recordingsFolder}/vercel-ai/responses`)) {
    const content = readFileSync(`${recordingsFolder}/vercel-ai/responses/${file}`, 'utf8').trim();
    yield file.endsWith('.txt')
      ? { id: file, events: content.split('\n').flatMap(readLine) }
      : { id: file, answer: JSON.parse(content) };
  }
}

function eventsOf(text: string): readonly Json[] {
  return text
    .replaceAll('\r\n', '\n')
    .split('\n\n')
    .map((block) => block.split('\n').find((line) => line.startsWith('data:')))
    .flatMap((line) => readLine(line?.slice('data:'.length) ?? ''));
}

/** Nothing for a line that is no JSON: one recording shows a vendor's event written into another. */
function readLine(line: string): readonly Json[] {
  const found = readJson(line.trim(), new Set());
  return found === undefined ? [] : [found as Json];
}

/** The vendor encrypts anew for the last event, and tells there of its own tools with other states. */
function essence(parts: readonly Part[]): readonly unknown[] {
  return parts.map((part) => {
    if (part.kind === 'server-tool') return { kind: part.kind, type: JSON.parse(part.raw).type };
    if (part.kind !== 'reasoning' || part.signature === undefined) return part;
    return {
      ...part,
      signature: { ...part.signature, value: part.signature.value.slice(0, 4), itemId: undefined },
    };
  });
}

/** A ciphertext that came behind its text is in an envelope, with the id of the vendor's item. */
function opened(part: Part): Part {
  if (part.kind !== 'reasoning' || part.signature === undefined) return part;
  const [inside] = unwrapSignatures(part.signature.value) ?? [part.signature];
  return { ...part, signature: inside };
}

/** Streams from which somebody cut pieces by hand. */
const SHORTENED = /\.chunks\.txt$/;

const recordings = RECORDINGS.isMet ? [...load()] : [];

it('answers, streams and requests are recorded', needs(RECORDINGS), () => {
  const count = (has: (one: Recording) => unknown): number => recordings.filter(has).length;
  expect(count(({ answer }) => answer)).toBeGreaterThan(0);
  expect(count(({ events }) => events)).toBeGreaterThan(0);
  expect(count(({ request }) => request)).toBeGreaterThan(0);
});

describe('recorded answers', needs(RECORDINGS), () => {
  it.each(recordings.filter((one) => one.answer !== undefined).map((one) => [one.id, one.answer as Json]))(
    '%s are preserved',
    (_id, answer) => {
      const decoded = decodeWhole(responsesCodec, parse(answer), OWN);
      if (answer.error !== undefined && answer.error !== null) {
        expect(decoded).toMatchObject({ message: (answer.error as Json).message });
        return;
      }
      const first = decoded as HubAnswer;
      expect(first.choices[0]?.parts.length).toBeGreaterThan(0);
      const encoded = responsesCodec.encodeAnswer(first, OWN);
      const again = decodeWhole(responsesCodec, parse(plain(encoded)), OWN) as HubAnswer;
      expect(again.choices).toEqual(first.choices);
      expect(again.usage).toEqual(first.usage);
      expect(String(plain(encoded).status)).toContain(String(answer.status));
      const usage = answer.usage as Json;
      expect(plain(encoded).usage).toMatchObject({
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
      });
    },
  );
});

describe('recorded streams', needs(RECORDINGS), () => {
  it.each(
    recordings
      .filter((one) => one.events !== undefined)
      .map((one) => [one.id, one.events as readonly Json[]]),
  )('%s are preserved', (id, events) => {
    const decoded = decodeEvents(events);
    const last = events.at(-1) as Json;
    if (last.type === 'response.failed') {
      expect(decoded.at(-1)?.kind).toBe('error');
      return;
    }
    const first = collect(decoded);
    // One recording lacks the last brace of its last event.
    expect(first.isEnded).toBe(/completed|incomplete/.test(String(last.type)));
    if (!first.isEnded) return;
    // The plain answer inside the last event is what the stream amounts to.
    const response = last.response as JsonObject | undefined;
    const isWhole = !SHORTENED.test(id);
    if (isWhole && response !== undefined && Array.isArray(response.output) && response.output.length > 0) {
      const whole = decodeWhole(responsesCodec, parse(response), OWN) as HubAnswer;
      expect(essence(first.parts)).toEqual(essence(whole.choices[0]?.parts ?? []));
      expect(first.usage).toEqual(whole.usage);
      expect(first.finish).toEqual(whole.choices[0]?.finish);
    }
    const again = collect(decodeEvents(payloads(encodeEvents(decoded, OWN))));
    expect(again.parts.map(opened)).toEqual(first.parts);
    expect(again.usage).toEqual(first.usage);
    expect(again.finish).toEqual(first.finish);
  });
});

/** Requests that stand on a state of the vendor's, or on what only it can do: refused with their field. */
const REFUSED = /^(previous_response_id|conversation|background|prompt|input\[\d+\]): /;

describe('recorded requests', needs(RECORDINGS), () => {
  it.each(recordings.filter((one) => one.request !== undefined).map((one) => [one.id, one.request as Json]))(
    '%s are decoded whole',
    (_id, request) => {
      let decoded: ReturnType<typeof decode>;
      try {
        decoded = decode(request);
      } catch (error) {
        expect(error).toBeInstanceOf(Inexpressible);
        expect((error as Error).message).toMatch(REFUSED);
        return;
      }
      const items = Array.isArray(request.input) ? (request.input as Json[]) : [];
      const parts = decoded.request.turns.flatMap((turn) => turn.parts);
      const calls = items.filter((item) => /^(function|custom_tool)_call$/.test(String(item.type)));
      const called = parts.filter((part) => part.kind === 'tool-call').map((part) => part.id);
      for (const call of calls) expect(called).toContain(call.call_id);
      const text = JSON.stringify([decoded.request.system, decoded.request.turns]);
      for (const word of wordsOf(items)) expect(text).toContain(JSON.stringify(word).slice(1, -1));
    },
  );
});

/** Everything a person or a tool said in a request. */
function wordsOf(items: readonly Json[]): string[] {
  return items.flatMap((item) => {
    const said = item.content ?? (item.type === 'function_call_output' ? item.output : undefined);
    if (typeof said === 'string') return [said];
    if (!Array.isArray(said) || item.type === 'reasoning') return [];
    return said.map((part) => part.text).filter((text) => typeof text === 'string');
  });
}
