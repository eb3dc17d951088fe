import { someTarget } from '../../../test/support/hub.ts';
import { lend } from '../../../test/support/suite/lend.ts';
import { isRefusal } from '../../kernel/errors.ts';
import { type ClientRequest, convertRequest, type Identity, readClientRequest } from '../convert/convert.ts';
import type { RequestFacts, StreamRelay, VendorRelay } from '../dialect.ts';
import type { Session } from '../hub/codec.ts';
import type { TextProtocol } from '../hub/protocol.ts';
import { getDialect } from '../registry.ts';

export const PROTOCOLS: readonly TextProtocol[] = ['chat', 'responses', 'messages', 'gemini'];

/** Every client with every vendor that speaks another protocol. */
export const PAIRS = PROTOCOLS.flatMap((client) =>
  PROTOCOLS.map((vendor) => [client, vendor] as const),
).filter(([client, vendor]) => client !== vendor);

export const IDENTITY: Identity = {
  modelId: 'platform-model',
  callId: '01JD8',
  createdAtS: 1_790_000_000,
};

const BODIES: Readonly<Record<TextProtocol, object>> = {
  chat: { model: 'm', stream: true, messages: [{ role: 'user', content: 'q' }] },
  responses: { model: 'm', stream: true, input: 'q' },
  messages: { model: 'm', stream: true, max_tokens: 99, messages: [{ role: 'user', content: 'q' }] },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'q' }] }] },
};

const FACTS: RequestFacts = {
  model: 'm',
  stream: true,
  modelRanges: [],
  outputTokensMax: undefined,
  answers: 1,
  images: 0,
  inputTokensEstimate: 1,
  usageInjected: false,
  holdsEnvelope: false,
  usageSplice: undefined,
  edit: false,
};

/** The shortest request for a stream. */
function createStreamRequest(protocol: TextProtocol): ClientRequest {
  const body = Buffer.from(JSON.stringify(BODIES[protocol]));
  const path = { model: 'm', stream: true, framing: 'sse' } as const;
  const raw = { body, contentType: 'application/json', path: protocol === 'gemini' ? path : undefined };
  const read = readClientRequest(protocol, raw);
  if (isRefusal(read)) throw new Error(read.message);
  return read;
}

/** A client and a vendor of the same protocol: with it a test writes and reads what either of them says. */
export function ownSession(protocol: TextProtocol): Session {
  const { request } = createStreamRequest(protocol);
  return { request, target: someTarget({ protocol }), ...IDENTITY };
}

export function vendorRelay(vendor: TextProtocol): VendorRelay {
  return getDialect(vendor).relayStream('sse', FACTS, IDENTITY.modelId);
}

export function createPairRelay(client: TextProtocol, vendor: TextProtocol): StreamRelay {
  const conversion = convertRequest(createStreamRequest(client), someTarget({ protocol: vendor }), IDENTITY);
  if (isRefusal(conversion)) throw new Error(conversion.message);
  return conversion.convertStream('sse', vendorRelay(vendor));
}

export interface Heard {
  readonly text: string;
  readonly complete: boolean;
}

/** Everything that a relay gives for these bytes. */
export function hear(relay: StreamRelay, chunks: readonly Buffer[]): Heard {
  let text = '';
  for (const chunk of chunks) text += lend(chunk, (lent) => relay.push(lent)?.toString() ?? '');
  const { rest, complete } = relay.finish();
  return { text: text + (rest?.toString() ?? ''), complete };
}
