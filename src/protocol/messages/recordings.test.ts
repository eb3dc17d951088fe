import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { needs, RECORDINGS } from '../../../test/needs.ts';
import { recordingsFolder } from '../../../test/prerequisites.ts';
import { someRequest, someSession } from '../../../test/support/hub.ts';
import type { HubAnswer } from '../hub/answer.ts';
import { type JsonObject, readJson, writeJson } from '../hub/content/json.ts';
import type { HubEvent } from '../hub/event.ts';
import { Notes } from '../hub/notes.ts';
import type { Part } from '../hub/part.ts';
import { decodeWhole, openDecoder } from '../suite/reported.ts';
import { messagesCodec } from './codec.ts';

const RAW = { body: Buffer.alloc(0), contentType: 'application/json', path: undefined };
const session = someSession({ request: someRequest({ client: 'messages', stream: true }), callId: 'c1' });

type Json = Record<string, unknown>;

interface Recorded {
  readonly id: string;
  readonly request?: Json;
  readonly answer?: Json;
  readonly events?: readonly Json[];
}

function* load(): Generator<Recorded> {
  for (const name of ['messages.jsonl', 'messages.third-party.jsonl']) {
    for (const line of readFileSync(`${recordingsFolder}/${name}`, 'utf8').trim().split('\n')) {
      const { id, request, response } = JSON.parse(line);
      if (typeof response === 'string') yield* streams({ id, request }, eventsOf(response));
      else yield { id, request, answer: response };
    }
  }
  for (const name of readdirSync(`${recordingsFolder}/vercel-ai/messages`)) {
    const text = readFileSync(`${recordingsFolder}/vercel-ai/messages/${name}`, 'utf8').trim();
    if (name.endsWith('.json')) yield { id: name, answer: JSON.parse(text) };
    else yield* streams({ id: name }, text.split('\n').flatMap(parse));
  }
}

/** One recording holds the streams of a whole conversation, one after the other. */
function* streams(about: Recorded, events: readonly Json[]): Generator<Recorded> {
  let from = 0;
  for (const [index, event] of events.entries()) {
    if (event.type !== 'message_stop' && index < events.length - 1) continue;
    yield { ...about, events: events.slice(from, index + 1) };
    from = index + 1;
  }
}

function eventsOf(text: string): readonly Json[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data:'));
  return lines.flatMap((line) => parse(line.slice('data:'.length)));
}

/** One recording shows an event written into another: the pieces are no JSON. */
function parse(line: string): Json[] {
  try {
    return [JSON.parse(line) as Json];
  } catch {
    return [];
  }
}

const read = (body: unknown): JsonObject =>
  readJson(JSON.stringify(body), messagesCodec.rawKeys) as JsonObject;

function decodeStream(events: readonly Json[]): HubEvent[] {
  const emitted: HubEvent[] = [];
  const decoder = openDecoder(messagesCodec, session, (event) => emitted.push(event));
  for (const event of events) decoder.push(event as JsonObject);
  decoder.finish();
  return emitted;
}

/** Everything but what is documented as lost: empty texts, tiers, when usage came. */
function substance(events: readonly HubEvent[]): unknown {
  const parts: Part[] = [];
  let usage: unknown;
  let finish: unknown;
  for (const event of events) {
    const open = parts.at(-1);
    if (event.kind === 'part') parts.push(opened(event.head));
    else if (event.kind === 'delta' && open !== undefined) {
      if (open.kind === 'tool-call')
        parts[parts.length - 1] = { ...open, arguments: open.arguments + event.text };
      else if ('text' in open) parts[parts.length - 1] = { ...open, text: open.text + event.text };
    } else if (event.kind === 'signature' && open?.kind === 'reasoning')
      parts[parts.length - 1] = { ...open, signature: event.signature };
    else if (event.kind === 'usage') usage = event.usage;
    else if (event.kind === 'start') usage = event.usage;
    else if (event.kind === 'finish') finish = event.finish;
  }
  return { parts: parts.filter((part) => part.kind !== 'text' || part.text !== ''), usage, finish };
}

