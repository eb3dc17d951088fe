import { someCapabilities, someRequest } from '../../../../test/support/hub.ts';
import type { CapabilityOverrides } from '../../../kernel/capability.ts';
import type { Session, Target } from '../../hub/codec.ts';
import { type JsonObject, readJson, writeJson } from '../../hub/content/json.ts';
import type { HubEvent } from '../../hub/event.ts';
import { Notes } from '../../hub/notes.ts';
import type { HubRequest } from '../../hub/request.ts';
import { openDecoder } from '../../suite/reported.ts';
import { responsesCodec } from '../codec.ts';

/** A reasoning model of this protocol's own vendor. */
const REASONING = someCapabilities({
  thinksByDefault: true,
  efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
  budgetTokensMin: 0,
  budgetTokensMax: 0,
  sampling: 'none',
  penalties: false,
  stopSequences: false,
  maxOutputTokens: 128_000,
});

export function target(capabilities: CapabilityOverrides = {}): Target {
  return {
    protocol: 'responses',
    model: 'gpt-5.6',
    issuer: 'r-1',
    capabilities: { ...REASONING, ...capabilities },
  };
}

export const SHORT_REQUEST = someRequest({
  client: 'messages',
  turns: [{ role: 'user', parts: [{ kind: 'text', text: 'hi' }] }],
  includeUsage: true,
});

/** A client of this protocol in front of another vendor, unless it is said otherwise. */
export function session(more: Partial<Session> = {}): Session {
  return {
    request: { ...SHORT_REQUEST, client: 'responses' },
    target: { ...target(), protocol: 'messages', issuer: 'm-1' },
    modelId: 'house/model',
    callId: 'c1',
    createdAtS: 1_790_000_000,
    ...more,
  };
}

/** In front of its own vendor: what goes in as a signature comes out bare. */
export const OWN: Session = session({ target: target() });

export function parse(value: unknown): JsonObject {
  return readJson(JSON.stringify(value), responsesCodec.rawKeys) as JsonObject;
}

export function plain(value: JsonObject): Record<string, unknown> {
  return JSON.parse(writeJson(value)) as Record<string, unknown>;
}

export interface Decoded {
  readonly request: HubRequest;
  readonly dropped: readonly string[];
}

export function decode(body: object): Decoded {
  const notes = new Notes(responsesCodec.fields);
  const raw = { body: Buffer.alloc(0), contentType: 'application/json', path: undefined };
  const request = responsesCodec.decodeRequest(parse({ model: 'm', ...body }), raw, notes);
  return { request, dropped: notes.dropped };
}

export interface Encoded {
  readonly body: Record<string, unknown>;
  readonly dropped: readonly string[];
}

export function encode(more: Partial<HubRequest>, to: Target = target()): Encoded {
  const notes = new Notes(responsesCodec.fields);
  const body = responsesCodec.encodeRequest({ ...SHORT_REQUEST, ...more }, to, notes);
  return { body: plain(body), dropped: notes.dropped };
}

/** The text a client gets for these events. */
export function encodeEvents(events: readonly HubEvent[], to: Session = session()): string {
  const encoder = responsesCodec.createEncoder(to, 'sse');
  return events
    .map((event) => {
      encoder.push(event);
      return encoder.take();
    })
    .join('');
}

/** The payloads of a stream's text. */
export function payloads(text: string): Record<string, unknown>[] {
  return text
    .split('\n\n')
    .filter((block) => block.includes('data: {'))
    .map((block) => JSON.parse(block.slice(block.indexOf('data: ') + 6)) as Record<string, unknown>);
}

export function decodeEvents(events: readonly unknown[], from: Session = OWN): HubEvent[] {
  const found: HubEvent[] = [];
  const decoder = openDecoder(responsesCodec, from, (event) => found.push(event));
  for (const event of events) decoder.push(event as JsonObject);
  return found;
}
