import type { RawRequest } from '../../dialect.ts';
import type { JsonObject } from '../../hub/content/json.ts';
import { Inexpressible, type Notes } from '../../hub/notes.ts';
import type { HubRequest, Turn } from '../../hub/request.ts';
import { dropUnknown, field, optionalText, requireObjects } from '../fields.ts';
import { decodeConfig } from './config.ts';
import { decodePart, decodeSystem } from './parts.ts';
import { decodeToolChoice, decodeTools } from './tools.ts';

const FIELDS: ReadonlySet<string> = new Set([
  'model',
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
]);

const NOTHING: ReadonlyMap<string, string> = new Map();

export function decodeRequest(body: JsonObject, request: RawRequest, notes: Notes): HubRequest {
  if (field(body, 'cachedContent') !== undefined) {
    throw new Inexpressible('cachedContent', 'content kept at Google cannot be sent to another vendor');
  }
  dropUnknown(body, FIELDS, '', notes);
  const system = decodeSystem(field(body, 'systemInstruction'), 'systemInstruction', notes);
  const turns = decodeContents(body, notes);
  return {
    client: 'gemini',
    // In this protocol the path decides about streaming.
    stream: request.path?.stream ?? false,
    system,
    turns,
    ...decodeTools(field(body, 'tools'), notes),
    toolChoice: decodeToolChoice(field(body, 'toolConfig'), notes),
    parallelCalls: undefined,
    ...decodeConfig(field(body, 'generationConfig'), notes),
    verbosity: undefined,
    endUser: undefined,
    metadata: undefined,
    cacheKey: undefined,
    serviceTier: undefined,
    includeUsage: true,
    echo: NOTHING,
  };
}

function decodeContents(body: JsonObject, notes: Notes): readonly Turn[] {
  const contents = requireObjects(field(body, 'contents'), 'contents');
  if (contents.length === 0) throw new Inexpressible('contents', 'is not specified');
  return contents.map((content, turn): Turn => {
    const path = `contents[${turn}]`;
    const role = decodeRole(content, path);
    const parts = requireObjects(field(content, 'parts'), `${path}.parts`).flatMap((part, index) =>
      decodePart(part, `${path}.parts[${index}]`, notes),
    );
    return { role, parts };
  });
}

/** `function` is the old role of responses. No role means the user. */
function decodeRole(content: JsonObject, path: string): 'user' | 'assistant' {
  const role = optionalText(field(content, 'role'), `${path}.role`) ?? '';
  if (role === 'model') return 'assistant';
  if (role === 'user' || role === 'function' || role === '') return 'user';
  throw new Inexpressible(`${path}.role`, 'must be user or model');
}
