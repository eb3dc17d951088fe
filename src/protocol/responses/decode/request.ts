import { EFFORTS, type Effort } from '../../../kernel/capability.ts';
import type { RawRequest } from '../../dialect.ts';
import { type JsonObject, writeJson } from '../../hub/content/json.ts';
import { type FieldNames, Inexpressible, type Notes } from '../../hub/notes.ts';
import type { HubRequest, Metadata, OutputFormat, Thinking } from '../../hub/request.ts';
import { NO_SAMPLING } from '../../hub/request.ts';
import {
  optionalFlag,
  optionalList,
  optionalNumber,
  optionalObject,
  optionalRaw,
  optionalText,
  requireText,
} from '../fields.ts';
import { type Conversation, decodeItems } from './items.ts';
import { type CollectedTools, decodeToolChoice, decodeTools } from './tools.ts';

/** Fields that need a stored conversation or a later look-up. They do not work elsewhere (rule K-12). */
const STATEFUL: ReadonlyMap<string, string> = new Map([
  ['previous_response_id', 'the conversation it names is not known here'],
  ['conversation', 'stored conversations are known to their own vendor only'],
  ['prompt', 'stored prompts are known to their own vendor only'],
]);

/** Fields that are read, or that a vendor does not need. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'parallel_tool_calls', 'reasoning', 'text'],
  ...['temperature', 'top_p', 'max_output_tokens', 'top_logprobs', 'include', 'stream', 'stream_options'],
  ...['store', 'safety_identifier', 'user', 'prompt_cache_key', 'service_tier', 'background', 'truncation'],
  ...['metadata'],
  ...STATEFUL.keys(),
]);

/**
 * Values of `include` that answers of every vendor support. The others belong to tools of the client's
 * vendor.
 */
const INCLUDED: ReadonlySet<string> = new Set([
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
]);

/** Fields of the request that a response object repeats. */
const ECHOED = [
  ...['background', 'instructions', 'max_output_tokens', 'max_tool_calls', 'metadata', 'parallel_tool_calls'],
  ...['previous_response_id', 'prompt_cache_key', 'prompt_cache_retention', 'reasoning', 'safety_identifier'],
  ...['service_tier', 'store', 'temperature', 'text', 'tool_choice', 'tools', 'top_logprobs', 'top_p'],
  ...['truncation', 'user'],
];

export function decodeRequest(body: JsonObject, request: RawRequest, notes: Notes): HubRequest {
  refuseStateful(body);
  for (const [name, value] of Object.entries(body)) {
    if (!KNOWN.has(name) && value !== null) notes.drop(name);
  }
  if (body.truncation === 'auto') notes.drop('truncation');
  if (optionalList(body.include, 'include').some((one) => !INCLUDED.has(String(one)))) notes.drop('include');
  const collected: CollectedTools = { tools: [], hosted: [], search: undefined, notes };
  decodeTools(collected, body.tools, 'tools');
  const { system, turns } = decodeConversation(body, collected);
  const toolChoice = decodeToolChoice(body.tool_choice, collected);
  return {
    client: 'responses',
    stream: optionalFlag(body.stream, 'stream') ?? false,
    system,
    turns,
    tools: collected.tools,
    vendorTools: collected.hosted,
    ...(collected.search === undefined ? {} : { webSearch: collected.search }),
    toolChoice,
    parallelCalls: optionalFlag(body.parallel_tool_calls, 'parallel_tool_calls'),
    thinking: decodeThinking(body, notes),
    ...decodeText(body),
    sampling: {
      ...NO_SAMPLING,
      temperature: optionalNumber(body.temperature, 'temperature'),
      topP: optionalNumber(body.top_p, 'top_p'),
    },
    stop: [],
    maxTokens: optionalNumber(body.max_output_tokens, 'max_output_tokens'),
    answers: 1,
    logprobs: decodeLogprobs(body),
    endUser: optionalText(body.safety_identifier, 'safety_identifier') ?? optionalText(body.user, 'user'),
    metadata: decodeMetadata(body),
    cacheKey: optionalText(body.prompt_cache_key, 'prompt_cache_key'),
    serviceTier: optionalText(body.service_tier, 'service_tier'),
    spelled: findSpelling(body, notes),
    includeUsage: true,
    echo: readEcho(body, request),
  };
}

