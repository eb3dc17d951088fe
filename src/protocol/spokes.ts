import { chatSpoke } from './chat-completions/spoke.ts';
import { geminiSpoke } from './generate-content/spoke.ts';
import type { TextProtocol } from './hub/protocol.ts';
import type { Spoke } from './hub/spoke.ts';
import { messagesSpoke } from './messages/spoke.ts';
import { responsesSpoke } from './responses/spoke.ts';

const SPOKES: Readonly<Record<TextProtocol, Spoke>> = {
  chat: chatSpoke,
  responses: responsesSpoke,
  messages: messagesSpoke,
  gemini: geminiSpoke,
};

export function spokeOf(protocol: TextProtocol): Spoke {
  return SPOKES[protocol];
}
