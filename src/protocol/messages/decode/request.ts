import { EFFORTS, type Effort } from '../../../kernel/capability.ts';
import { isArray, isObject, type JsonObject, type JsonValue } from '../../hub/content/json.ts';
import { Inexpressible, type Notes } from '../../hub/notes.ts';
import type { Part, TextPart } from '../../hub/part.ts';
import {
  type HubRequest,
  NO_SAMPLING,
  NO_THINKING,
  type OutputFormat,
  type Thinking,
  type Turn,
} from '../../hub/request.ts';
import {
  findText,
  flagField,
  listField,
  numberField,
  objectField,
  objectsField,
  rawObject,
  textField,
} from '../fields.ts';
import { decodeBlock, decodeContent } from './parts.ts';
import { decodeMark } from './place.ts';
import { decodeChoice, decodeTools } from './tools.ts';

/** Fields that the hub supports. Others are reported as lost. */
const KNOWN: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'max_tokens',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'stop_sequences',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'metadata',
  'thread',
  'cache_control',
]);

/** Claude Code's first block changes with every request and would defeat the caches of other vendors. */
const ATTRIBUTION = 'x-anthropic-billing-header:';

export function decodeRequest(body: JsonObject, notes: Notes): HubRequest {
  for (const key of Object.keys(body)) if (!KNOWN.has(key) && !isDefault(body, key)) notes.drop(key);
  refuseThread(body);
  const tools = decodeTools(body, notes);
  const metadata = objectField(body, 'metadata', '') ?? {};
  for (const key of Object.keys(metadata)) if (key !== 'user_id') notes.drop(`metadata.${key}`);
  return {
    client: 'messages',
    stream: flagField(body, 'stream', '') ?? false,
    system: decodeSystem(body, notes),
    turns: markLastTurn(decodeTurns(body, notes), body),
    ...tools,
    ...decodeChoice(body, tools, notes),
    thinking: decodeThinking(body, notes),
    format: decodeFormat(body, notes),
    verbosity: undefined,
    sampling: {
      ...NO_SAMPLING,
      temperature: numberField(body, 'temperature', ''),
      topP: numberField(body, 'top_p', ''),
      topK: numberField(body, 'top_k', ''),
    },
    stop: decodeStop(body),
    maxTokens: decodeLimit(body, notes),
    answers: 1,
    logprobs: undefined,
    endUser: textField(metadata, 'user_id', 'metadata'),
    metadata: undefined,
    cacheKey: undefined,
    // `auto` and `standard_only` are this vendor's own; other vendors' tiers have other meanings.
    serviceTier: undefined,
    includeUsage: false,
    echo: new Map(),
  };
}

/**
 * A thread is a conversation that the vendor stores: without it most of the history would be missing. The
 * vendor's SDK knows these codes. After the first it sends the whole history itself from then on; after the
 * second it starts over.
 */
function refuseThread(body: JsonObject): void {
  const thread = objectField(body, 'thread', '');
  if (thread === undefined) return;
  const isNew = findText(thread.type) === 'create';
  const details = isNew
    ? { error_code: 'thread_unsupported_request', unsupported: ['model'] }
    : { error_code: 'thread_not_found' };
  throw new Inexpressible('thread', 'the upstream of this model keeps no conversations', details);
}

/** A value that equals the default is not a loss. */
function isDefault(body: JsonObject, key: string): boolean {
  const value = body[key];
  return value === null || (key === 'service_tier' && value === 'auto');
}

function decodeStop(body: JsonObject): readonly string[] {
  return listField(body, 'stop_sequences', '').map((stop, index) => {
    if (typeof stop === 'string') return stop;
    throw new Inexpressible(`stop_sequences[${index}]`, 'is not a string');
  });
}

function decodeSystem(body: JsonObject, notes: Notes): readonly TextPart[] {
  const { system } = body;
  if (system === undefined || system === null) return [];
  const texts: TextPart[] = [];
  for (const part of decodeContent(system, { path: 'system', notes })) {
    if (part.kind !== 'text') throw new Inexpressible('system', 'must contain only text');
    if (part.text.startsWith(ATTRIBUTION)) notes.drop('system[0]');
    else if (part.text !== '') texts.push(part);
  }
  return texts;
}

/** Zero tokens fill the vendor's prompt cache. Other vendors require at least one token. */
function decodeLimit(body: JsonObject, notes: Notes): number | undefined {
  const limit = numberField(body, 'max_tokens', '');
  if (limit !== 0) return limit;
  notes.drop('max_tokens');
  return 1;
}

