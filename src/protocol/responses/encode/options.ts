import type { Effort } from '../../../kernel/capability.ts';
import { sha256Hex } from '../../../kernel/encoding/hash.ts';
import { type JsonObject, RawJson } from '../../hub/content/json.ts';
import { clampEffort, effortOfBudget } from '../../hub/effort.ts';
import type { HubField } from '../../hub/notes.ts';
import type { OutputFormat } from '../../hub/request.ts';
import { isStrictSchema } from '../../hub/schema/strict-schema.ts';
import type { Passage } from './parts.ts';
import { TIERS } from './response-object.ts';

/** The vendor's smallest limit (conversion.md 9). */
const OUTPUT_TOKENS_MIN = 16;
const IDENTIFIER_CHARS_MAX = 64;
const FORMAT_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Thinking, sampling, limits and the rest, in a fixed order. */
export function encodeOptions(passage: Passage): JsonObject {
  const { request, target } = passage;
  const effort = effortFor(passage);
  const isSampled = target.capabilities.sampling !== 'none' || effort === 'none';
  loseOthers(passage);
  return {
    reasoning: encodeReasoningOption(passage, effort),
    text: encodeText(passage),
    max_output_tokens: encodeMaxTokens(passage),
    ...(isSampled ? encodeSampling(passage) : loseSampling(passage)),
    ...encodeInclude(passage, isSampled ? request.logprobs : undefined),
    prompt_cache_key: request.cacheKey === undefined ? undefined : shortened(request.cacheKey),
    safety_identifier: request.endUser === undefined ? undefined : shortened(request.endUser),
    metadata: request.metadata?.fields,
    service_tier: encodeTier(passage),
    store: false,
    stream: request.stream ? true : undefined,
  };
}

/** The rung for what the client wants; nothing where it leaves that to the model. */
function effortFor(passage: Passage): Effort | undefined {
  const { thinking } = passage.request;
  const { capabilities } = passage.target;
  const { mode, effort, budgetTokens } = thinking;
  const isTold = mode !== undefined || effort !== undefined;
  if (capabilities.thinking === 'none') {
    if (isTold && mode !== 'off' && effort !== 'none') passage.notes.lose('thinking');
    return undefined;
  }
  const budgeted = budgetTokens === undefined ? undefined : effortOfBudget(budgetTokens);
  const wanted = mode === 'off' ? 'none' : (effort ?? budgeted);
  if (wanted === undefined) return undefined;
  const clamped = clampEffort(wanted, capabilities.efforts);
  if (clamped === 'minimal' && passage.request.webSearch !== undefined && capabilities.webSearch) {
    // The vendor does not search with so little effort.
    passage.notes.lose('thinking');
    return 'low';
  }
  if (clamped === undefined && wanted !== 'none') passage.notes.lose('thinking');
  return clamped;
}

function encodeReasoningOption(passage: Passage, effort: Effort | undefined): JsonObject | undefined {
  const { show, summaryStyle } = passage.request.thinking;
  const isShown = show === true && passage.target.capabilities.thinking !== 'none' && effort !== 'none';
  const summary = isShown ? (summaryStyle ?? 'auto') : undefined;
  return effort === undefined && summary === undefined ? undefined : { effort, summary };
}

function encodeMaxTokens(passage: Passage): number | undefined {
  const { maxTokens } = passage.request;
  if (maxTokens === undefined) return undefined;
  const within = Math.max(
    OUTPUT_TOKENS_MIN,
    Math.min(maxTokens, passage.target.capabilities.maxOutputTokens),
  );
  if (within !== maxTokens) passage.notes.lose('maxTokens');
  return within;
}

function encodeSampling(passage: Passage): JsonObject {
  const { temperature, topP } = passage.request.sampling;
  const isOne = passage.target.capabilities.sampling === 'one-of' && temperature !== undefined;
  if (isOne && topP !== undefined) passage.notes.lose('topP');
  return { temperature, top_p: isOne ? undefined : topP };
}

/** A value that is the default anyway is no loss. */
function loseSampling(passage: Passage): JsonObject {
  const { temperature, topP } = passage.request.sampling;
  if (temperature !== undefined && temperature !== 1) passage.notes.lose('temperature');
  if (topP !== undefined && topP !== 1) passage.notes.lose('topP');
  if (passage.request.logprobs !== undefined) passage.notes.lose('logprobs');
  return {};
}

function loseOthers(passage: Passage): void {
  const { sampling } = passage.request;
  const fields = ['topK', 'frequencyPenalty', 'presencePenalty', 'seed'] as const satisfies HubField[];
  for (const field of fields) {
    const value = sampling[field];
    const isNeutral = value === 0 && field.endsWith('Penalty');
    if (value !== undefined && !isNeutral) passage.notes.lose(field);
  }
}

/** Without the ciphertext a conversation that is not stored would lose its reasoning (7.3). */
function encodeInclude(passage: Passage, logprobs: number | undefined): JsonObject {
  const { client, webSearch } = passage.request;
  const isTold = client === 'messages' && webSearch !== undefined && passage.target.capabilities.webSearch;
  const include = [
    // Clients of Messages are told the pages of a search.
    ...(isTold ? ['web_search_call.action.sources'] : []),
    ...(passage.target.capabilities.thinking === 'none' ? [] : ['reasoning.encrypted_content']),
    ...(logprobs === undefined ? [] : ['message.output_text.logprobs']),
  ];
  return { top_logprobs: logprobs, include: include.length === 0 ? undefined : include };
}

/** Long names (Claude Code puts JSON there) are hashed: the same user stays the same user. */
function shortened(text: string): string {
  return text.length <= IDENTIFIER_CHARS_MAX ? text : sha256Hex(text);
}

function encodeTier(passage: Passage): string | undefined {
  const { client, serviceTier } = passage.request;
  if (serviceTier === undefined) return undefined;
  // Vendors who copy these protocols have tiers of their own, which OpenAI refuses.
  const isTier = serviceTier === 'auto' || TIERS.includes(serviceTier);
  if (isTier && (client === 'chat' || client === 'responses')) return serviceTier;
  passage.notes.lose('serviceTier');
  return undefined;
}

function encodeText(passage: Passage): JsonObject | undefined {
  const { format, verbosity } = passage.request;
  const encoded = encodeFormat(format, passage);
  return encoded === undefined && verbosity === undefined ? undefined : { format: encoded, verbosity };
}

function encodeFormat(format: OutputFormat, passage: Passage): JsonObject | undefined {
  if (format.kind === 'text') return undefined;
  if (format.kind === 'json') return { type: 'json_object' };
  if (!passage.target.capabilities.structuredOutput) {
    passage.notes.lose('format');
    return { type: 'json_object' };
  }
  const { name, description, schema } = format;
  return {
    type: 'json_schema',
    name: name !== undefined && FORMAT_NAME.test(name) ? name : 'response',
    description,
    schema: new RawJson(schema),
    strict: strictFormat(format, passage),
  };
}

/** Messages and generateContent are always strict; here the schema must qualify for it. */
function strictFormat(
  format: Extract<OutputFormat, { kind: 'schema' }>,
  passage: Passage,
): boolean | undefined {
  const { client } = passage.request;
  if (client === 'chat' || client === 'responses') return format.strict;
  return isStrictSchema(format.schema);
}
