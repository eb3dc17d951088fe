import type { Ask, Json, Protocol } from '../lanes/conversation.ts';
import type { Wire } from './answer.ts';
import { chat, chatBody } from './chat.ts';
import { gemini, geminiBody } from './gemini.ts';
import { messages, messagesBody } from './messages.ts';
import { responses, responsesBody } from './responses.ts';

export const WIRES: Readonly<Record<Protocol, Wire>> = { chat, responses, messages, gemini };

const BODIES: Readonly<Record<Protocol, (ask: Ask) => Json>> = {
  chat: chatBody,
  responses: responsesBody,
  messages: messagesBody,
  gemini: geminiBody,
};

/** The body of a request, without fields that are not set. */
export function bodyOf(protocol: Protocol, ask: Ask): Json {
  return JSON.parse(JSON.stringify(BODIES[protocol](ask))) as Json;
}