function opened(head: Extract<HubEvent, { kind: 'part' }>['head']): Part {
  if (head.kind === 'tool-call') return { ...head, arguments: '' };
  // An input that came in pieces is the same value in another spelling.
  if (head.kind === 'server-tool') return { ...head, raw: JSON.stringify(JSON.parse(head.raw)), text: '' };
  if (head.kind === 'image') throw new Error('Messages has no pictures in answers');
  return { kind: head.kind, text: '' };
}

function encodeStream(events: readonly HubEvent[]): readonly Json[] {
  const encoder = messagesCodec.createEncoder(session, 'sse');
  for (const event of events) encoder.push(event);
  return eventsOf(encoder.take());
}

const isPlain = (one: Recorded): boolean => one.answer !== undefined && Array.isArray(one.answer.content);

describe('recorded exchanges', needs(RECORDINGS), () => {
  const all = RECORDINGS.isMet ? [...load()] : [];

  test('are as many as expected', () => {
    expect(all.filter(isPlain).length).toBeGreaterThan(200);
    expect(all.filter(({ events }) => events !== undefined).length).toBeGreaterThan(50);
  });

  test('preserve text, calls, thinking, signatures, reason and usage of every plain answer', () => {
    for (const { id, answer } of all.filter(isPlain)) {
      const before = decodeWhole(messagesCodec, read(answer), session) as HubAnswer;
      const again = decodeWhole(
        messagesCodec,
        read(JSON.parse(writeJson(messagesCodec.encodeAnswer(before, session)))),
        session,
      );
      const withoutLosses = {
        ...before,
        id: 'msg_c1',
        choices: before.choices.map(({ parts, finish }) => ({ parts: parts.flatMap(shown), finish })),
      };
      expect(again, id).toEqual(withoutLosses);
      const texts = (answer as { content: Json[] }).content.flatMap((block) =>
        block.type === 'text' ? [block.text] : [],
      );
      const told = before.choices[0]?.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
      expect(told, id).toEqual(texts);
    }
  });

  test('preserve the same in every stream', () => {
    for (const { id, events } of all) {
      if (events === undefined) continue;
      const before = decodeStream(events);
      if (before.some(({ kind }) => kind === 'error')) continue;
      expect(substance(decodeStream(encodeStream(before))), id).toEqual(substance(before));
      const texts = events.map((event) => (event.delta as Json | undefined)?.text ?? '').join('');
      const told = before.flatMap((event, index) =>
        event.kind === 'delta' && kindAt(before, index) === 'text' ? [event.text] : [],
      );
      expect(told.join(''), id).toBe(texts);
    }
  });

  test('are decoded without loss of content; what only the vendor can read is kept whole', () => {
    const opaque = new Set<string>();
    for (const { id, request } of all) {
      if (request === undefined) continue;
      const decoded = messagesCodec.decodeRequest(read(request), RAW, new Notes(messagesCodec.fields));
      expect(wordsOf(decoded.turns.map(({ parts }) => parts)), id).toEqual(
        expect.arrayContaining(textsOf(request.messages)),
      );
      for (const { parts } of decoded.turns)
        for (const part of parts) if (part.kind === 'opaque') opaque.add(part.type);
    }
    expect([...opaque]).toEqual(['container_upload']);
  });
});

/** The kind of the part that is open at this event. */
function kindAt(events: readonly HubEvent[], index: number): string | undefined {
  const opening = events.slice(0, index).findLast((event) => event.kind === 'part');
  return opening?.kind === 'part' ? opening.head.kind : undefined;
}

/** Empty texts could not be sent back. */
function shown(part: Part): readonly Part[] {
  return part.kind === 'text' && part.text === '' ? [] : [part];
}

/** All strings of the hub's parts. */
function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(wordsOf) : [];
}

/** Texts, sources and signatures of the client's blocks, at any depth outside of the vendor's own tools. */
function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value !== 'object' || value === null) return [];
  const { type, text, thinking, signature, data, content, source, url } = value as Json;
  if (
    type === 'search_result' ||
    (typeof type === 'string' && type !== 'tool_result' && type.endsWith('_result'))
  )
    return [];
  // The texts of such a document are joined to one.
  if ((source as Json | undefined)?.type === 'content') return [];
  const own = [text, thinking, signature, data, url, content].filter(
    (one) => typeof one === 'string' && one !== '',
  );
  return [...(own as string[]), ...textsOf(content), ...textsOf(source)];
}
