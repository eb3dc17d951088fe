import type { RequestFacts } from '../dialect.ts';
import type { AnswerError, HubAnswer } from '../hub/answer.ts';
import type { Codec, Session, StreamDecoder } from '../hub/codec.ts';
import { type JsonObject, writeJson } from '../hub/content/json.ts';
import type { Emit } from '../hub/event.ts';
import type { Figures } from '../meter/usage-report.ts';
import { getDialect } from '../registry.ts';

const FACTS = { usageInjected: false } as RequestFacts;

/** Decodes a plain answer with the usage that the dialect of the protocol reads in it. */
export function decodeWhole(codec: Codec, body: JsonObject, session: Session): HubAnswer | AnswerError {
  const bytes = Buffer.from(writeJson(body));
  const { figures } = getDialect(codec.protocol).readResponse(bytes, 'model');
  return codec.decodeAnswer(body, session, figures);
}

/** A decoder that gets with each event the usage that the dialect of the protocol reads in it. */
export function openDecoder(codec: Codec, session: Session, emit: Emit): StreamDecoder {
  const decoder = codec.createDecoder(session, emit);
  return {
    push: (event) => decoder.push(event, reportedIn(codec, event)),
    finish: () => decoder.finish(),
  };
}

function reportedIn({ protocol }: Codec, event: JsonObject): Figures | undefined {
  const relay = getDialect(protocol).relayStream('sse', FACTS, 'model');
  let found: Figures | undefined;
  relay.divert((_payload, _start, _end, figures) => {
    found = figures;
  });
  relay.push(Buffer.from(`data: ${writeJson(event)}\n\n`));
  return found;
}
