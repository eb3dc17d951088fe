import { someRequest } from '../../../../test/support/hub.ts';
import type { CapabilityOverrides } from '../../../kernel/capability.ts';
import { getCapabilities } from '../../capability/table.ts';
import type { Framing, RawRequest } from '../../dialect.ts';
import type { Session, Target } from '../../hub/codec.ts';
import { type JsonObject, readJson, writeJson } from '../../hub/content/json.ts';
import type { HubEvent } from '../../hub/event.ts';
import { Notes } from '../../hub/notes.ts';
import type { Part } from '../../hub/part.ts';
import type { HubRequest } from '../../hub/request.ts';
import { openDecoder } from '../../suite/reported.ts';
import { geminiCodec } from '../codec.ts';

/** A request as short as it can be; a test names what it is about. */
export function hubRequest(more: Partial<HubRequest> = {}): HubRequest {
  return someRequest({
    turns: [{ role: 'user', parts: [{ kind: 'text', text: 'hi' }] }],
    includeUsage: true,
    ...more,
  });
}

export function createGeminiTarget(model: string, more: CapabilityOverrides = {}): Target {
  const capabilities = { ...getCapabilities('gemini', model), ...more };
  return { protocol: 'gemini', model, issuer: 'google-1', capabilities };
}

export function createGeminiSession(more: Partial<Session> = {}): Session {
  return {
    request: hubRequest({ client: 'gemini' }),
    target: createGeminiTarget('gemini-3-pro'),
    modelId: 'house-model',
    callId: 'call1',
    createdAtS: 1_700_000_000,
    ...more,
  };
}

/** A session whose client speaks this protocol and whose vendor another one. */
export function foreignSession(): Session {
  const target: Target = { ...createGeminiTarget('claude'), protocol: 'messages', issuer: 'anthropic-1' };
  return createGeminiSession({ target });
}

export interface Decoded {
  readonly request: HubRequest;
  readonly dropped: readonly string[];
}

export function decodeBody(body: unknown, stream: 'stream' | 'plain' = 'plain'): Decoded {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const raw: RawRequest = {
    body: Buffer.from(text),
    contentType: 'application/json',
    path: { model: 'm', stream: stream === 'stream', framing: 'sse' },
  };
  const notes = new Notes(geminiCodec.fields);
  const request = geminiCodec.decodeRequest(readJson(text, geminiCodec.rawKeys) ?? {}, raw, notes);
  return { request, dropped: notes.dropped };
}

/** The parts of a single content. */
export function decodeParts(...parts: unknown[]): readonly Part[] {
  return decodeBody({ contents: [{ parts }] }).request.turns[0]?.parts ?? [];
}

export interface Encoded {
  readonly body: Record<string, unknown>;
  readonly text: string;
  readonly dropped: readonly string[];
}

export function encodeBody(
  request: HubRequest,
  target: Target = createGeminiTarget('gemini-3-pro'),
): Encoded {
  const notes = new Notes(geminiCodec.fields);
  const text = writeJson(geminiCodec.encodeRequest(request, target, notes));
  return { body: JSON.parse(text), text, dropped: notes.dropped };
}

export function decodeChunks(chunks: readonly JsonObject[], session: Session): readonly HubEvent[] {
  const events: HubEvent[] = [];
  const decoder = openDecoder(geminiCodec, session, (event) => events.push(event));
  for (const chunk of chunks) decoder.push(chunk);
  decoder.finish();
  return events;
}

export function encodeEvents(
  events: readonly HubEvent[],
  session: Session,
  framing: Framing = 'sse',
): string {
  const encoder = geminiCodec.createEncoder(session, framing);
  for (const event of events) encoder.push(event);
  return encoder.take();
}

/** The chunks of a stream in either framing. */
export function parseChunks(text: string, framing: Framing = 'sse'): readonly JsonObject[] {
  if (framing === 'json-array') return JSON.parse(text);
  const blocks = text.split('\n\n').filter((block) => block.startsWith('data: '));
  return blocks.map((block) => JSON.parse(block.slice('data: '.length)));
}
