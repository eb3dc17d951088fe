import { chatSpoke } from '../chat/codec.ts';
import { geminiSpoke } from '../gemini/codec.ts';
import type { Spoke } from '../hub/codec.ts';
import type { TextProtocol } from '../hub/protocol.ts';
import { messagesSpoke } from '../messages/codec.ts';
import { responsesSpoke } from '../responses/codec.ts';

const SPOKES: Readonly<Record<TextProtocol, Spoke>> = {
  chat: chatSpoke,
  responses: responsesSpoke,
  messages: messagesSpoke,
  gemini: geminiSpoke,
};

export function spokeOf(protocol: TextProtocol): Spoke {
  return SPOKES[protocol];
}
