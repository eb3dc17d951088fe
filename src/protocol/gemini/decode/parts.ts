import {
  isObject,
  type JsonObject,
  type JsonValue,
  RawJson,
  readJson,
  writeJson,
} from '../../hub/content/json.ts';
import { Inexpressible, type Notes } from '../../hub/notes.ts';
import type { Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart } from '../../hub/part.ts';
import {
  dropUnknown,
  field,
  objectText,
  optionalFlag,
  optionalObject,
  optionalText,
  requireObjects,
} from '../fields.ts';
import { decodeFile, decodeInline } from '../media.ts';
import { readSignatures } from '../signature.ts';
import { PART_FIELDS, PAYLOADS, type Payload } from '../wire.ts';
import { serverTool } from './server-tool.ts';

/** Decodes one part of a client's content. The hub pairs calls without ids. */
export function decodePart(part: JsonObject, path: string, notes: Notes): readonly Part[] {
  const [payload, second] = PAYLOADS.filter((name) => field(part, name) !== undefined);
  if (second !== undefined) throw new Inexpressible(path, `holds both ${payload} and ${second}`);
  const signature = optionalText(field(part, 'thoughtSignature'), `${path}.thoughtSignature`);
  if (payload === undefined) {
    // Some clients keep the last signature of a turn or a thought in a part with only a signature.
    if (signature !== undefined && isSignatureOnly(part)) return decodeText(part, signature, path);
    throw new Inexpressible(path, 'holds no content known to this gateway');
  }
  dropUnknown(part, PART_FIELDS, path, notes);
  if (payload === 'text') return decodeText(part, signature, path);
  const value = optionalObject(field(part, payload), `${path}.${payload}`) ?? {};
  switch (payload) {
    case 'functionCall':
      return [{ ...decodeCall(value, `${path}.functionCall`, notes), ...toSignatures(signature) }];
    case 'functionResponse':
      return [decodeResponse(value, `${path}.functionResponse`, notes)];
    case 'inlineData':
      return [decodeInline(value, `${path}.inlineData`)];
    case 'fileData':
      return [decodeFile(part, value, `${path}.fileData`)];
    default:
      return [serverTool(part, payload)];
  }
}

function isSignatureOnly(part: JsonObject): boolean {
  return Object.keys(part).every((key) => ['thought', 'thoughtSignature', 'thought_signature'].includes(key));
}

function decodeText(part: JsonObject, signature: string | undefined, path: string): readonly Part[] {
  const text = optionalText(field(part, 'text'), `${path}.text`) ?? '';
  if (optionalFlag(field(part, 'thought'), `${path}.thought`) !== true) return [textPart(text, signature)];
  const signatures = readSignatures(signature, 'reasoning');
  if (signatures.length === 0) return [{ kind: 'reasoning', text }];
  // One signature per part: the visible text stays with the first.
  return signatures.map(
    (signature, index): ReasoningPart => ({
      kind: 'reasoning',
      text: index === 0 ? text : (signature.text ?? ''),
      signature,
    }),
  );
}

function textPart(text: string, signature: string | undefined): TextPart {
  const signatures = readSignatures(signature, 'text');
  return signatures.length === 0 ? { kind: 'text', text } : { kind: 'text', text, signatures };
}

const CALL_FIELDS: ReadonlySet<string> = new Set(['id', 'name', 'args']);

function decodeCall(value: JsonObject, path: string, notes: Notes): ToolCallPart {
  const name = optionalText(field(value, 'name'), `${path}.name`) ?? '';
  if (name === '') throw new Inexpressible(`${path}.name`, 'a name is needed');
  if (field(value, 'partialArgs') !== undefined) {
    throw new Inexpressible(`${path}.partialArgs`, 'arguments in fragments cannot be sent to another vendor');
  }
  dropUnknown(value, CALL_FIELDS, path, notes);
  const args = field(value, 'args');
  const text = objectText(args);
  if (text === undefined && args !== undefined) throw new Inexpressible(`${path}.args`, 'must be an object');
  return {
    kind: 'tool-call',
    id: optionalText(field(value, 'id'), `${path}.id`) ?? '',
    name,
    arguments: text ?? '{}',
    custom: false,
  };
}

