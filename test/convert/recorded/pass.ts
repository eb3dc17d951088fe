import type { LentBytes } from '../../../src/kernel/encoding/lent-bytes.ts';
import { isRefusal } from '../../../src/kernel/errors.ts';
import { getCapabilities } from '../../../src/protocol/capability/table.ts';
import { getCodec } from '../../../src/protocol/convert/codecs.ts';
import { type Conversion, convertRequest, readClientRequest } from '../../../src/protocol/convert/convert.ts';
import type { RawRequest, RequestFacts } from '../../../src/protocol/dialect.ts';
import type { AnswerError } from '../../../src/protocol/hub/answer.ts';
import type { Session, Target } from '../../../src/protocol/hub/codec.ts';
import { type JsonObject, readJson, writeJson } from '../../../src/protocol/hub/content/json.ts';
import type { TextProtocol } from '../../../src/protocol/hub/protocol.ts';
import { getDialect } from '../../../src/protocol/registry.ts';
import { decodeWhole, openDecoder } from '../../../src/protocol/suite/reported.ts';
import type { Recording } from './load.ts';

export const IDENTITY = { modelId: 'platform-model', callId: 'call0001', createdAtS: 1_760_000_000 };

/** What each client asks; everything that may come back is wanted. */
const ASKED: Readonly<Record<TextProtocol, object>> = {
  chat: {
    model: 'platform-model',
    messages: [{ role: 'user', content: 'hello' }],
    stream: true,
    stream_options: { include_usage: true },
  },
  responses: {
    model: 'platform-model',
    input: 'hello',
    stream: true,
    store: false,
    reasoning: { summary: 'auto' },
    include: ['reasoning.encrypted_content'],
  },
  messages: {
    model: 'platform-model',
    max_tokens: 4096,
    messages: [{ role: 'user', content: 'hello' }],
    stream: true,
  },
  gemini: {
    contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
    generationConfig: { thinkingConfig: { includeThoughts: true } },
  },
};

export function rawRequest(protocol: TextProtocol, body: unknown, stream: boolean): RawRequest {
  const path = { model: 'platform-model', stream, framing: 'sse' } as const;
  return {
    body: Buffer.from(JSON.stringify(body)),
    contentType: 'application/json',
    path: protocol === 'gemini' ? path : undefined,
  };
}

export function targetOf(protocol: TextProtocol, model: string): Target {
  return { protocol, model, issuer: 'v1-c1-m1', capabilities: getCapabilities(protocol, model) };
}

/** A call of a client of one protocol on its way to a vendor of another (or the same). */
export function callOf(client: TextProtocol, vendor: TextProtocol): Conversion {
  const read = readClientRequest(client, rawRequest(client, ASKED[client], true));
  if (isRefusal(read)) throw new Error(`the plainest request of ${client} was refused`);
  const conversion = convertRequest(read, targetOf(vendor, 'vendor-model'), IDENTITY);
  if (isRefusal(conversion)) throw new Error(`${client} could not be converted to ${vendor}`);
  return conversion;
}

export interface PassedStream {
  readonly text: string;
  readonly complete: boolean;
  readonly failed: boolean;
  /** The signatures that the gateway stores. */
  readonly kept?: Conversion['kept'];
}

/** The vendor's bytes through the converter, cut at the given places. */
export function passStream(
  pair: { readonly client: TextProtocol; readonly vendor: TextProtocol },
  bytes: Buffer,
  cuts: readonly number[],
): PassedStream {
  const facts = { usageInjected: false } as RequestFacts;
  const relay = getDialect(pair.vendor).relayStream('sse', facts, 'platform-model');
  const call = callOf(pair.client, pair.vendor);
  const stream = call.convertStream('sse', relay);
  const output: Buffer[] = [];
  const keep = (piece: LentBytes | undefined): void => {
    // A relay may reuse what it gave: the bytes are taken at once, as a socket would.
    if (piece !== undefined) output.push(Buffer.from(piece));
  };
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    keep(stream.push(bytes.subarray(from, to)));
    from = to;
  }
  const { rest, complete } = stream.finish();
  keep(rest);
  return { text: Buffer.concat(output).toString(), complete, failed: stream.failed, kept: call.kept };
}

/** A session of a client with a vendor of its own protocol. */
function ownSession(protocol: TextProtocol): Session {
  const read = readClientRequest(protocol, rawRequest(protocol, ASKED[protocol], true));
  if (isRefusal(read)) throw new Error(`the plainest request of ${protocol} was refused`);
  return { request: read.request, target: targetOf(protocol, 'vendor-model'), ...IDENTITY };
}

/** A plain answer decoded and encoded back into its own protocol. */
export function repeatAnswer(protocol: TextProtocol, body: unknown): string | AnswerError | undefined {
  const codec = getCodec(protocol);
  const session = ownSession(protocol);
  const json = readJson(JSON.stringify(body), codec.rawKeys);
  const answer = json === undefined ? undefined : decodeWhole(codec, json, session);
  if (answer === undefined || !('choices' in answer)) return answer;
  return writeJson(codec.encodeAnswer(answer, session));
}

/** The same of a stream: what a client would read, with no terminator where there was none. */
export function repeatStream({ protocol, events, text }: Recording): PassedStream {
  const codec = getCodec(protocol);
  const session = ownSession(protocol);
  const encoder = codec.createEncoder(session, 'sse');
  const relay = getDialect(protocol).relayStream('sse', { usageInjected: false } as RequestFacts, 'm');
  relay.push(Buffer.from(text));
  const { complete } = relay.finish();
  const decoder = openDecoder(codec, session, (event) => {
    if (event.kind !== 'end' || complete) encoder.push(event);
  });
  for (const event of events) decoder.push(event as JsonObject);
  if (complete) decoder.finish();
  return { text: encoder.take(), complete, failed: relay.failed };
}

const TERMINATORS: Readonly<Record<TextProtocol, RegExp>> = {
  chat: /^data: \[DONE\]$/m,
  responses: /^event: response\.(completed|incomplete)$/m,
  messages: /^event: message_stop$/m,
  gemini: /"finishReason":/,
};

/** Whether a client of the protocol would take the stream for a whole one. */
export function hasTerminator(client: TextProtocol, text: string): boolean {
  return TERMINATORS[client].test(text);
}
