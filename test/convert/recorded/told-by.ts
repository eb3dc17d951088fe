import type { TextProtocol } from '../../../src/protocol/hub/protocol.ts';
import type { Json, Recording } from './load.ts';
import type { BROKEN, Told, ToldError } from './told.ts';
import { toldByChat, toldByChatStream } from './told-chat.ts';
import { toldByGemini, toldByGeminiStream } from './told-gemini.ts';
import { toldByMessages, toldByMessagesStream } from './told-messages.ts';
import { toldByResponses, toldByResponsesStream } from './told-responses.ts';

interface Teller {
  readonly plain: (body: Json) => Told | ToldError;
  readonly stream: (recording: Recording) => Told | ToldError | typeof BROKEN;
}

const TELLERS: Readonly<Record<TextProtocol, Teller>> = {
  chat: { plain: toldByChat, stream: toldByChatStream },
  responses: { plain: toldByResponses, stream: toldByResponsesStream },
  messages: { plain: toldByMessages, stream: toldByMessagesStream },
  gemini: { plain: toldByGemini, stream: toldByGeminiStream },
};

/** What the vendor told in a recording. */
export function toldBy(recording: Recording): Told | ToldError | typeof BROKEN {
  const { plain, stream } = TELLERS[recording.protocol];
  return recording.answer === undefined ? stream(recording) : plain(recording.answer);
}