function toSignatures(signature: string | undefined): Pick<ToolCallPart, 'signatures'> {
  const signatures = readSignatures(signature, 'call');
  return signatures.length === 0 ? {} : { signatures };
}

const RESPONSE_FIELDS: ReadonlySet<string> = new Set(['id', 'name', 'response', 'parts']);

function decodeResponse(value: JsonObject, path: string, notes: Notes): ToolResultPart {
  dropUnknown(value, RESPONSE_FIELDS, path, notes);
  const name = optionalText(field(value, 'name'), `${path}.name`) ?? '';
  const { text, isError } = decodeOutcome(field(value, 'response'), `${path}.response`);
  const media = requireObjects(field(value, 'parts'), `${path}.parts`).map((part, index) =>
    decodeResultMedia(part, `${path}.parts[${index}]`),
  );
  return {
    kind: 'tool-result',
    callId: optionalText(field(value, 'id'), `${path}.id`) ?? '',
    ...(name === '' ? {} : { name }),
    parts: text === '' && media.length > 0 ? media : [{ kind: 'text', text }, ...media],
    isError,
    custom: false,
  };
}

function decodeResultMedia(part: JsonObject, path: string): Part {
  const inline = optionalObject(field(part, 'inlineData'), `${path}.inlineData`);
  if (inline !== undefined) return decodeInline(inline, `${path}.inlineData`);
  const file = optionalObject(field(part, 'fileData'), `${path}.fileData`);
  if (file !== undefined) return decodeFile(part, file, `${path}.fileData`);
  throw new Inexpressible(path, 'holds no content known to this gateway');
}

const OUTCOMES: ReadonlySet<string> = new Set(['output', 'error']);

/** `output` and `error` are Google's names for a result. Any other object is the result itself. */
function decodeOutcome(response: JsonValue | undefined, path: string): { text: string; isError: boolean } {
  const raw = objectText(response);
  if (raw === undefined && response !== undefined) throw new Inexpressible(path, 'must be an object');
  const fields = raw === undefined ? {} : (readJson(raw, OUTCOMES) ?? {});
  const [key, other] = Object.keys(fields);
  if (key === undefined) return { text: raw ?? '', isError: false };
  if (other !== undefined || !OUTCOMES.has(key)) return { text: raw ?? '', isError: false };
  return { text: plainText(fields[key]), isError: key === 'error' };
}

function plainText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : writeJson(value);
}

/** Whether a payload of a vendor's answer belongs to a tool that ran at the vendor. */
export function isServerTool(payload: Payload): boolean {
  return (
    payload !== 'text' && payload !== 'inlineData' && payload !== 'functionCall' && payload !== 'fileData'
  );
}

/** Text parts of a system instruction, which contains nothing else. */
export function decodeSystem(value: JsonValue | undefined, path: string, notes: Notes): readonly TextPart[] {
  if (value === undefined) return [];
  // The API requires a Content. SDKs of compatible servers send the bare text.
  if (typeof value === 'string') return value === '' ? [] : [{ kind: 'text', text: value }];
  if (!isObject(value) || value instanceof RawJson) throw new Inexpressible(path, 'must be an object');
  return requireObjects(field(value, 'parts'), `${path}.parts`).flatMap(
    (part, index): readonly TextPart[] => {
      const place = `${path}.parts[${index}]`;
      const text = optionalText(field(part, 'text'), `${place}.text`);
      if (text === undefined) throw new Inexpressible(place, 'a system instruction holds text only');
      dropUnknown(part, PART_FIELDS, place, notes);
      return text === '' ? [] : [{ kind: 'text', text }];
    },
  );
}