function refuseStateful(body: JsonObject): void {
  for (const [field, reason] of STATEFUL) {
    if (body[field] !== undefined && body[field] !== null) throw new Inexpressible(field, reason);
  }
  if (optionalFlag(body.background, 'background') === true) {
    throw new Inexpressible('background', 'answers cannot be fetched later');
  }
}

function decodeConversation(body: JsonObject, collected: CollectedTools): Conversation {
  const conversation: Conversation = { system: [], turns: [], collected, vendorCalls: new Set() };
  const instructions = optionalText(body.instructions, 'instructions') ?? '';
  if (instructions !== '') conversation.system.push({ kind: 'text', text: instructions });
  const { input } = body;
  if (typeof input !== 'string') decodeItems(optionalList(input, 'input'), conversation);
  else if (input !== '') conversation.turns.push({ role: 'user', parts: [{ kind: 'text', text: input }] });
  return conversation;
}

function decodeThinking(body: JsonObject, notes: Notes): Thinking {
  const reasoning = optionalObject(body.reasoning, 'reasoning') ?? {};
  const word = optionalText(reasoning.effort, 'reasoning.effort');
  const effort = EFFORTS.find((one) => one === word) as Effort | undefined;
  const summary =
    optionalText(reasoning.summary, 'reasoning.summary') ??
    optionalText(reasoning.generate_summary, 'reasoning.generate_summary');
  if (word !== undefined && effort === undefined) notes.drop('reasoning.effort');
  for (const name of ['context', 'mode']) {
    const value = reasoning[name];
    if (value !== undefined && value !== null && value !== 'auto') notes.drop(`reasoning.${name}`);
  }
  return {
    // An effort alone does not ask for thinking: some models would begin to think (rule C-37).
    mode: effort === 'none' ? 'off' : undefined,
    effort,
    budgetTokens: undefined,
    show: summary === undefined ? undefined : true,
    summaryStyle: summary,
  };
}

function decodeText(body: JsonObject): Pick<HubRequest, 'format' | 'verbosity'> {
  const text = optionalObject(body.text, 'text') ?? {};
  const format = optionalObject(text.format, 'text.format');
  return {
    format: format === undefined ? { kind: 'text' } : decodeFormat(format),
    verbosity: optionalText(text.verbosity, 'text.verbosity'),
  };
}

function decodeFormat(format: JsonObject): OutputFormat {
  const type = requireText(format.type, 'text.format.type');
  if (type === 'text') return { kind: 'text' };
  if (type === 'json_object') return { kind: 'json' };
  if (type !== 'json_schema') throw new Inexpressible('text.format.type', `'${type}' is not known`);
  const schema = optionalRaw(format.schema, 'text.format.schema');
  if (schema === undefined) throw new Inexpressible('text.format.schema', 'is missing');
  return {
    kind: 'schema',
    name: optionalText(format.name, 'text.format.name'),
    description: optionalText(format.description, 'text.format.description'),
    schema,
    strict: optionalFlag(format.strict, 'text.format.strict'),
  };
}

/** Answers are stored unless the client forbids it. */
function decodeMetadata(body: JsonObject): Metadata | undefined {
  const fields = optionalObject(body.metadata, 'metadata');
  if (fields === undefined || Object.keys(fields).length === 0) return undefined;
  return { fields, isKept: body.store !== false };
}

function decodeLogprobs(body: JsonObject): number | undefined {
  const top = optionalNumber(body.top_logprobs, 'top_logprobs');
  if (optionalList(body.include, 'include').includes('message.output_text.logprobs')) return top ?? 0;
  return top === 0 ? undefined : top;
}

function readEcho(body: JsonObject, { previousResponseId }: RawRequest): ReadonlyMap<string, string> {
  const echo = new Map<string, string>();
  if (previousResponseId !== undefined) {
    echo.set('previous_response_id', JSON.stringify(previousResponseId));
  }
  for (const name of ECHOED) {
    const value = body[name];
    if (value !== undefined && value !== null) echo.set(name, writeJson(value));
  }
  return echo;
}

function findSpelling(
  { user, safety_identifier: id }: JsonObject,
  notes: Notes,
): Partial<FieldNames> | undefined {
  if (typeof user !== 'string') return undefined;
  if (typeof id !== 'string') return { endUser: 'user' };
  if (user !== id) notes.drop('user');
  return undefined;
}
