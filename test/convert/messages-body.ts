import type { CapabilityOverrides } from '../../src/kernel/capability.ts';
import { writeJson } from '../../src/protocol/hub/content/json.ts';
import { Notes } from '../../src/protocol/hub/notes.ts';
import type { Part } from '../../src/protocol/hub/part.ts';
import { type HubRequest, NO_THINKING, type Thinking, type Turn } from '../../src/protocol/hub/request.ts';
import { messagesCodec } from '../../src/protocol/messages/codec.ts';
import { someCapabilities, someRequest, someTarget } from '../support/hub.ts';

export interface Encoded {
  readonly body: Record<string, unknown>;
  readonly text: string;
  readonly dropped: readonly string[];
}

/** The body that Messages makes of a request; marks of ours are left out unless a test wants them. */
export function encode(request: Partial<HubRequest>, capabilities: CapabilityOverrides = {}): Encoded {
  const notes = new Notes(messagesCodec.fields);
  const target = someTarget({ capabilities: someCapabilities({ cacheMarks: false, ...capabilities }) });
  const text = writeJson(
    messagesCodec.encodeRequest(someRequest({ turns: [said('hi')], ...request }), target, notes),
  );
  return { body: JSON.parse(text), text, dropped: notes.dropped };
}

export const words = (text: string): Part => ({ kind: 'text', text });
export const said = (text: string): Turn => ({ role: 'user', parts: [words(text)] });
export const answered = (...parts: Part[]): Turn => ({ role: 'assistant', parts });
export const told = (text: string): Turn => ({ role: 'system', parts: [words(text)] });
export const call = (args = '{}'): Part => ({
  kind: 'tool-call',
  id: 't1',
  name: 'f',
  arguments: args,
  custom: false,
});
export const result = (...parts: Part[]): Part => ({
  kind: 'tool-result',
  callId: 't1',
  parts,
  isError: false,
  custom: false,
});
export const tool = (schema: string | undefined, strict?: boolean): HubRequest['tools'][number] => ({
  kind: 'function',
  name: 'f',
  schema,
  strict,
});
export const thinking = (wish: Partial<Thinking>): Partial<HubRequest> => ({
  thinking: { ...NO_THINKING, ...wish },
});
export const messagesOf = (turns: readonly Turn[], capabilities: CapabilityOverrides = {}): unknown =>
  encode({ turns }, capabilities).body.messages;
export const text = (words: string): object => ({ type: 'text', text: words });
