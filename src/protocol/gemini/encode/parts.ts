import type { Capabilities } from '../../../kernel/capability.ts';
import { type JsonObject, type JsonValue, RawJson } from '../../hub/content/json.ts';
import { Inexpressible } from '../../hub/notes.ts';
import {
  isMedia,
  type Part,
  type PartOf,
  type ReasoningPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../../hub/part.ts';
import type { Turn } from '../../hub/request.ts';
import { parseObject } from '../fields.ts';
import { encodeMedia } from '../media.ts';
import { findThought } from '../signature.ts';
import { SIGNATURE_SENTINEL } from '../wire.ts';

/** Turns parts of other vendors' tools into text, and removes unsigned thoughts. */
export function settleParts(turn: Turn): Turn {
  const parts = turn.parts.flatMap((part): readonly Part[] => {
    if (part.kind === 'refusal') return [{ kind: 'text', text: part.text }];
    if (part.kind === 'server-tool' && part.protocol !== 'gemini') return [{ kind: 'text', text: part.text }];
    if (part.kind === 'reasoning' && findThoughtSignature(part) === undefined) return [];
    return [part];
  });
  return { role: turn.role, parts };
}

export function encodeTurn(turn: Turn, capabilities: Capabilities): JsonObject {
  return turn.role === 'assistant'
    ? { role: 'model', parts: encodeModelParts(turn.parts, capabilities) }
    : { role: 'user', parts: encodeUserParts(turn.parts, capabilities) };
}

function encodeModelParts(parts: readonly Part[], capabilities: Capabilities): readonly JsonValue[] {
  const first = parts.find((part) => part.kind === 'tool-call');
  return parts.map((part) => {
    if (part.kind !== 'tool-call') return encodePart(part, capabilities);
    // The first call of a step must be signed. Every such step gets the same bytes in every later turn.
    const needsSignature = part === first && capabilities.signaturesRequired;
    return encodeCall(part, needsSignature ? SIGNATURE_SENTINEL : undefined);
  });
}

/** Responses first, then the images that they cannot contain, then the user's parts. */
function encodeUserParts(parts: readonly Part[], capabilities: Capabilities): readonly JsonValue[] {
  const responses: JsonObject[] = [];
  const pictures: JsonObject[] = [];
  const others: JsonValue[] = [];
  for (const part of parts) {
    if (part.kind !== 'tool-result') {
      others.push(encodePart(part, capabilities));
      continue;
    }
    const media = part.parts.filter(isMedia).map((one) => encodeMedia(one, urlPolicy(capabilities)));
    responses.push(encodeResponse(part, capabilities.toolResultImages ? media : []));
    if (!capabilities.toolResultImages) pictures.push(...media);
  }
  return [...responses, ...pictures, ...others];
}

function urlPolicy(capabilities: Capabilities): 'fetched' | 'refused' {
  return capabilities.mediaUrls ? 'fetched' : 'refused';
}

function encodePart(part: Part, capabilities: Capabilities): JsonValue {
  switch (part.kind) {
    case 'text':
      return { text: part.text, thoughtSignature: findThought(part.signatures, 'text') };
    case 'image':
    case 'audio':
    case 'video':
    case 'file':
      return encodeMedia(part, urlPolicy(capabilities));
    case 'reasoning':
      return { text: part.text, thought: true, thoughtSignature: findThoughtSignature(part) };
    case 'opaque':
    case 'server-tool':
      return encodeOwn(part);
    default:
      throw new Inexpressible(part.kind, 'has no place in this turn');
  }
}

function findThoughtSignature({ signature }: ReasoningPart): string | undefined {
  return signature?.form === 'thought' && signature.place === 'reasoning' ? signature.value : undefined;
}

function encodeOwn(part: PartOf<'opaque'> | PartOf<'server-tool'>): JsonValue {
  if (part.protocol === 'gemini') return new RawJson(part.raw);
  throw new Inexpressible(part.kind === 'opaque' ? part.path : part.kind, 'only its own vendor can read it');
}

/** Arguments must be an object here. Anything else that a model wrote is sent as a text under one name. */
function encodeCall(part: ToolCallPart, signatureDefault: string | undefined): JsonObject {
  const isObjectText = parseObject(part.arguments) !== undefined;
  return {
    functionCall: {
      id: part.id === '' ? undefined : part.id,
      name: part.name,
      args: isObjectText ? new RawJson(part.arguments) : { _raw: part.arguments },
    },
    thoughtSignature: findThought(part.signatures, 'call') ?? signatureDefault,
  };
}

function encodeResponse(part: ToolResultPart, media: readonly JsonObject[]): JsonObject {
  return {
    functionResponse: {
      id: part.callId === '' ? undefined : part.callId,
      name: part.name ?? 'unknown_tool',
      response: encodeOutcome(resultText(part), part.isError ? 'error' : 'output'),
      parts: media.length === 0 ? undefined : media,
    },
  };
}

/** An object is the response itself, unless it has keys that Google reads in its own way. */
function encodeOutcome(text: string, word: 'output' | 'error'): JsonObject | RawJson {
  const object = word === 'output' && !text.includes('"$ref"') ? parseObject(text) : undefined;
  const isReserved = object === undefined || 'output' in object || 'error' in object;
  return isReserved ? { [word]: text } : new RawJson(text);
}

function resultText(part: ToolResultPart): string {
  const texts: string[] = [];
  for (const piece of part.parts) {
    if (piece.kind === 'text' || piece.kind === 'refusal' || piece.kind === 'server-tool')
      texts.push(piece.text);
    else if (!isMedia(piece)) throw new Inexpressible(piece.kind, 'has no place in the result of a tool');
  }
  return texts.join('\n');
}
