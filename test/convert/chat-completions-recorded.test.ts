import { readdirSync, readFileSync } from 'node:fs';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { findOpenai } from '../../sim/models.ts';
import { refuseChat } from '../../sim/openai-chat/validate.ts';
import { getCapabilities } from '../../src/protocol/capability/table.ts';
import { chatCodec } from '../../src/protocol/chat/codec.ts';
import { geminiCodec } from '../../src/protocol/gemini/codec.ts';
import type { Codec } from '../../src/protocol/hub/codec.ts';
import { type JsonObject, readJson, writeJson } from '../../src/protocol/hub/content/json.ts';
import type { HubEvent } from '../../src/protocol/hub/event.ts';
import { fitRequest } from '../../src/protocol/hub/fit/fit.ts';
import { Inexpressible, Notes } from '../../src/protocol/hub/notes.ts';
import { visibleText } from '../../src/protocol/hub/part.ts';
import { ReturnStage } from '../../src/protocol/hub/return/return-stream.ts';
import { messagesCodec } from '../../src/protocol/messages/codec.ts';
import { responsesCodec } from '../../src/protocol/responses/codec.ts';
import { openDecoder } from '../../src/protocol/suite/reported.ts';
import { needs, RECORDINGS } from '../needs.ts';
import { recordingsFolder } from '../prerequisites.ts';
import { someRequest, someSession, someTarget } from '../support/hub.ts';

type Json = Record<string, unknown>;

interface Recording {
  readonly id: string;
  readonly status: number;
  readonly request: unknown;
  readonly response: unknown;
}

function load(name: string): readonly Recording[] {
  if (!RECORDINGS.isMet) return [];
  const files = readdirSync(recordingsFolder).filter(
    (file) => file.startsWith(`${name}.`) && file.endsWith('.jsonl'),
  );
  return files.flatMap((file) =>
    readFileSync(`${recordingsFolder}/${file}`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Recording),
  );
}

const OTHERS: readonly (readonly [string, Codec])[] = [
  ['messages', messagesCodec],
  ['responses', responsesCodec],
  ['generate-content', geminiCodec],
];

/** Why a recorded request cannot be said here; each is content that this protocol has no place for. */
const REASONS =
  /known to (its|their) own|cannot be named by|cannot be sent in|must be sent as bytes|another vendor|not known here|fetched later/;

describe.each(OTHERS)('recorded requests of %s', needs(RECORDINGS), (name, codec) => {
  it.each(['gpt-4o', 'gpt-5', 'gpt-5.6'])('are accepted for %s, or refused for their content', (model) => {
    const target = someTarget({ protocol: 'chat', model, capabilities: getCapabilities('chat', model) });
    const raw = {
      body: Buffer.alloc(0),
      contentType: 'application/json',
      path: { model: 'm', stream: false, framing: 'sse' } as const,
    };
    let accepted = 0;
    for (const { id, request, status } of load(name)) {
      const body = readJson(JSON.stringify(request ?? ''), codec.rawKeys);
      if (body === undefined || status >= 400) continue;
      const notes = new Notes(codec.fields);
      try {
        const fitted = fitRequest(codec.decodeRequest(body, raw, notes), target, chatCodec.rules).request;
        const written = writeJson(chatCodec.encodeRequest(fitted, target, notes));
        expect(refuseChat(JSON.parse(written), findOpenai(model)), id).toBeUndefined();
        accepted++;
      } catch (error) {
        if (!(error instanceof Inexpressible)) throw error;
        const isKnown = REASONS.test(error.message) || error.message.endsWith('must be an object');
        expect(isKnown, `${id}: ${error.message}`).toBe(true);
      }
    }
    expect(accepted).toBeGreaterThan(100);
  });
});

function eventsOf(response: unknown): readonly Json[] {
  if (Array.isArray(response)) return response;
  if (typeof response !== 'string') return [];
  const lines = response.replaceAll('\r\n', '\n').split('\n');
  return lines.flatMap((line) => {
    if (!line.startsWith('data:')) return [];
    try {
      return [JSON.parse(line.slice(5)) as Json];
    } catch {
      return [];
    }
  });
}

/** A vendor's stream as a Chat client gets it, and what the vendor said in it. */
function convert(codec: Codec, events: readonly Json[]): { readonly written: string; readonly said: string } {
  const session = someSession({
    request: someRequest({ stream: true, includeUsage: true }),
    target: someTarget({ protocol: codec.protocol }),
  });
  const encoder = chatCodec.createEncoder(session, 'sse');
  const { names } = fitRequest(session.request, session.target, codec.rules);
  const plan = { session, names, client: chatCodec.rules, kept: new Map() };
  const stage = new ReturnStage(plan, (event) => encoder.push(event));
  let said = '';
  let open: string | undefined;
  const decoder = openDecoder(codec, session, (event: HubEvent) => {
    if (event.kind === 'part') open = event.head.kind;
    if (event.kind === 'part' && event.head.kind === 'server-tool') said += visibleText(event.head);
    if (event.kind === 'delta' && open === 'text') said += event.text;
    stage.push(event);
  });
  for (const event of events) decoder.push(event as JsonObject);
  decoder.finish();
  stage.end();
  return { written: encoder.take(), said };
}

describe.each(OTHERS)('recorded streams of %s', needs(RECORDINGS), (name, codec) => {
  it('are read by the OpenAI SDK', async () => {
    let read = 0;
    for (const { id, response } of load(name)) {
      const events = eventsOf(response);
      if (events.length === 0) continue;
      const { written, said } = convert(codec, events);
      const answer = async (): Promise<Response> =>
        new Response(written, { headers: { 'content-type': 'text/event-stream' } });
      const client = new OpenAI({ apiKey: 'x', maxRetries: 0, fetch: answer });
      const stream = client.chat.completions.stream({
        model: 'm',
        messages: [{ role: 'user', content: 'x' }],
      });
      if (written.includes('data: {"error"')) {
        await expect(stream.finalChatCompletion(), id).rejects.toThrow();
        continue;
      }
      const { choices } = await stream.finalChatCompletion();
      expect(choices[0]?.message.content ?? '', id).toBe(said);
      for (const call of choices[0]?.message.tool_calls ?? []) {
        expect(call.id, id).not.toBe('');
        if (call.type === 'function') expect(() => JSON.parse(call.function.arguments), id).not.toThrow();
      }
      read++;
    }
    expect(read).toBeGreaterThan(20);
  });
});
