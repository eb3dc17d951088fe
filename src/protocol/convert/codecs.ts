import { chatCodec } from '../chat/codec.ts';
import { geminiCodec } from '../gemini/codec.ts';
import type { Codec } from '../hub/codec.ts';
import type { TextProtocol } from '../hub/protocol.ts';
import { messagesCodec } from '../messages/codec.ts';
import { responsesCodec } from '../responses/codec.ts';

const SPOKES: Readonly<Record<TextProtocol, Codec>> = {
  chat: chatCodec,
  responses: responsesCodec,
  messages: messagesCodec,
  gemini: geminiCodec,
};

export function getCodec(protocol: TextProtocol): Codec {
  return SPOKES[protocol];
}
