import type { JsonObject } from '../../hub/content/json.ts';
import { Inexpressible, type Notes } from '../../hub/notes.ts';
import type { Part, TextPart, ToolResultPart } from '../../hub/part.ts';
import type { Turn } from '../../hub/request.ts';
import { listField, requireObject, requireText, textField } from '../fields.ts';
import { type AssistantReader, decodeAssistant } from './assistant.ts';
import { decodeContent, decodeTexts } from './parts.ts';

export interface Conversation {
  readonly system: readonly TextPart[];
  readonly turns: readonly Turn[];
}

/** The state while messages are read. */
interface MessagesState {
  readonly notes: Notes;
  readonly system: TextPart[];
  readonly turns: Turn[];
  /** Results do not say that they belong to a custom tool; the call does. */
  readonly customCalls: Set<string>;
  /** Calls in the old style have no id: the result that follows belongs to the last of them. */
  functionCallId: string;
}

type MessageReader = (message: JsonObject, path: string, reading: MessagesState) => void;

const READERS: Readonly<Record<string, MessageReader>> = {
  system: readSystem,
  developer: readSystem,
  user: (message, path, { turns, notes }) => {
    turns.push({ role: 'user', parts: decodeContent(message.content, { path: `${path}.content`, notes }) });
  },
  assistant: readAssistant,
  tool: (message, path, reading) =>
    readResult(message, requireText(message, 'tool_call_id', path), path, reading),
  function: (message, path, reading) => readResult(message, reading.functionCallId, path, reading),
};

/** Fields that are read, or that repeat what is read. */
const KNOWN: ReadonlySet<string> = new Set(
  (
    'role content refusal audio tool_calls tool_call_id function_call extra_content images annotations ' +
    'reasoning reasoning_content reasoning_details'
  ).split(' '),
);
/** In a result the name of its function is read too; elsewhere a name is a person's. */
const KNOWN_OF_RESULTS: ReadonlySet<string> = new Set([...KNOWN, 'name']);

/** The messages of a request. The leading system messages are separate. */
export function decodeMessages(body: JsonObject, notes: Notes): Conversation {
  const messages = listField(body, 'messages', '') ?? [];
  if (messages.length === 0) throw new Inexpressible('messages', 'is missing or empty');
  const reading: MessagesState = { notes, system: [], turns: [], customCalls: new Set(), functionCallId: '' };
  for (const [index, value] of messages.entries()) {
    const path = `messages[${index}]`;
    const message = requireObject(value, path);
    const role = requireText(message, 'role', path);
    const read = Object.hasOwn(READERS, role) ? READERS[role] : undefined;
    if (read === undefined) throw new Inexpressible(`${path}.role`, 'is not known');
    notes.dropOthers(message, role === 'tool' || role === 'function' ? KNOWN_OF_RESULTS : KNOWN, path);
    read(message, path, reading);
  }
  return { system: reading.system, turns: reading.turns };
}

function readSystem(message: JsonObject, path: string, { system, turns, notes }: MessagesState): void {
  const parts = decodeTexts(message.content, { path: `${path}.content`, notes });
  if (turns.length === 0) system.push(...parts);
  else turns.push({ role: 'system', parts });
}

function readAssistant(message: JsonObject, path: string, reading: MessagesState): void {
  for (const [index, call] of (listField(message, 'tool_calls', path) ?? []).entries()) {
    requireObject(call, `${path}.tool_calls[${index}]`);
  }
  const audio = message.audio ?? undefined;
  if (audio !== undefined) throw new Inexpressible(`${path}.audio`, 'is known to its own vendor only');
  // Stable and unique in this conversation: the position of the message.
  reading.functionCallId = `call_function_${reading.turns.length}`;
  const reader: AssistantReader = {
    issuer: undefined,
    functionCallId: reading.functionCallId,
    unsupported: (place) => {
      throw new Inexpressible(place, 'is of a type that is not known');
    },
  };
  const parts = decodeAssistant(message, path, reader);
  for (const part of parts) if (part.kind === 'tool-call' && part.custom) reading.customCalls.add(part.id);
  reading.turns.push({ role: 'assistant', parts });
}

function readResult(message: JsonObject, callId: string, path: string, reading: MessagesState): void {
  const result: ToolResultPart = {
    kind: 'tool-result',
    callId,
    name: textField(message, 'name', path),
    parts: withoutEmpty(decodeContent(message.content, { path: `${path}.content`, notes: reading.notes })),
    isError: false,
    custom: reading.customCalls.has(callId),
  };
  reading.turns.push({ role: 'user', parts: [result] });
}

function withoutEmpty(parts: readonly Part[]): readonly Part[] {
  return parts.filter((part) => part.kind !== 'text' || part.text !== '');
}