function decodeTurns(body: JsonObject, notes: Notes): readonly Turn[] {
  return objectsField(body, 'messages', '').flatMap((message, index): readonly Turn[] => {
    const path = `messages[${index}]`;
    for (const key of Object.keys(message)) {
      if (key !== 'role' && key !== 'content') notes.drop(`${path}.${key}`);
    }
    const { role } = message;
    if (role !== 'user' && role !== 'assistant' && role !== 'system') {
      throw new Inexpressible(`${path}.role`, 'is not a role');
    }
    const { content } = message;
    if (role === 'user' && isArray(content) && content.some(isSystemBlock)) {
      return splitTurn(content, `${path}.content`, notes);
    }
    const parts = decodeContent(content, { path: `${path}.content`, notes });
    if (role === 'system' && parts.some((part) => part.kind !== 'text')) {
      throw new Inexpressible(`${path}.content`, 'must contain only text');
    }
    return [{ role, parts }];
  });
}

function isSystemBlock(block: JsonValue): block is JsonObject {
  return isObject(block) && block.type === 'mid_conv_system';
}

/** Instructions inside a user's message become a turn of their own between its halves. */
function splitTurn(content: readonly JsonValue[], path: string, notes: Notes): readonly Turn[] {
  const turns: { readonly role: 'user' | 'system'; readonly parts: Part[] }[] = [];
  for (const [index, block] of content.entries()) {
    const place = { path: `${path}[${index}]`, notes };
    const role = isSystemBlock(block) ? 'system' : 'user';
    const parts = isSystemBlock(block)
      ? decodeContent(block.content, { ...place, path: `${place.path}.content` })
      : decodeBlock(block, place);
    if (role === 'system' && parts.some((part) => part.kind !== 'text')) {
      throw new Inexpressible(place.path, 'must contain only text');
    }
    const last = turns.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else turns.push({ role, parts: [...parts] });
  }
  return turns;
}

/** A cache mark on the body itself means one on the last block that can have it. */
function markLastTurn(turns: readonly Turn[], body: JsonObject): readonly Turn[] {
  const cache = decodeMark(body, '');
  const last = turns.at(-1);
  const part = last?.parts.at(-1);
  if (cache === undefined || last === undefined || part === undefined || !isMarkable(part)) return turns;
  const parts: readonly Part[] = [...last.parts.slice(0, -1), { ...part, cache: part.cache ?? cache }];
  return [...turns.slice(0, -1), { ...last, parts }];
}

function isMarkable(part: Part): part is Extract<Part, { cache?: unknown }> {
  const { kind } = part;
  return kind === 'text' || kind === 'image' || kind === 'file' || kind.startsWith('tool-');
}

const MODES: ReadonlyMap<string, Thinking['mode']> = new Map<string, Thinking['mode']>([
  ['disabled', 'off'],
  ['adaptive', 'adaptive'],
  ['enabled', 'budget'],
  ['between_tools', 'between-tools'],
]);

function decodeThinking(body: JsonObject, notes: Notes): Thinking {
  const effort = decodeEffort(body, notes);
  const thinking = objectField(body, 'thinking', '');
  if (thinking === undefined) return { ...NO_THINKING, effort };
  const mode = MODES.get(textField(thinking, 'type', 'thinking') ?? '');
  if (mode === undefined) throw new Inexpressible('thinking.type', 'is not known here');
  for (const key of Object.keys(thinking)) {
    if (key !== 'type' && key !== 'budget_tokens' && key !== 'display') notes.drop(`thinking.${key}`);
  }
  const display = textField(thinking, 'display', 'thinking');
  return {
    mode,
    effort,
    budgetTokens: mode === 'budget' ? numberField(thinking, 'budget_tokens', 'thinking') : undefined,
    // The default differs between the vendor's models. A client that asks for thinking is assumed to want to
    // see it.
    show: mode === 'off' ? undefined : display !== 'omitted',
    summaryStyle: undefined,
  };
}

function decodeEffort(body: JsonObject, notes: Notes): Effort | undefined {
  const config = objectField(body, 'output_config', '') ?? {};
  for (const key of Object.keys(config)) {
    if (key !== 'effort' && key !== 'format') notes.drop(`output_config.${key}`);
  }
  const word = textField(config, 'effort', 'output_config');
  const effort = EFFORTS.find((level) => level === word);
  if (word !== undefined && effort === undefined) notes.drop('output_config.effort');
  return effort;
}

/** `output_format` was the field's name during its beta. */
function decodeFormat(body: JsonObject, notes: Notes): OutputFormat {
  const config = objectField(body, 'output_config', '') ?? {};
  const format = objectField(config, 'format', 'output_config') ?? objectField(body, 'output_format', '');
  if (format === undefined) return { kind: 'text' };
  const schema = rawObject(format.schema);
  if (findText(format.type) !== 'json_schema' || schema === undefined) {
    notes.drop('output_config.format');
    return { kind: 'text' };
  }
  return { kind: 'schema', name: undefined, description: undefined, schema, strict: undefined };
}
